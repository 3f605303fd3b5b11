import { events } from "@/lib/collect/replay-window/testing/known-connector";
import { runIdAt } from "@/lib/collect/replay-window/testing/made-up-events";

/** A record as a test writes it. */
export interface Made {
  partition: number;
  /** Null: it is no change, and comes once. */
  key: string | null;
  value: string;
  run: string | null;
  /** Milliseconds since 1970. */
  timestamp: number;
}

/** What there is to find. */
export interface Figures {
  records: number;
  events: number;
  duplicates: number;
  replays: {
    partition: number;
    firstOffset: number;
    lastOffset: number;
    count: number;
    firstCopyOf: number;
  }[];
}

/**
 * By brute force: a value that was there before is a copy, and copies in a row are one replay.
 * @param from what lies before that offset of partition 0 is gone
 */
export function figuresOf(records: readonly Made[], from = 0): Figures {
  const figures: Figures = { records: 0, events: 0, duplicates: 0, replays: [] };
  for (const partition of [0, 1]) {
    const first = new Map<string, number>();
    let open: Figures["replays"] = [];
    for (const [offset, { key, value }] of records.filter((one) => one.partition === partition).entries()) {
      if (partition === 0 && offset < from) continue;
      figures.records += 1;
      if (key === null) continue;
      figures.events += 1;
      const firstCopyOf = first.get(value);
      if (firstCopyOf === undefined) {
        first.set(value, offset);
        figures.replays.push(...open.splice(0));
        continue;
      }
      figures.duplicates += 1;
      const [begun = { partition, firstOffset: offset, lastOffset: offset, count: 0, firstCopyOf }] = open;
      open = [{ ...begun, lastOffset: offset, count: begun.count + 1 }];
    }
    figures.replays.push(...open);
  }
  return figures;
}

/** An hour ago: all that is written is of the last day. */
const began = Date.now() - 3_600_000;

/** Changes of the source from `first` to before `last`, as the n-th run writes them. */
export function changes(partition: number, run: number, first: number, last: number): Made[] {
  const written = events("shop", 1_000 + first * 10, last - first, began + run * 10_000 + first);
  return written.map((one) => ({ ...one, partition, run: runIdAt(began - 60_000 + run * 1_000, run) }));
}
