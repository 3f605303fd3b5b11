import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../json";
import { capturedEvents } from "./fixtures/read";
import type { Order } from "./position";
import { type PostgresPosition, postgresql } from "./postgresql";

function offset(map: JsonObject): PostgresPosition {
  const { position, problems } = postgresql.decodeOffset(map);
  if (!position) throw new Error(problems[0]?.text);
  return position;
}

function event(lastCommit: bigint | null, lsn: bigint, more: JsonObject = {}): PostgresPosition {
  const sequence = JSON.stringify([lastCommit?.toString() ?? null, lsn.toString()]);
  const { position, problems } = postgresql.decodeSource({
    sequence,
    lsn,
    txId: 1,
    snapshot: "false",
    ...more,
  });
  if (!position) throw new Error(problems[0]?.text);
  return position;
}

const opposite: Record<Order["order"], Order["order"]> = {
  before: "after",
  after: "before",
  equal: "equal",
  unordered: "unordered",
};

describe("order of PostgreSQL events", () => {
  test("captured events of each topic rise in the order of delivery, though single LSNs repeat", () => {
    const events = capturedEvents("postgresql");
    const topics = new Set(events.map((e) => e.topic));
    expect(topics.size).toBeGreaterThan(2);
    for (const topic of topics) {
      const records = events.filter((e) => e.topic === topic);
      const read = records
        .filter((e) => e.source.snapshot !== "incremental")
        .map((e) => postgresql.decodeSource(e.source).position)
        .filter((p) => p !== null);
      for (const [i, next] of read.slice(1).entries()) {
        const before = read[i];
        if (before) expect(["before", "equal"]).toContain(postgresql.order(before, next).order);
      }
    }
  });

  test("commit order decides, not the LSN: interleaved transactions", () => {
    expect(postgresql.order(event(100n, 90n), event(200n, 50n)).order).toBe("before");
    expect(postgresql.order(event(100n, 90n), event(100n, 95n)).order).toBe("before");
    expect(postgresql.order(event(100n, 95n), event(100n, 95n)).order).toBe("equal");
  });

  test("the first change after a snapshot can carry the snapshot's own LSN, and comes after it", () => {
    const read = event(null, 27334520n, { snapshot: "last", txId: 740 });
    expect(postgresql.order(read, event(null, 27334520n, { txId: 741 })).order).toBe("before");
  });

  test("without a sequence only events of one transaction are ordered", () => {
    const bare = (lsn: bigint, txId: number) => event(null, lsn, { sequence: null, txId });
    expect(postgresql.order(bare(1n, 7), bare(2n, 7)).order).toBe("before");
    expect(postgresql.order(bare(1n, 7), bare(2n, 8))).toMatchObject({
      order: "unordered",
      why: expect.stringContaining("no sequence"),
    });
  });

  test("records of an incremental snapshot have no place of their own", () => {
    expect(postgresql.order(event(1n, 2n, { snapshot: "incremental" }), event(1n, 2n)).order).toBe(
      "unordered",
    );
  });

  test("order is antisymmetric, and total where both have a sequence and commits tell transactions apart", () => {
    const anyEvent = fc
      .tuple(fc.bigInt({ min: 0n, max: 5n }), fc.bigInt({ min: 0n, max: 5n }))
      .map(([commit, lsn]) => event(commit, lsn, { txId: commit }));
    fc.assert(
      fc.property(anyEvent, anyEvent, anyEvent, (a, b, c) => {
        const [ab, ba] = [postgresql.order(a, b).order, postgresql.order(b, a).order];
        expect(ab).not.toBe("unordered");
        expect(ba).toBe(opposite[ab]);
        if (ab !== "after" && postgresql.order(b, c).order !== "after")
          expect(postgresql.order(a, c).order).not.toBe("after");
      }),
    );
  });
});

describe("order of an offset and an event: before means that it would be sent again", () => {
  const committed = offset({ lsn: 100, lsn_proc: 100, lsn_commit: 100, messageType: "COMMIT", txId: 1 });
  const begun = offset({ lsn: 100, lsn_proc: 100, lsn_commit: 100, messageType: "BEGIN", txId: 2 });
  const inside = offset({ lsn: 120, lsn_proc: 120, lsn_commit: 100, messageType: "INSERT", txId: 2 });

  test.each([
    ["after a COMMIT, its own LSN is the next change", committed, event(100n, 100n), "before"],
    ["after a COMMIT, a change that ran beside it may lie lower", committed, event(100n, 80n), "before"],
    ["after a COMMIT, a change of that transaction is covered", committed, event(50n, 90n), "after"],
    ["after a BEGIN, an equal LSN is new", begun, event(100n, 100n), "before"],
    ["inside a transaction, an equal LSN is covered", inside, event(100n, 120n), "equal"],
    ["inside a transaction, a lower LSN is covered", inside, event(100n, 110n), "after"],
    ["inside a transaction, a higher LSN is new", inside, event(100n, 121n), "before"],
    ["a change after a later commit is new", inside, event(130n, 60n), "before"],
  ] as const)("%s", (_, at, change, expected) => {
    expect(postgresql.order(at, change).order).toBe(expected);
    expect(postgresql.order(change, at).order).toBe(opposite[expected]);
  });

  test("3.7: of several events at the offset's LSN only a number is known", () => {
    const shared = offset({
      lsn: 120,
      lsn_proc: 100,
      lsn_commit: 100,
      lsn_events_processed: 3,
      messageType: "INSERT",
    });
    expect(postgresql.order(shared, event(100n, 120n))).toEqual({
      order: "unordered",
      why: "Several events share this LSN; the first 3 of them were sent.",
    });
    expect(postgresql.order(shared, event(100n, 130n)).order).toBe("before");
  });

  test("stored at the end of a snapshot: streamed changes from its LSN on are new", () => {
    const end = offset({ lsn: 27334520, txId: 740, ts_usec: 1795957614786458 });
    expect(postgresql.order(end, event(null, 27334520n)).order).toBe("before");
    expect(postgresql.order(end, event(27334656n, 27334696n)).order).toBe("before");
    expect(postgresql.order(end, event(100n, 120n)).order).toBe("after");
  });

  test("a running snapshot covers nothing that can be told", () => {
    const running = offset({ lsn: 5, snapshot: "INITIAL", snapshot_completed: false });
    expect(postgresql.order(running, event(1n, 2n)).order).toBe("unordered");
  });
});

describe("captured run: the transaction numbers are the truth", () => {
  const changes = capturedEvents("postgresql").filter((e) => e.op !== "r");
  const txIds = (e: { source: JsonObject }) => Number(e.source.txId);
  const read = (e: { source: JsonObject }) => {
    const { position } = postgresql.decodeSource(e.source);
    if (!position) throw new Error("no position");
    return position;
  };

  test("sorted by position over all topics, transactions come in the order of their numbers", () => {
    const sorted = [...changes].sort((a, b) => {
      const { order } = postgresql.order(read(a), read(b));
      return order === "before" ? -1 : order === "after" ? 1 : 0;
    });
    expect(sorted.map(txIds)).toEqual(changes.map(txIds).sort((a, b) => a - b));
  });

  test.each([
    [27334832, 742],
    [27334968, 743],
    [27335160, 744],
    [27354240, 751],
    [27636464, 771],
  ])("the offset at the COMMIT %i of transaction %i covers just the ones up to it", (lsn, txId) => {
    const at = offset({ lsn, lsn_proc: lsn, lsn_commit: lsn, messageType: "COMMIT", txId });
    for (const change of changes)
      expect(postgresql.order(at, read(change)).order).toBe(txIds(change) <= txId ? "after" : "before");
  });
});

describe("distance and identity", () => {
  test("OFF-01 distance is counted in bytes, without rounding", () => {
    const from = offset({ lsn: 9007199254740993n });
    const to = offset({ lsn: 9007199254741001n });
    expect(postgresql.distance(from, to)).toEqual({ amount: 8n, unit: "bytes of WAL" });
    expect(postgresql.distance(to, from)).toEqual({ amount: -8n, unit: "bytes of WAL" });
  });

  test("every captured change has an identity of its own", () => {
    const changes = capturedEvents("postgresql").filter((e) => e.op !== "r");
    const ids = changes.map((e) => postgresql.identity(e)).flatMap((i) => (i.id === null ? [] : [i.id]));
    expect(ids).toHaveLength(changes.length);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test("a re-read has none, and a change without key says what may hide in it", () => {
    const source = { lsn: 7, txId: 1 };
    expect(postgresql.identity({ topic: "t", key: "1", op: "r", source }).id).toBeNull();
    expect(postgresql.identity({ topic: "t", key: null, op: "c", source })).toMatchObject({
      caveat: expect.stringContaining("no key"),
    });
    expect(postgresql.identity({ topic: "t", key: "1", op: "c", source: {} }).id).toBeNull();
  });
});

test("a source block that cannot be read says why", () => {
  expect(postgresql.decodeSource({ lsn: "abc" }).problems[0]?.text).toBe(
    'lsn is "abc", not an LSN as a whole number.',
  );
  expect(postgresql.decodeSource({}).problems[0]?.text).toContain("neither lsn nor sequence");
  expect(postgresql.decodeSource({ lsn: 1, sequence: "x" }).problems[0]?.text).toContain("sequence");
});
