import fc from "fast-check";
import type { JsonObject } from "@/lib/debezium/json";
import { EventLog, type EventRecord } from "./event-log";
import { eventText, runIdAt } from "./made-up-events";

/** A database, a task that is killed and started again, and its topics: made up after the facts, and told in full. */
export interface Plan {
  /** Changes of each transaction. */
  transactions: number[];
  /** For each run of the task: how far it gets beyond where it starts, and how much of that it commits, from 0 to 100. */
  runs: { sends: number; commits: number }[];
  /** Records of a batch at most. */
  batch: number;
  /** Of the 16 values of a key, which partition it goes to: numbers below 4. */
  spread: number[];
  /** Every so manieth change is a delete. */
  deletes: number;
  /** The offset's last message is the COMMIT, or the BEGIN of the next transaction, where it can be. */
  boundary: "COMMIT" | "BEGIN" | "none";
  runIds: boolean;
  /** Milliseconds by which the first run begins behind: long ago, or as changes are made. */
  lag: number;
}

export interface Change {
  index: number;
  transaction: number;
  /** From 0. */
  inTransaction: number;
  last: boolean;
  key: number;
  op: "c" | "d";
}

export interface Played {
  log: EventLog;
  /** Index of the last change that the offset in force covers, -1 for none. */
  covered: number;
  /** Number of that change in its transaction as its run counted, from 1. */
  ordinal: number;
  committedAt: number;
  /** Each change that lies in the topics, with its time of sending; copies too. */
  sent: { change: Change; partition: number; offset: number; at: number }[];
  changes: Change[];
}

const began = 1_789_367_000_000;
/** Milliseconds after `began` at which the source made a change. */
export const madeAt = (change: Change) => began + change.index * 2;
export const topic = "shop.public.orders";

export const plans = (mostTransactions: number): fc.Arbitrary<Plan> =>
  fc.record({
    transactions: fc.array(fc.integer({ min: 1, max: 5 }), {
      minLength: 1,
      maxLength: mostTransactions,
      size: "max",
    }),
    runs: fc.array(
      fc.record({
        sends: fc.integer({ min: 0, max: 100 }),
        commits: fc.integer({ min: 0, max: 100 }),
      }),
      { minLength: 1, maxLength: 4 },
    ),
    batch: fc.integer({ min: 1, max: 40 }),
    spread: fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 16 }),
    deletes: fc.integer({ min: 2, max: 9 }),
    boundary: fc.constantFrom("COMMIT", "BEGIN", "none"),
    runIds: fc.boolean(),
    lag: fc.constantFrom(0, 60_000),
  });

function changesOf(plan: Plan): Change[] {
  const changes: Change[] = [];
  for (const [transaction, size] of plan.transactions.entries())
    for (let i = 0; i < size; i++) {
      const index = changes.length;
      const op = index % plan.deletes === plan.deletes - 1 ? "d" : "c";
      changes.push({ index, transaction, inTransaction: i, last: i === size - 1, key: index % 16, op });
    }
  return changes;
}

/** Plays the plan: what one run after the other sends, and the offset that is in force at the end. */
export function play(plan: Plan, written: (change: Change, ordinal: number) => string): Played {
  const log = new EventLog();
  const changes = changesOf(plan);
  const played: Played = { log, covered: -1, ordinal: 0, committedAt: began - 1, sent: [], changes };
  let clock = began + plan.lag;
  for (const [r, { sends, commits }] of plan.runs.entries()) {
    const start = played.covered + 1;
    // The first run commits something: without an offset in force there is nothing to count from.
    const least = r === 0 ? 1 : 0;
    const end = start + Math.max(least, Math.round(((changes.length - start) * sends) / 100));
    const run = plan.runIds ? runIdAt(clock, r) : null;
    const commitTo = start + Math.max(least, Math.round(((end - start) * commits) / 100));
    const waiting = new Map<number, { record: EventRecord; change: Change | null }[]>();
    const flush = (partition: number) => {
      const records = waiting.get(partition) ?? [];
      if (records.length === 0) return;
      const base = log.write(
        topic,
        partition,
        records.map(({ record }) => record),
      );
      for (const [i, { change, record }] of records.entries())
        if (change) played.sent.push({ change, partition, offset: base + i, at: record.timestamp ?? 0 });
      waiting.set(partition, []);
    };
    let ordinal = 0;
    let committedOrdinal = 0;
    for (let i = start; i < end; i++) {
      const change = changes[i] as Change;
      ordinal = change.inTransaction === 0 ? 1 : ordinal + 1;
      clock = Math.max(clock, madeAt(change)) + 1;
      const partition = plan.spread[change.key % plan.spread.length] ?? 0;
      const key = JSON.stringify({ id: change.key });
      const list = waiting.get(partition) ?? [];
      list.push({ record: { value: written(change, ordinal), key, run, timestamp: clock }, change });
      if (change.op === "d") list.push({ record: { value: null, key, run, timestamp: clock }, change: null });
      waiting.set(partition, list);
      if (list.length >= plan.batch) flush(partition);
      if (i < commitTo) committedOrdinal = ordinal;
      // The flush comes some records after what it covers.
      if (commitTo > start && i === commitTo - 1 + Math.min(7, end - commitTo)) played.committedAt = clock;
    }
    for (const partition of [0, 1, 2, 3]) flush(partition);
    if (commitTo > start) {
      played.covered = commitTo - 1;
      played.ordinal = committedOrdinal;
    }
    clock += 100;
  }
  return played;
}

/** Changes that lie in the topics and are not covered, each once: the truth, by the full list. */
export function trulyUncovered({ sent, covered }: Played): Change[] {
  const distinct = new Map<number, Change>();
  for (const { change } of sent) if (change.index > covered) distinct.set(change.index, change);
  return [...distinct.values()];
}

/** First offset of each partition at or after a time, as brokers tell it; the end when there is none. */
export function offsetAt({ sent, log }: Played, partition: number, at: number): number {
  const later = sent.filter((one) => one.partition === partition && one.at >= at);
  return Math.min(log.of(topic, partition).end, ...later.map(({ offset }) => offset));
}

/** LSN of a transaction's commit. */
const commitLsn = (transaction: number) => 1_000_000 + transaction * 1_000;
/** Transactions ran side by side: the changes of every third lie before the commit of the one before. */
const lsnOf = ({ transaction, inTransaction }: Change) =>
  (transaction % 3 === 2 ? commitLsn(transaction - 2) : commitLsn(transaction - 1)) + inTransaction * 8;

export function postgresValue(change: Change): string {
  const { transaction, op, key } = change;
  const lastCommit = commitLsn(transaction - 1).toString();
  const source: JsonObject = {
    ts_ms: madeAt(change),
    sequence: JSON.stringify([lastCommit, lsnOf(change).toString()]),
    schema: "public",
    table: "orders",
    txId: 700 + transaction,
    lsn: lsnOf(change),
    xmin: null,
  };
  return eventText("postgresql", "shop", { source, op, row: { id: key } });
}

export function postgresOffset(played: Played, boundary: Plan["boundary"]): JsonObject {
  const change = played.changes[played.covered] as Change;
  const micros = { ts_usec: madeAt(change) * 1_000, txId: 700 + change.transaction };
  const commit = commitLsn(change.transaction);
  if (change.last && boundary !== "none")
    return { lsn: commit, lsn_proc: commit, lsn_commit: commit, messageType: boundary, ...micros };
  const lsn = lsnOf(change);
  const before = commitLsn(change.transaction - 1);
  return { lsn, lsn_proc: lsn, lsn_commit: before, messageType: "INSERT", ...micros };
}

export function mariadbValue(change: Change, ordinal: number): string {
  const gtid = `0-223344-${10 + change.transaction}`;
  const source: JsonObject = {
    ts_ms: Math.floor(madeAt(change) / 1_000) * 1_000,
    table: "orders",
    server_id: 223344,
    gtid,
    file: "binlog.000001",
    pos: 500 + change.transaction * 400 + change.inTransaction * 50,
    row: 0,
    thread: null,
    query: null,
  };
  const transaction = { id: gtid, total_order: ordinal, data_collection_order: ordinal };
  return eventText("mariadb", "shop", { source, op: change.op, transaction, row: { id: change.key } });
}

export function mariadbOffset(played: Played, boundary: Plan["boundary"], metadata: boolean): JsonObject {
  const change = played.changes[played.covered] as Change;
  const done = change.last && boundary !== "none";
  const last = 10 + change.transaction;
  const map: JsonObject = {
    file: "binlog.000001",
    pos: 480 + (change.transaction + (done ? 1 : 0)) * 400,
    gtids: `0-223344-${done ? last : last - 1}`,
    server_id: 223344,
    ts_sec: Math.floor(madeAt(change) / 1_000),
  };
  if (done) return boundary === "BEGIN" ? { ...map, transaction_id: `0-223344-${last + 1}` } : map;
  const inside = { ...map, event: 1 + 2 * (change.inTransaction + 1) };
  if (!metadata) return inside;
  const counted = { "transaction_data_collection_order_shop.orders": played.ordinal };
  return { ...inside, transaction_id: `0-223344-${last}`, ...counted };
}
