import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { databases } from "./testing/databases";
import { alone, type History, histories, type Laid, lay } from "./testing/histories";
import { WholeCount } from "./whole-count";

interface Span {
  partition: number;
  first: number;
  last: number;
  count: number;
}

/** By the numbers of the changes, which no record tells: what came again, and which of it is one replay. */
function naive({ records, truth }: Laid) {
  const delivered = new Map<number, number>();
  const open = new Map<string, { span: Span; copyOf: number } | null>();
  const spans: Span[] = [];
  let duplicates = 0;
  records.forEach(({ partition, offset, runId }, i) => {
    const n = truth[i] ?? null;
    if (n === null) return;
    const lane = `${partition} ${runId}`;
    const copyOf = delivered.get(n);
    if (copyOf === undefined) {
      delivered.set(n, offset);
      open.set(lane, null);
      return;
    }
    duplicates += 1;
    const current = open.get(lane);
    if (current && current.copyOf < copyOf) {
      current.span.last = offset;
      current.span.count += 1;
      current.copyOf = copyOf;
    } else {
      const span = { partition, first: offset, last: offset, count: 1 };
      spans.push(span);
      open.set(lane, { span, copyOf });
    }
  });
  spans.sort((a, b) => a.partition - b.partition || a.first - b.first);
  return { duplicates, distinct: delivered.size, spans };
}

function counted({ records }: Laid) {
  const count = new WholeCount();
  for (const record of records) count.add(record);
  return count.result("t");
}

function compare(laid: Laid) {
  const { duplicates, distinct, spans } = naive(laid);
  const result = counted(laid);
  expect({ duplicates: result.duplicates, distinct: result.distinct }).toEqual({ duplicates, distinct });
  expect(result.rate).toBe(distinct === 0 ? null : duplicates / (duplicates + distinct));
  expect(
    result.replays.map(({ partition, firstOffset, lastOffset, count }) => ({
      partition,
      first: firstOffset,
      last: lastOffset,
      count,
    })),
  ).toEqual(spans);
  expect(result.replays.every(({ bound }) => bound === "exact")).toBe(true);
  const of = (kind: string) => laid.records.filter((record) => record.kind === kind).length;
  expect(result.records).toBe(of("change") + of("snapshot") + of("tombstone"));
  expect(result.reReads).toBe(of("snapshot"));
  // What comes again is older than what came before it, and no fault.
  expect(result.keyOrderViolations).toBe(0);
  expect(result.notMeasurable).toEqual([]);
}

const runs = (property: (history: History) => void) =>
  fc.assert(fc.property(histories, property), { numRuns: 25 });

describe.each(databases)("random logs of %s", (database) => {
  test("duplicates and replays are what a set of the changes' own numbers tells", () => {
    runs((history) => compare(lay(history, database, { runIds: true, metadata: false })));
    runs((history) => compare(lay(history, database, { runIds: true, metadata: true })));
  });

  test("without run ids too, where only one task writes", () => {
    runs((history) => compare(lay(alone(history), database, { runIds: false, metadata: false })));
  });
});
