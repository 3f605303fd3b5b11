import { describe, expect, test } from "vitest";
import type { CommitHistory } from "@/lib/observed/commits";
import type { StoredOffsets } from "@/lib/observed/connector";
import { commit } from "./commit";
import { forbidden, refused, seen } from "./scene-facts";

const now = new Date("2026-11-29T14:36:46.000Z");
const ago = (seconds: number) => new Date(now.getTime() - seconds * 1000).toISOString();

function offsets(...committedAt: (string | null | undefined)[]): StoredOffsets {
  return {
    offsets: committedAt.map((at, i) => ({
      partition: `{"server":"${i}"}`,
      offset: '{"lsn":1}',
      ...(at === undefined ? {} : { committedAt: at }),
    })),
  };
}

function history(...commits: { at: string; offset?: null }[]): CommitHistory {
  return {
    topics: ["connect-offsets"],
    partitions: commits.map(({ at, offset }, i) => ({
      partition: `{"server":"${i}"}`,
      commits: [
        {
          at,
          offset: offset === null ? null : '{"lsn":1}',
          topic: "connect-offsets",
          kafkaPartition: 3,
          kafkaOffset: 1_204 + i,
        },
      ],
    })),
  };
}

describe("when an offset was committed", () => {
  test("by REST alone: between two looks", () => {
    expect(commit({ offsets: seen(offsets(undefined), now, 10_000), commits: null })).toEqual({
      changed: true,
      seenAt: ago(10),
      notBefore: ago(15),
      exactAt: null,
      readFrom: null,
    });
  });

  test("from the offset topic: exactly, with where it was read; the newest of several partitions", () => {
    const both = {
      offsets: seen(offsets(ago(43), ago(12)), now),
      commits: seen(history({ at: ago(43) }, { at: ago(12) }), now),
    };
    expect(commit(both)).toMatchObject({
      exactAt: ago(12),
      readFrom: { topic: "connect-offsets", partition: 3, offset: 1_205 },
    });
    expect(commit({ ...both, commits: null })).toMatchObject({ exactAt: ago(12), readFrom: null });
    expect(commit({ ...both, offsets: seen(offsets(undefined), now) })?.exactAt).toBe(ago(12));
  });

  test("a deleted offset is no commit", () => {
    const commits = seen(history({ at: ago(43) }, { at: ago(12), offset: null }), now);
    expect(commit({ offsets: seen(offsets(undefined), now), commits })?.exactAt).toBe(ago(43));
    expect(commit({ offsets: seen(offsets(), now), commits })).toBeNull();
  });

  test("a topic that can no longer be read gives no time for an offset that is newer", () => {
    const old = { ...seen(history({ at: ago(300) }), now), failure: forbidden };
    expect(commit({ offsets: seen(offsets(undefined), now, 10_000), commits: old })?.exactAt).toBeNull();
    expect(commit({ offsets: seen(offsets(undefined), now, 300_000), commits: old })?.exactAt).toBe(ago(300));
    expect(
      commit({ offsets: seen(offsets(null), now), commits: refused(forbidden, now) })?.exactAt,
    ).toBeNull();
  });
});
