import fc from "fast-check";
import { expect, test } from "vitest";
import type { DeliveredRecord } from "@/lib/debezium/events/delivered-record";
import { Samples } from "./samples";
import { scanFigures } from "./scan-figures";
import { StateUnreadable } from "./state-bytes";
import { bareRecord, change } from "./testing/delivered";
import { WholeCount } from "./whole-count";

const secret = Buffer.from("a secret");
const limits = { identities: 10_000, keys: 1_000 };

/** What happens next in one partition. `back`: how far a new run begins below the one before. */
const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ kind: fc.constant("change" as const), op: fc.constantFrom("c", "u", "d") }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("run" as const), back: fc.integer({ min: 0, max: 9 }) }),
  },
  fc.record({ kind: fc.constant("late" as const), by: fc.integer({ min: 1, max: 12 }) }),
  fc.record({ kind: fc.constant("reset" as const) }),
  fc.record({ kind: fc.constant("snapshot" as const), row: fc.integer({ min: 0, max: 6 }) }),
  fc.record({ kind: fc.constantFrom("tombstone" as const, "unreadable" as const, "truncate" as const) }),
  fc.record({ kind: fc.constant("keyless" as const), times: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ kind: fc.constant("aborted" as const), by: fc.integer({ min: -3, max: 6 }) }),
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

type Laid = DeliveredRecord & { aborted?: true };

/** A row's records are all in one partition, as its key says. */
const rowOf = (partition: number, row: number) => `["public.orders","${partition} ${row}"]`;

/** One partition, as a source whose changes are numbered would fill it. */
function lay(steps: readonly Step[], partition: number, runIds: boolean): Laid[] {
  const laid: Laid[] = [];
  let [next, run, epoch] = [100, 0, 0];
  const ops = new Map<string, string>();
  const at = (n: number, more: Partial<Laid> = {}) => {
    const name = `${partition} ${epoch} ${n}`;
    const op = ops.get(name) ?? more.op ?? "u";
    ops.set(name, op);
    const record = change(laid.length, n, runIds ? `run ${run}` : null, {
      ...{ partition, op, identity: `tx ${name} ${more.rowKey === null ? "keyless" : op}` },
      ...(more.rowKey === null
        ? { rowKey: null, caveat: more.caveat ?? null }
        : { rowKey: rowOf(partition, n % 7) }),
    });
    laid.push(more.aborted ? { ...record, aborted: true } : record);
  };
  for (const one of steps) {
    if (one.kind === "change") at(next++, { op: one.op });
    else if (one.kind === "run") {
      run++;
      next = Math.max(100, next - one.back);
    } else if (one.kind === "late") at(Math.max(1, next - one.by));
    else if (one.kind === "reset") {
      epoch++;
      run++;
      next = 90;
    } else if (one.kind === "snapshot")
      laid.push({
        ...bareRecord("snapshot", laid.length),
        partition,
        rowKey: `["public.orders","${one.row}"]`,
      });
    else if (one.kind === "truncate") at(next++, { op: "t", rowKey: null });
    else if (one.kind === "keyless") {
      for (let i = 0; i < one.times; i++) at(next, { rowKey: null, caveat: "No key." });
      next++;
    } else if (one.kind === "aborted") at(next + one.by, { aborted: true });
    else laid.push({ ...bareRecord(one.kind, laid.length), partition });
  }
  return laid;
}

const partitions = fc.array(fc.tuple(fc.array(step, { maxLength: 60 }), fc.boolean()), {
  minLength: 1,
  maxLength: 3,
});

test("while all is drawn the figures are those of a count with everything in memory, also when stopped half-way", () => {
  fc.assert(
    fc.property(partitions, fc.nat(59), (all, stop) => {
      const whole = new WholeCount();
      const parts = all.map(([steps, runIds], partition) => {
        let samples = new Samples({ secret, ...limits });
        lay(steps, partition, runIds).forEach((record, i) => {
          if (i === stop) samples = Samples.fromState(samples.toState(), { secret, ...limits });
          if (record.aborted) {
            whole.addAborted(record);
            samples.addAborted(record);
          } else {
            whole.add(record);
            samples.add(record);
          }
        });
        return samples;
      });
      const { from, to, share, sampled, interval, violations, ...expected } = whole.result("orders");
      const figures = scanFigures(parts);
      const { records, events, duplicates, rate, reReads, snapshotOverlap, keyOrderViolations } = expected;
      expect(figures).toMatchObject({
        ...{
          records,
          events,
          duplicates,
          rate,
          reReads,
          snapshotOverlap,
          keyOrderViolations,
          share,
          sampled,
        },
        interval: interval === null ? null : [expect.closeTo(interval[0], 9), expect.closeTo(interval[1], 9)],
        uncommittedCopies: expected.uncommittedCopies,
      });
      const told = (list: typeof expected.notMeasurable) =>
        list.map(({ slug, count }) => [slug, count]).sort((a, b) => String(a).localeCompare(String(b)));
      expect(told(figures.notMeasurable)).toEqual(told(expected.notMeasurable));
      const iso = (time: number | null) => (time === null ? null : new Date(time).toISOString());
      expect([iso(figures.from), iso(figures.to)]).toEqual([from, to]);
      if (violations.length < 20)
        expect(figures.violations.map((v) => [v.of, v.offset, v.after]).sort()).toEqual(
          violations.map((v) => [v.partition, v.offset, v.after]).sort(),
        );
    }),
    { numRuns: 400 },
  );
});

test("a damaged state is refused, never read as another one", () => {
  const samples = new Samples({ secret, ...limits });
  for (const record of lay(
    [
      { kind: "change", op: "c" },
      { kind: "late", by: 1 },
    ],
    0,
    true,
  ))
    samples.add(record);
  const state = samples.toState();
  for (let length = 0; length < state.length; length++)
    expect(() => Samples.fromState(state.subarray(0, length), { secret, ...limits })).toThrow(
      StateUnreadable,
    );
  expect(() => Samples.fromState(Buffer.concat([state, state]), { secret, ...limits })).toThrow("left over");
});
