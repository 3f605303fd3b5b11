import { postgresChange, runIdAt, tombstoneOf } from "@/lib/collect/restarts/testing/run-log";

import type { LaidRecord } from "./fake-topic";

export const ordersTopic = "shop.public.orders";
export const firstAt = Date.UTC(2026, 8, 14, 6, 30);

export interface LaidDown {
  /** The n-th change of the source; null with a tombstone. */
  n: number;
  run: number;
  partition?: number;
  tombstone?: boolean;
  op?: string;
}

/** Records of a topic as JSON lines, one second apart, each partition's offsets from `firstOffset` on. */
export function recordLines(records: readonly LaidDown[], firstOffset = 0): string {
  const ends = new Map<number, number>();
  return records
    .map(({ n, run, partition = 0, tombstone = false, op = "c" }, i) => {
      const at = firstAt + i * 1_000;
      const offset = ends.get(partition) ?? firstOffset;
      ends.set(partition, offset + 1);
      const record = tombstone ? tombstoneOf(n, at) : postgresChange(n, runIdAt(firstAt + run), at, op);
      return JSON.stringify({
        topic: ordersTopic,
        partition,
        offset: String(offset),
        timestamp: String(at),
        headers: Object.fromEntries(record.headers.map(({ name, value }) => [name, String(value)])),
        key: JSON.parse(String(record.key)),
        value: record.value === null ? null : JSON.parse(String(record.value)),
      });
    })
    .map((line) => `${line}\n`)
    .join("");
}

/** Changes from one number to before another, all of one run. */
export const changes = (from: number, to: number, run: number, partition = 0): LaidDown[] =>
  Array.from({ length: to - from }, (_, i) => ({ n: from + i, run, partition }));

/** The same records as they lie in the partitions of a topic. */
export function laidRecords(records: readonly LaidDown[]): LaidRecord[][] {
  const partitions: LaidRecord[][] = [];
  for (const [i, { n, run, partition = 0, tombstone = false, op = "c" }] of records.entries()) {
    const at = firstAt + i * 1_000;
    const record = tombstone ? tombstoneOf(n, at) : postgresChange(n, runIdAt(firstAt + run), at, op);
    while (partitions.length <= partition) partitions.push([]);
    partitions[partition]?.push(record);
  }
  return partitions;
}
