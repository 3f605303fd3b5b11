import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Order } from "@/lib/debezium/positions/position";
import { type Mark, ReplayCount, type WalkedRecord } from "./replay-count";

const order = (a: unknown, b: unknown): Order => {
  if (a === "other server" || b === "other server") return { order: "unordered", why: "Another server." };
  const [x, y] = [a as number, b as number];
  return { order: x < y ? "before" : x > y ? "after" : "equal" };
};
const isEarlier = (runId: string) => runId < "run 5";

function markAt(position: number, atMark: Record<string, number> = { "a c": 1 }): Mark {
  return { position, offset: 99, atMark: new Map(Object.entries(atMark)) };
}

function counted(mark: Mark, records: WalkedRecord[]): ReplayCount {
  const count = new ReplayCount("run 5", mark, order, isEarlier);
  for (const record of records) count.add(record);
  return count;
}

const change = (offset: number, position: unknown, identity = "a c", runId = "run 5"): WalkedRecord => ({
  kind: "change",
  offset,
  position,
  identity,
  runId,
});
const none = (offset: number, runId: string | null = "run 5"): WalkedRecord => ({
  kind: "none",
  offset,
  runId,
});

describe("what a new run produced again", () => {
  test("counts up to the mark, without tombstones and rows of snapshots, and is over above it", () => {
    const count = counted(markAt(12, { "z d": 1 }), [
      none(100),
      change(101, 10),
      none(102),
      change(103, 11),
      change(104, 13),
      change(105, 11),
    ]);
    expect(count).toMatchObject({ count: 2, firstOffset: 101, lastOffset: 103, over: true, fault: null });
  });

  test("is over with the mark's own record, whether or not anything follows", () => {
    expect(counted(markAt(12), [change(100, 11), change(101, 12)])).toMatchObject({ count: 2, over: true });
    expect(counted(markAt(12), [change(100, 11)])).toMatchObject({ count: 1, over: false });
  });

  test("nothing was produced again where the first change lies above the mark", () => {
    expect(counted(markAt(12), [none(100), change(101, 13)])).toMatchObject({
      count: 0,
      firstOffset: -1,
      lastOffset: -1,
      over: true,
    });
  });

  test("of several changes at the mark's position only those that were there before count", () => {
    const mark = markAt(12, { "a c": 1, "b c": 2 });
    const records = [change(100, 12, "a c"), change(101, 12, "new c"), change(102, 12, "b c")];
    expect(counted(mark, records)).toMatchObject({ count: 2, over: false });
    expect(counted(mark, [...records, change(103, 12, "b c")])).toMatchObject({ count: 3, over: true });
    expect(counted(mark, [...records, change(103, 12, "a c")])).toMatchObject({ count: 2, over: false });
  });

  test("a run that dies in the middle of its replay ends it", () => {
    const count = counted(markAt(12), [change(100, 9), change(101, 10, "a c", "run 6"), change(102, 11)]);
    expect(count).toMatchObject({ count: 1, over: true, fault: null });
  });

  test("a record of an earlier run behind the new one's cannot be counted", () => {
    const count = counted(markAt(12), [change(100, 9), change(101, 12, "a c", "run 4"), change(102, 10)]);
    expect(count).toMatchObject({ over: false });
    expect(count.fault).toContain("two tasks wrote at the same time");
  });

  test("a position that does not compare with the mark cannot be counted", () => {
    expect(counted(markAt(12), [change(100, "other server")]).fault).toBe("Another server.");
  });

  test("equals the duplicates that a set of everything delivered before would find", () => {
    // Runs over one source log of 40 changes, several at a position; each starts somewhere at or before where a run
    // before had got to, and dies somewhere.
    const cuts = fc.array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(12)), {
      minLength: 1,
      maxLength: 6,
    });
    fc.assert(
      fc.property(cuts, fc.array(fc.nat(3), { minLength: 40, maxLength: 40 }), (runs, widths) => {
        const log = widths.flatMap((width, at) => Array.from({ length: width + 1 }, (_, n) => ({ at, n })));
        const delivered = new Set<string>();
        let reached = 0;
        let committed = 0;
        for (const [share, length] of runs) {
          const start = committed + Math.floor(share * (reached - committed));
          const sent = log.slice(start, start + length);
          const duplicates = sent.filter(({ at, n }) => delivered.has(`${at}/${n}`)).length;
          const top = log[reached - 1];
          if (top) {
            const atMark = log.slice(0, reached).filter(({ at }) => at === top.at);
            const mark = markAt(top.at, Object.fromEntries(atMark.map(({ n }) => [`${n}`, 1])));
            const records = sent.map(({ at, n }, i) => change(100 + i, at, `${n}`));
            expect(counted(mark, records).count).toBe(duplicates);
          }
          for (const { at, n } of sent) delivered.add(`${at}/${n}`);
          committed = start;
          reached = Math.max(reached, start + sent.length);
        }
      }),
    );
  });
});
