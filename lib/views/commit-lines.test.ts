import { describe, expect, test } from "vitest";
import type { OffsetCommit } from "@/lib/observed/commits";
import { partitionCommits, partitionCommitsSchema } from "./commit-lines";

const began = Date.parse("2026-11-29T14:30:00.000Z");

function commits(list: readonly (readonly [second: number, offset: string | null])[]): OffsetCommit[] {
  return list.map(([second, offset], i) => ({
    at: new Date(began + second * 1000).toISOString(),
    offset,
    topic: "connect-offsets",
    kafkaPartition: 3,
    kafkaOffset: 1_200 + i,
  }));
}

const lsn = (value: number | string) =>
  `{"lsn":${value},"lsn_proc":${value},"lsn_commit":${value},"messageType":"COMMIT"}`;

describe("commits of a source partition", () => {
  test("each with its position, the progress since the one before, the interval and where it lies", () => {
    const { lines, usualMs, longestMs } = partitionCommits(
      "postgresql",
      commits([
        [0, lsn("9007199254740993")],
        [5, lsn("9007199254753393")],
        [10, lsn("9007199254753393")],
        [70, lsn("9007199254753392")],
      ]),
    );
    expect(lines.map((l) => [l.move, l.position, l.progress, l.afterMs])).toEqual([
      ["first", "200000/1", null, null],
      ["forward", "200000/3071", "+12,400 bytes of WAL", 5_000],
      ["unchanged", "200000/3071", "unchanged", 5_000],
      ["back", "200000/3070", expect.stringMatching(/^went back: -1 byte/), 60_000],
    ]);
    expect(lines[1]?.readFrom).toEqual({ topic: "connect-offsets", partition: 3, offset: 1_201 });
    expect([usualMs, longestMs]).toEqual([5_000, 60_000]);
  });

  test("a worker whose clock is behind makes no interval of 0", () => {
    const { lines, usualMs, longestMs } = partitionCommits(
      "postgresql",
      commits([
        [60, lsn(1)],
        [0, lsn(2)],
        [5, lsn(3)],
        [12, lsn(4)],
      ]),
    );
    expect(lines.map((l) => l.afterMs)).toEqual([null, null, 5_000, 7_000]);
    expect([usualMs, longestMs]).toEqual([7_000, 7_000]);
  });

  test("a tombstone, and what is compared across it", () => {
    const { lines } = partitionCommits(
      "postgresql",
      commits([
        [0, lsn(500)],
        [60, null],
        [90, lsn(400)],
      ]),
    );
    expect(lines.map((l) => [l.move, l.position, l.afterMs])).toEqual([
      ["first", "0/1F4", null],
      ["deleted", null, 60_000],
      ["back", "0/190", 30_000],
    ]);
  });

  test("one commit has no interval, and is the first at hand", () => {
    const only = partitionCommits("postgresql", commits([[0, lsn(1)]]));
    expect(only).toMatchObject({
      usualMs: null,
      longestMs: null,
      lines: [{ move: "first", progress: null }],
    });
  });

  test("a snapshot under way is marked", () => {
    const offset = '{"lsn":1,"snapshot":"INITIAL","snapshot_completed":false}';
    const done = '{"lsn":1,"snapshot":"INITIAL","snapshot_completed":true}';
    const { lines } = partitionCommits(
      "postgresql",
      commits([
        [0, offset],
        [60, done],
      ]),
    );
    expect(lines.map((l) => l.snapshot)).toEqual([true, false]);
  });

  test("what cannot be read or compared says so, and is never called unchanged", () => {
    const { lines } = partitionCommits(
      "mariadb",
      commits([
        [0, '{"file":"a.000001","pos":4,"server_id":1}'],
        [60, '{"file":"b.000001","pos":4,"server_id":2}'],
        [120, "[1,"],
        [180, '{"nothing":1}'],
      ]),
    );
    expect(lines.map((l) => l.move)).toEqual(["first", "unknown", "unknown", "unknown"]);
    expect(lines[1]?.progress).toBeTruthy();
    expect(lines[2]?.position).toBe("not readable: no JSON object");
    partitionCommitsSchema.parse(partitionCommits("mariadb", commits([[0, "[1,"]])));
  });

  test("of a connector that is not known nothing is made up", () => {
    const { lines } = partitionCommits(
      "unknown",
      commits([
        [0, '{"a":1}'],
        [60, '{"a":2}'],
      ]),
    );
    expect(lines[1]).toMatchObject({ move: "unknown", snapshot: false });
    expect(lines[1]?.progress).toMatch(/unknown|not/);
  });
});
