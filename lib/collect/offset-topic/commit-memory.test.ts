import { describe, expect, test } from "vitest";
import { recentCommits } from "@/lib/observed/commits";
import { CommitMemory, type OffsetTopicRecord } from "./commit-memory";

const start = Date.UTC(2026, 10, 29, 12);
const shop = '{"server":"shop"}';
function record(
  kafkaOffset: number,
  value: string | null,
  more: Partial<OffsetTopicRecord> = {},
): OffsetTopicRecord {
  return {
    connector: "orders",
    partition: shop,
    topic: "offsets",
    kafkaPartition: 2,
    kafkaOffset,
    timestamp: start + kafkaOffset * 1_000,
    value: value === null ? null : Buffer.from(value),
    ...more,
  };
}
const offsetsOf = (memory: CommitMemory, topic = "offsets") => memory.of("orders", topic).offsets;
const commitsOf = (memory: CommitMemory, topic = "offsets") =>
  memory.of("orders", topic).history.partitions.map((p) => p.commits.map((c) => c.offset));

describe("the newest commits, in memory", () => {
  test("each is kept with its time and place, digits kept and keys sorted", () => {
    const memory = new CommitMemory();
    memory.hold(record(7, '{"txId":2,"lsn":18446744073709551615}'));
    expect(memory.of("orders", "offsets")).toEqual({
      history: {
        topics: ["offsets"],
        partitions: [
          {
            partition: shop,
            commits: [
              {
                at: "2026-11-29T12:00:07.000Z",
                offset: '{"lsn":18446744073709551615,"txId":2}',
                topic: "offsets",
                kafkaPartition: 2,
                kafkaOffset: 7,
              },
            ],
          },
        ],
      },
      offsets: [
        {
          partition: shop,
          offset: '{"lsn":18446744073709551615,"txId":2}',
          committedAt: "2026-11-29T12:00:07.000Z",
        },
      ],
      unreadable: null,
    });
  });

  test("a deleted offset is absent, and its deletion is a commit", () => {
    const memory = new CommitMemory();
    memory.hold(record(0, '{"lsn":1}'));
    memory.hold(record(1, null));
    expect(offsetsOf(memory)).toEqual([]);
    expect(commitsOf(memory)).toEqual([['{"lsn":1}', null]]);
    memory.hold(record(2, '{"lsn":2}'));
    expect(offsetsOf(memory)).toMatchObject([{ offset: '{"lsn":2}' }]);
  });

  test("a record that comes again is kept once; nothing new gives the same object", () => {
    const memory = new CommitMemory();
    memory.hold(record(0, '{"lsn":1}'));
    memory.hold(record(1, '{"lsn":2}'));
    const told = memory.of("orders", "offsets");
    memory.hold(record(0, '{"lsn":1}'));
    memory.hold(record(1, '{"lsn":2}'));
    expect(memory.of("orders", "offsets")).toBe(told);
    memory.hold(record(2, '{"lsn":2}'));
    expect(memory.of("orders", "offsets")).not.toBe(told);
  });

  test("each topic says its own, and one is forgotten without the other", () => {
    const memory = new CommitMemory();
    memory.hold(record(0, '{"lsn":1}', { topic: "own" }));
    memory.hold(record(6, '{"lsn":9}'));
    memory.hold(record(7, '{"lsn":3}', { partition: '{"server":"old"}' }));
    expect(offsetsOf(memory, "own").map((o) => o.offset)).toEqual(['{"lsn":1}']);
    expect(offsetsOf(memory).map((o) => o.offset)).toEqual(['{"lsn":3}', '{"lsn":9}']);
    memory.forgetTopic("own");
    expect(offsetsOf(memory, "own")).toEqual([]);
    expect(offsetsOf(memory)).toHaveLength(2);
  });

  test("a newest record that cannot be read is said, an older one is left out", () => {
    const memory = new CommitMemory();
    memory.hold(record(0, "[]"));
    memory.hold(record(1, '{"lsn":1}'));
    expect(memory.of("orders", "offsets").unreadable).toBeNull();
    expect(commitsOf(memory)).toEqual([['{"lsn":1}']]);
    memory.hold(record(2, "{"));
    const told = memory.of("orders", "offsets");
    expect(told.unreadable?.sentence).toMatch(/topic offsets, partition 2, offset 2.*not JSON/);
    expect(told.offsets).toEqual([]);
  });

  test("a record without a time has an offset and no commit", () => {
    const memory = new CommitMemory();
    memory.hold(record(0, '{"lsn":1}', { timestamp: -1 }));
    memory.hold(record(0, '{"lsn":2}', { partition: '{"server":"b"}', timestamp: Number.MAX_SAFE_INTEGER }));
    expect(offsetsOf(memory).map((o) => o.committedAt)).toEqual([null, null]);
    expect(commitsOf(memory)).toEqual([]);
  });

  test("a million commits of one source partition leave the newest", () => {
    const memory = new CommitMemory();
    for (let i = 0; i < 1_000_000; i++) memory.hold(record(i, `{"lsn":${i}}`));
    const commits = commitsOf(memory)[0] ?? [];
    expect(commits).toHaveLength(recentCommits);
    expect(commits.at(-1)).toBe('{"lsn":999999}');
    expect(commits[0]).toBe(`{"lsn":${1_000_000 - recentCommits}}`);
  });

  test("very large offsets, and very many source partitions, are bounded too, and each keeps its newest", () => {
    const memory = new CommitMemory();
    for (let i = 0; i < 50; i++) memory.hold(record(i, JSON.stringify({ big: "x".repeat(100_000), i })));
    expect(commitsOf(memory)[0]).toHaveLength(2);
    for (let round = 0; round < 20; round++)
      for (let p = 0; p < 3_000; p++)
        memory.hold(
          record(round * 3_000 + p, `{"n":${round}}`, { connector: "many", partition: `{"p":${p}}` }),
        );
    const { history, offsets } = memory.of("many", "offsets");
    expect(offsets).toHaveLength(3_000);
    expect(new Set(offsets.map((o) => o.offset))).toEqual(new Set(['{"n":19}']));
    expect(history.partitions.reduce((sum, p) => sum + p.commits.length, 0)).toBeLessThan(15_000);
  });

  test("connectors that are gone are forgotten", () => {
    const memory = new CommitMemory();
    memory.hold(record(0, '{"lsn":1}'));
    memory.hold(record(1, '{"lsn":1}', { connector: "gone" }));
    memory.keepOnly(new Set(["orders"]));
    expect(memory.of("gone", "offsets").offsets).toEqual([]);
    expect(offsetsOf(memory)).toHaveLength(1);
  });
});
