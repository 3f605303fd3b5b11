import type { Failure } from "@/lib/observed/observation";
import type { MeasuredPartitionRow } from "@/lib/store/measured-partitions";
import { allFound, measuredRange, type Progress, progressSchema } from "./stretches";

/** One partition of a connector's topic, as the loop over duplicates keeps it. */
export interface KeptPartition {
  connector: string;
  topic: string;
  partition: number;
  progress: Progress;
  /** At the last look at which it could be had. */
  end: number;
  /** Looks in a row at which the end lay before what was measured. */
  shortFor: number;
  /** Timestamps of the ends of what was measured, milliseconds since 1970; null: not known. */
  fromAt: number | null;
  toAt: number | null;
  /** Of which offset `fromAt` is; null: of none. */
  fromOffset: number | null;
  /** The first offset of the last 24 hours; null: not known. */
  dayFrom: number | null;
  /** The end when that was asked for; null: not yet. */
  dayEnd: number | null;
  /** The look that last measured something of it, by number: those that waited longest come first. */
  servedAt: number;
  /** Why it could not be measured at the last try. */
  failure: Failure | null;
}

/** A partition that is stored; null where another version stored it: then it is measured again. */
export function restored(row: MeasuredPartitionRow): KeptPartition | null {
  const progress = progressSchema.safeParse(row.carried);
  if (!progress.success) return null;
  return {
    ...keptPartition(row.connector, row.topic, row.partition, progress.data),
    end: row.to,
    fromOffset: row.from,
    fromAt: row.fromAt?.getTime() ?? null,
    toAt: row.toAt?.getTime() ?? null,
  };
}

export function keptPartition(
  connector: string,
  topic: string,
  partition: number,
  progress: Progress,
): KeptPartition {
  return {
    connector,
    topic,
    partition,
    progress,
    end: progress.bottom,
    shortFor: 0,
    fromAt: null,
    toAt: null,
    fromOffset: null,
    dayFrom: null,
    dayEnd: null,
    servedAt: 0,
    failure: null,
  };
}

/** The row in which it is stored; null before anything was measured. */
export function rowOf(kept: KeptPartition): MeasuredPartitionRow | null {
  const { connector, topic, partition, progress, fromAt, toAt } = kept;
  const found = allFound(progress);
  const range = measuredRange(progress);
  if (!found || !range) return null;
  return {
    connector,
    topic,
    topicId: progress.topicId,
    partition,
    ...range,
    fromAt: fromAt === null ? null : new Date(fromAt),
    toAt: toAt === null ? null : new Date(toAt),
    carried: progress,
    found,
  };
}
