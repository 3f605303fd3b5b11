import fc from "fast-check";
import {
  type DeliveredRecord,
  deliveredRecord,
  type LoggedRecord,
} from "@/lib/debezium/events/delivered-record";
import type { JsonObject } from "@/lib/debezium/json";
import { type Database, onServer, type SourceChange, sourceBlock, transactionBlock } from "./databases";
import { runAt } from "./delivered";
import { event, logged } from "./logged";

/** Transactions of a source, and in what stretches its connector's runs sent them. */
export interface History {
  changes: SourceChange[];
  /** Each a run that goes on from where it stopped: `from` and `to` are indexes into `changes`. */
  sent: { run: number; from: number; to: number; snapshot: boolean }[];
}

export const partitions = 3;

const kinds = fc.constantFrom("c", "u", "u", "d", "move");
const transactions = fc.array(
  fc.array(fc.record({ key: fc.nat(5), kind: kinds }), { minLength: 1, maxLength: 6 }),
  { minLength: 1, maxLength: 12 },
);

function changesOf(written: readonly (readonly { key: number; kind: string }[])[]): SourceChange[] {
  const changes: SourceChange[] = [];
  written.forEach((rows, transaction) => {
    let ordinal = 0;
    const add = (key: number, op: SourceChange["op"], pair: boolean) =>
      changes.push({ n: changes.length, transaction, ordinal: ordinal++, key, op, pair });
    for (const { key, kind } of rows) {
      if (kind !== "move") add(key, kind as SourceChange["op"], false);
      else {
        // A changed primary key.
        add(key, "d", false);
        add(key + 10, "c", true);
      }
    }
  });
  return changes;
}

/**
 * Runs that die anywhere, each followed by one that begins at a place that was committed since the last began: where that
 * run began, or later, at most where it got to. Some are not dead and go on beside the next.
 */
export const histories: fc.Arbitrary<History> = fc
  .record({
    written: transactions,
    steps: fc.array(
      fc.record({
        zombie: fc.boolean(),
        back: fc.nat(100),
        length: fc.integer({ min: 1, max: 25 }),
        snapshot: fc.boolean(),
      }),
      { minLength: 1, maxLength: 8 },
    ),
  })
  .map(({ written, steps }) => {
    const changes = changesOf(written);
    const runs: { from: number; at: number }[] = [];
    const sent: History["sent"] = [];
    for (const { zombie, back, length, snapshot } of steps) {
      const last = runs.at(-1);
      const goesOn = zombie && runs.length > 1 ? runs.length - 2 : null;
      const from = last ? last.from + (back % (last.at - last.from + 1)) : 0;
      const run = goesOn ?? runs.push({ from, at: from }) - 1;
      const one = runs[run];
      if (!one) continue;
      const to = Math.min(changes.length, one.at + length);
      if (to > one.at) sent.push({ run, from: one.at, to, snapshot });
      one.at = to;
    }
    return { changes, sent };
  });

export interface Laid {
  records: DeliveredRecord[];
  /** What they were read from. */
  logged: LoggedRecord[];
  /** The number of each change; null for what is none. In the order of `records`. */
  truth: (number | null)[];
}

/** Lays a history into partitions as the connector would, with tombstones, rows of snapshots and heartbeats. */
export function lay(
  { changes, sent }: History,
  database: Database,
  options: { runIds: boolean; metadata: boolean; serverOf?: (run: number) => number },
): Laid {
  const ends = Array.from({ length: partitions }, () => 0);
  const laid: Laid = { records: [], logged: [], truth: [] };
  const put = (key: number, make: (offset: number) => LoggedRecord, n: number | null) => {
    const partition = key % partitions;
    const offset = ends[partition] ?? 0;
    ends[partition] = offset + 1;
    const record = make(offset);
    laid.logged.push(record);
    laid.records.push(deliveredRecord(record, { topic: "t", partition }, null, null));
    laid.truth.push(n);
  };
  const begins = new Map<number, SourceChange | undefined>();
  for (const { run, from, to, snapshot } of sent) {
    if (!begins.has(run)) begins.set(run, changes[from]);
    const begun = begins.get(run);
    const headers: JsonObject = options.runIds ? { "__debezium.context.runId": runAt(run) } : {};
    for (const change of changes.slice(from, to)) {
      const block = sourceBlock(database, change);
      const source = onServer(block, options.serverOf?.(run) ?? 0);
      // Numbered anew where a run goes on within a transaction.
      const skipped = change.transaction === begun?.transaction ? begun.ordinal : 0;
      const transaction = options.metadata ? transactionBlock(change, skipped) : null;
      put(
        change.key,
        (o) => withHeaders(event(o, { id: change.key }, change.op, source, transaction), headers),
        change.n,
      );
      if (change.op === "d") put(change.key, (o) => logged(o, { id: change.key }, null), null);
    }
    if (!snapshot) continue;
    const read = { ...sourceBlock(database, changes[from] as SourceChange), snapshot: "incremental" };
    put(1, (o) => withHeaders(event(o, { id: 1 }, "r", read), headers), null);
    put(2, (o) => logged(o, { serverName: "shop" }, { ts_ms: 1_789_367_000_000 }), null);
  }
  return laid;
}

function withHeaders(record: ReturnType<typeof event>, headers: JsonObject) {
  return { ...record, headers: logged(0, null, null, headers).headers };
}

/** Without what a run writes after a later one has begun. */
export function alone({ changes, sent }: History): History {
  return { changes, sent: sent.filter(({ run }, i) => !sent.slice(0, i).some((one) => one.run > run)) };
}
