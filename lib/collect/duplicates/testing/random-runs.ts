import fc from "fast-check";

/** One record of a made-up partition: the n-th change of the source, as a run delivered it. */
export interface MadeRecord {
  run: number;
  /** Of a change or of the tombstone behind it: which change; of a row of a snapshot: any number. */
  n: number;
  kind: "change" | "snapshot" | "tombstone";
}

/** What a run does. */
const plan = fc.record({
  /** Changes behind the highest delivered one at which it begins; below 0: a graceful start, right behind it. */
  back: fc.oneof(
    { weight: 3, arbitrary: fc.integer({ min: -1, max: 3 }) },
    { weight: 3, arbitrary: fc.integer({ min: 0, max: 60 }) },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: 200 }) },
  ),
  /** Changes that it produces before it dies. */
  length: fc.oneof(
    { weight: 1, arbitrary: fc.integer({ min: 0, max: 5 }) },
    { weight: 2, arbitrary: fc.integer({ min: 1, max: 80 }) },
    { weight: 2, arbitrary: fc.integer({ min: 50, max: 300 }) },
  ),
  /** Changes that the run before it still writes between its own, and between how many. */
  zombie: fc.oneof(
    { weight: 5, arbitrary: fc.constant(0) },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: 30 }) },
  ),
  every: fc.integer({ min: 1, max: 6 }),
  /** Rows of a snapshot that it reads first, and one between so many changes (0: none). */
  snapshotRows: fc.oneof(
    { weight: 5, arbitrary: fc.constant(0) },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: 100 }) },
  ),
  rowEvery: fc.oneof(
    { weight: 4, arbitrary: fc.constant(0) },
    { weight: 1, arbitrary: fc.integer({ min: 2, max: 9 }) },
  ),
});

/** Whether the n-th change is a delete, which a tombstone follows. */
export const isDelete = (n: number) => n % 7 === 3;

/** Random lives of a connector: crashes, graceful restarts, runs that die in a replay, zombies, snapshots between. */
export function randomRuns(
  options: { zombies?: boolean; snapshots?: boolean } = {},
): fc.Arbitrary<MadeRecord[]> {
  const { zombies = true, snapshots = true } = options;
  return fc.array(plan, { minLength: 1, maxLength: 6 }).map((plans) => {
    const records: MadeRecord[] = [];
    let reached = -1;
    let before = { run: -1, next: 0 };
    plans.forEach((one, run) => {
      const rows = snapshots ? one.snapshotRows : 0;
      for (let i = 0; i < rows; i++) records.push({ run, n: i, kind: "snapshot" });
      let next = Math.max(0, one.back < 0 ? reached + 1 : reached - one.back);
      let zombie = zombies && before.run >= 0 ? one.zombie : 0;
      for (let i = 0; i < one.length; i++) {
        deliver(records, run, next);
        reached = Math.max(reached, next);
        next += 1;
        if (snapshots && one.rowEvery > 0 && i % one.rowEvery === 0)
          records.push({ run, n: i, kind: "snapshot" });
        if (zombie > 0 && i % one.every === 0) {
          zombie -= 1;
          deliver(records, before.run, before.next);
          reached = Math.max(reached, before.next);
          before.next += 1;
        }
      }
      if (one.length > 0) before = { run, next };
    });
    return records;
  });
}

function deliver(records: MadeRecord[], run: number, n: number): void {
  records.push({ run, n, kind: "change" });
  if (isDelete(n)) records.push({ run, n, kind: "tombstone" });
}

/** Stretches of consecutive changes, for a person: `0: c0-12 t3`. */
export function inShort(records: readonly MadeRecord[]): string {
  const parts: string[] = [];
  let [from, last]: (MadeRecord | null)[] = [null, null];
  let first = 0;
  const flush = (end: number) => {
    if (from && last)
      parts.push(`@${first} run ${from.run}: ${from.kind} ${from.n}-${last.n} (${end - first})`);
  };
  records.forEach((record, offset) => {
    if (record.kind === "tombstone") return;
    const goesOn = last && last.run === record.run && last.kind === record.kind && record.n === last.n + 1;
    if (!goesOn) {
      flush(offset);
      from = record;
      first = offset;
    }
    last = record;
  });
  flush(records.length);
  return parts.join("\n");
}

/** The copies among them by a set of all that was delivered. */
export function copiesIn(records: readonly MadeRecord[]): number[] {
  const delivered = new Set<number>();
  return records.flatMap(({ kind, n }, offset) => {
    if (kind !== "change") return [];
    const copy = delivered.has(n);
    delivered.add(n);
    return copy ? [offset] : [];
  });
}
