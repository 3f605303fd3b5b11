// What the topic of the bench of duplicates holds: changes in the order of their source, some stretches of them written again.
import { createHash } from "node:crypto";
import { runIdAt } from "@/lib/collect/restarts/testing/run-log";
import { dice } from "./dial-recording";
import { type OrderEvent, orderEvent } from "./events";

/** One replay, by offsets in the topic: what it writes again lies right before it. */
export interface WrittenReplay {
  firstOffset: number;
  count: number;
}

const REPLAYS = 20;
const LARGEST = 50_000;

/**
 * Twenty replays of 1 to 50,000 events, each order of magnitude as likely, at random places, none of which reaches into
 * another. The same for the same number of events, of which a small topic's replays are an eightieth at most.
 */
export function replaysAmong(events: number): WrittenReplay[] {
  const random = dice(6);
  const largest = Math.min(LARGEST, Math.floor(events / 80));
  const counts = Array.from({ length: REPLAYS }, (_, i) => Math.round(largest ** (i / (REPLAYS - 1))))
    .map((count) => ({ count, place: random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ count }) => count);
  const free = events - 2 * counts.reduce((sum, count) => sum + count, 0);
  const cuts = counts.map(() => 1 + Math.floor(random() * (free - 1))).sort((a, b) => a - b);
  let taken = 0;
  return counts.map((count, i) => {
    const firstOffset = (cuts[i] ?? 0) + taken + count;
    taken += 2 * count;
    return { firstOffset, count };
  });
}

const start = 1_795_957_675_632;

/** When the event at an offset was produced, milliseconds since 1970: 5,000 a second. */
export const timeAt = (offset: number) => start + Math.floor(offset / 5);

/** The run ids of the topic, the first of which began it, each further one with a replay. */
export function runIdsOf(events: number): string[] {
  return [0, ...replaysAmong(events).map(({ firstOffset }) => firstOffset)].map((offset, i) =>
    runIdAt(timeAt(offset) + i),
  );
}

/** A change of this topic: rows differ, or the log would be half as large as a real one's. */
export function changeOf(change: number): OrderEvent {
  let note = "";
  for (let i = 1; i <= 9; i++) {
    let word = Math.imul(change + i * 0x9e3779b1, 0x85ebca6b);
    word = Math.imul(word ^ (word >>> 13), 0xc2b2ae35);
    note += ` ${((word ^ (word >>> 16)) >>> 0).toString(36)}`;
  }
  return orderEvent(change, note);
}

/** How many events came again. */
export function copiesAmong(events: number): number {
  return replaysAmong(events).reduce((sum, { count }) => sum + count, 0);
}

/** What a reader writes down of an event to know it again. */
export function identityLine(
  event: { op: string; source: { txId: number; lsn: number } },
  key: { id: number },
) {
  return `${event.source.txId}\t${event.source.lsn}\t${key.id}\t${event.op}`;
}

/** One sum over the changes that came again, each a line: readers that agree in it found the same ones. */
export function sumOf(lines: readonly string[]): string {
  return createHash("sha256")
    .update([...lines].sort().join("\n"))
    .digest("hex");
}

/** The sum that each reader has to find. */
export function truthOf(events: number): string {
  const lines: string[] = [];
  let written = 0;
  for (const { firstOffset, count } of replaysAmong(events)) {
    const change = firstOffset - written;
    for (let i = change - count; i < change; i++) {
      const { key, value } = changeOf(i);
      lines.push(identityLine(JSON.parse(value), JSON.parse(key)));
    }
    written += count;
  }
  return sumOf(lines);
}
