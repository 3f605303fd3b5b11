import { setTimeout as sleep } from "node:timers/promises";
import { kafkaClient } from "./broker";
import { LabFault } from "./fault";
import type { Lab, Truth } from "./lab";
import { ledgerOf } from "./ledger";
import type { LedgerRow } from "./plan";
import { openReader, type TopicRecord } from "./reader";
import { type WrittenTable, writtenTables } from "./tables";
import { writeMarkers } from "./writer";

interface Envelope {
  op: string;
  before: Row | null;
  after: Row | null;
  source?: { snapshot?: string | boolean };
}

interface Row {
  id?: number;
  change_no: number;
}

/** Counts one topic's records. */
export interface Tally {
  add(record: Pick<TopicRecord, "value" | "key">): void;
  /** Ledger rows that were not seen. */
  unseen(ledger: readonly LedgerRow[]): LedgerRow[];
  result(topic: string, ledger: readonly LedgerRow[]): Truth;
}

/** A tally of nothing yet. */
export function newTally(): Tally {
  const seen = new Set<string>();
  // The highest number a snapshot saw of each row: earlier changes of that row need not be in the topic.
  const read = new Map<number | string, number>();
  let records = 0;
  let reReads = 0;
  let tombstones = 0;

  function add({ value }: Pick<TopicRecord, "value" | "key">): void {
    if (value === null) {
      tombstones += 1;
      return;
    }
    const event = JSON.parse(value) as Envelope;
    const row = event.op === "d" ? event.before : event.after;
    if (event.op === "r") {
      reReads += 1;
      if (row && event.source?.snapshot !== "incremental") {
        const at = row.id ?? `number ${row.change_no}`;
        read.set(at, Math.max(read.get(at) ?? 0, row.change_no));
      }
      return;
    }
    if (!row) return;
    records += 1;
    seen.add(identity(event.op, row.change_no, row.id ?? null));
  }

  function wasSeen(row: LedgerRow): boolean {
    const number = row.op === "d" ? (row.rowNo ?? row.changeNo) : row.changeNo;
    if (seen.has(identity(row.op, number, row.id))) return true;
    if (row.op === "d") return false;
    return (read.get(row.id ?? `number ${row.changeNo}`) ?? -1) >= row.changeNo;
  }

  const unseen = (ledger: readonly LedgerRow[]) => ledger.filter((row) => !wasSeen(row));
  return {
    add,
    unseen,
    result: (topic, ledger) => ({
      topic,
      records,
      distinct: seen.size,
      duplicates: records - seen.size,
      missing: unseen(ledger).length,
      reReads,
      tombstones,
      committed: ledger.length,
    }),
  };
}

function identity(op: string, number: number, id: number | null): string {
  return `${op} ${number} ${id ?? ""}`;
}

/** The truth about one topic, read whole. @throws LabFault when the writer does not write its table */
export async function truthOf(lab: Lab, topic: string): Promise<Truth> {
  const table = writtenTables(lab.state).find((one) => one.topic === topic);
  if (!table) {
    const known = writtenTables(lab.state).map((one) => one.topic);
    throw new LabFault(
      `The writer writes no table of topic ${topic}. It writes those of: ${known.join(", ")}.`,
    );
  }
  const [truth] = await truthOfTables(lab, [table]);
  if (!truth) throw new Error("no truth");
  return truth;
}

/** The truth about each topic of a written table. */
export function truthOfAll(lab: Lab): Promise<Truth[]> {
  return truthOfTables(lab, writtenTables(lab.state));
}

async function truthOfTables(lab: Lab, tables: readonly WrittenTable[]): Promise<Truth[]> {
  // The ledger first: what is committed while the topic is read is then not taken for missing.
  const ledgers = await readLedgers(lab, tables);
  const { tallies, reader } = await openTallies(lab, tables);
  try {
    await reader.readToEnd();
  } finally {
    await reader.close();
  }
  return tables.map((table) => tallyOf(tallies, table).result(table.topic, ledgers.get(table) ?? []));
}

/**
 * Waits until all that was committed before the call is in the topics, and a replay that was going on is over.
 * @throws LabFault after `timeoutMs`, with what is missing
 */
export async function caughtUp(lab: Lab, timeoutMs: number): Promise<void> {
  const end = Date.now() + timeoutMs;
  const tables = writtenTables(lab.state);
  await writeMarkers(lab);
  const ledgers = await readLedgers(lab, tables);
  await topicsExist(lab, tables, end);
  const { tallies, reader } = await openTallies(lab, tables);
  try {
    for (;;) {
      await reader.readToEnd();
      const behind = tables
        .map((table) => ({
          topic: table.topic,
          rows: tallyOf(tallies, table).unseen(ledgers.get(table) ?? []),
        }))
        .filter(({ rows }) => rows.length > 0);
      if (behind.length === 0) break;
      if (Date.now() > end) {
        const list = behind.map(({ topic, rows }) => `${rows.length} of ${topic}`).join(", ");
        throw new LabFault(
          `Not caught up after ${timeoutMs / 1_000} s; committed and not in the topics: ${list}.`,
        );
      }
      await sleep(300);
    }
  } finally {
    await reader.close();
  }
  // Records of other partitions may be in the same request of the producer.
  await sleep(500);
}

async function readLedgers(
  lab: Lab,
  tables: readonly WrittenTable[],
): Promise<Map<WrittenTable, LedgerRow[]>> {
  const ledgers = new Map<WrittenTable, LedgerRow[]>();
  for (const table of tables) ledgers.set(table, await ledgerOf(lab, table));
  return ledgers;
}

async function openTallies(lab: Lab, tables: readonly WrittenTable[]) {
  const tallies = new Map(tables.map((table) => [table.topic, newTally()]));
  const topics = tables.map((table) => table.topic);
  const reader = await openReader(lab, topics, (record) => tallies.get(record.topic)?.add(record));
  return { tallies, reader };
}

function tallyOf(tallies: Map<string, Tally>, table: WrittenTable): Tally {
  return tallies.get(table.topic) ?? newTally();
}

async function topicsExist(lab: Lab, tables: readonly WrittenTable[], end: number): Promise<void> {
  const admin = kafkaClient(lab.places).admin();
  await admin.connect();
  try {
    for (;;) {
      const known = new Set(await admin.listTopics());
      const lacking = tables.filter((table) => !known.has(table.topic)).map((table) => table.topic);
      if (lacking.length === 0) return;
      if (Date.now() > end) throw new LabFault(`The connectors did not create ${lacking.join(", ")}.`);
      await sleep(300);
    }
  } finally {
    await admin.disconnect();
  }
}
