/** Ends of one partition, as the fleet look tells them. */
export interface HeldPartition {
  end: number;
  /** The first offset still there; null: not known. */
  earliest: number | null;
  /** The first offset since the run of the task began; null: not asked. */
  sinceRun: number | null;
}

/**
 * How much a start from the beginning would send again. Since the run began where that is known, as a snapshot begins with a
 * run; else whatever lies in the topics, which older runs may have written. Null when neither is known of a partition.
 */
export function rowsSoFar(
  partitions: readonly HeldPartition[],
): { records: number; bound: "at-most" | "about" } | null {
  let records = 0;
  let bound: "at-most" | "about" = "about";
  for (const { end, earliest, sinceRun } of partitions) {
    const from = sinceRun ?? earliest;
    if (from === null) return null;
    if (sinceRun === null && end > from) bound = "at-most";
    records += Math.max(0, end - from);
  }
  return { records, bound };
}
