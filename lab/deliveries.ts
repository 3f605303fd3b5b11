import type { Lab } from "./lab";
import { ledgerOf } from "./ledger";
import type { LedgerRow } from "./plan";
import { openReader, type TopicRecord } from "./reader";
import { writtenTables } from "./tables";
import { type Change, changeOf, identityOf, newTally, type Tally } from "./tally";

/** A change that had been delivered before: to the same partition, by an earlier offset. */
export interface Copy {
  offset: number;
  /** Where it lay first. */
  first: number;
  /** The run of the task that wrote it; null without Debezium 3.4's headers. */
  run: string | null;
}

/**
 * Copies of one run, with no change of that run between them that is none, and in the order of their first copies: where
 * these begin again, another replay began.
 */
export interface Stretch {
  run: string | null;
  firstOffset: number;
  lastOffset: number;
  /** Copies: tombstones and rows of snapshots may lie between. */
  count: number;
}

/** What one partition holds, told from the row numbers in its records and from nothing else. */
export interface PartitionTruth {
  topic: string;
  partition: number;
  /** The offset before which all was read. */
  end: number;
  /** Change records. */
  records: number;
  copies: Copy[];
  stretches: Stretch[];
  /** Records of snapshots (`op` = `r`). */
  reReads: number;
  tombstones: number;
}

/** The truth by partition of topics that are read on and on: each look reads what is new only. */
export interface Deliveries {
  /** Reads up to what is committed now. @throws LabFault when nothing comes for 30 s */
  read(): Promise<PartitionTruth[]>;
  /** Takes down what is committed now, for `missing`. */
  takeDown(): Promise<void>;
  /** What was committed when it was taken down and is in no topic as far as it was read. */
  missing(): { topic: string; rows: LedgerRow[] }[];
}

/**
 * Finds each copy of a change by its number, operation and key. Positions play no part, so what is concluded from them can be
 * held against it. Runs only part two stretches that touch: a run killed in its replay, and the replay of the next.
 */
export function openDeliveries(
  lab: Lab,
  topics = writtenTables(lab.state).map(({ topic }) => topic),
): Deliveries {
  const tables = writtenTables(lab.state).filter(({ topic }) => topics.includes(topic));
  const partitions = new Map<string, PartitionTally>();
  const committed = new Map<string, LedgerRow[]>();
  const tallies = new Map<string, Tally>(topics.map((topic) => [topic, newTally()]));

  function add(record: TopicRecord): void {
    const name = `${record.topic}/${record.partition}`;
    const tally = partitions.get(name) ?? newPartitionTally(record.topic, record.partition);
    partitions.set(name, tally);
    if (tally.add(record)) tallies.get(record.topic)?.add(record);
  }

  return {
    async read() {
      const from = new Map([...partitions].map(([name, { truth }]) => [name, BigInt(truth.end)]));
      const reader = await openReader(lab, topics, add, from);
      try {
        for (const [name, end] of await reader.readToEnd()) {
          const slash = name.lastIndexOf("/");
          const made = newPartitionTally(name.slice(0, slash), Number(name.slice(slash + 1)));
          const { truth } = partitions.get(name) ?? made;
          // Behind the last record may lie markers of transactions.
          truth.end = Math.max(truth.end, Number(end));
          partitions.set(name, partitions.get(name) ?? made);
        }
      } finally {
        await reader.close();
      }
      return [...partitions.values()].map(({ truth }) => structuredClone(truth));
    },
    async takeDown() {
      for (const table of tables) committed.set(table.topic, await ledgerOf(lab, table));
    },
    missing: () =>
      [...committed]
        .map(([topic, ledger]) => ({ topic, rows: tallies.get(topic)?.unseen(ledger) ?? [] }))
        .filter(({ rows }) => rows.length > 0),
  };
}

export interface PartitionTally {
  truth: PartitionTruth;
  /** @returns false for a record that was given before */
  add(record: Pick<TopicRecord, "offset" | "value" | "run">): boolean;
}

/** The truth about one partition, of which nothing was read yet. */
export function newPartitionTally(topic: string, partition: number): PartitionTally {
  const truth: PartitionTruth = {
    topic,
    partition,
    end: 0,
    records: 0,
    copies: [],
    stretches: [],
    reReads: 0,
    tombstones: 0,
  };
  const first = new Map<string, number>();
  /** The stretch that each run is in; none after a change of its that is no copy. */
  const open = new Map<string | null, { stretch: Stretch; first: number }>();

  function addChange(change: Change, offset: number, run: string | null): void {
    truth.records += 1;
    const identity = identityOf(change.op, change.number, change.id);
    const before = first.get(identity);
    if (before === undefined) {
      first.set(identity, offset);
      open.delete(run);
      return;
    }
    truth.copies.push({ offset, first: before, run });
    const goesOn = open.get(run);
    if (goesOn && before > goesOn.first) {
      goesOn.first = before;
      goesOn.stretch.lastOffset = offset;
      goesOn.stretch.count += 1;
    } else {
      const stretch = { run, firstOffset: offset, lastOffset: offset, count: 1 };
      open.set(run, { stretch, first: before });
      truth.stretches.push(stretch);
    }
  }

  return {
    truth,
    add({ offset, value, run }) {
      const at = Number(offset);
      if (at < truth.end) return false;
      truth.end = at + 1;
      const change = value === null ? null : changeOf(value);
      if (value === null) truth.tombstones += 1;
      else if (change?.op === "r") truth.reReads += 1;
      else if (change) addChange(change, at, run);
      return true;
    },
  };
}
