import type { Truth } from "./lab";
import type { LedgerRow } from "./plan";
import type { TopicRecord } from "./reader";

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

/** What a record says of its row. */
export interface Change {
  op: string;
  /** The row's number: that of the change, of a delete the one that the row had. */
  number: number;
  /** Primary key; null where the table has none. */
  id: number | null;
  /** Read by an incremental snapshot. */
  incremental: boolean;
}

/** Reads a written table's record; null for one without a row. */
export function changeOf(value: string): Change | null {
  const event = JSON.parse(value) as Envelope;
  const row = event.op === "d" ? event.before : event.after;
  if (!row) return null;
  const incremental = event.source?.snapshot === "incremental";
  return { op: event.op, number: row.change_no, id: row.id ?? null, incremental };
}

/** What no two events of one topic share. */
export function identityOf(op: string, number: number, id: number | null): string {
  return `${op} ${number} ${id ?? ""}`;
}

/** Counts one topic's records. */
export interface Tally {
  add(record: Pick<TopicRecord, "value">): void;
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

  function add({ value }: Pick<TopicRecord, "value">): void {
    if (value === null) {
      tombstones += 1;
      return;
    }
    const change = changeOf(value);
    if (!change) return;
    const { op, number, id, incremental } = change;
    if (op === "r") {
      reReads += 1;
      if (!incremental) {
        const at = id ?? `number ${number}`;
        read.set(at, Math.max(read.get(at) ?? 0, number));
      }
      return;
    }
    records += 1;
    seen.add(identityOf(op, number, id));
  }

  function wasSeen(row: LedgerRow): boolean {
    const number = row.op === "d" ? (row.rowNo ?? row.changeNo) : row.changeNo;
    if (seen.has(identityOf(row.op, number, row.id))) return true;
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
