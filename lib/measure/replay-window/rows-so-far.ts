/** Ends of one partition, as the fleet look tells them. */
export interface HeldPartition {
  end: number;
  /** The first offset still there; null: not known. */
  earliest: number | null;
  /** The first offset since the run of the task began; null: not asked. */
  sinceRun: number | null;
}

export interface RowsSoFar {
  records: number;
  bound: "at-most" | "at-least" | "about";
}

/**
 * How much was produced so far of what a start from the beginning would send again. Since the run began where that is known
 * (`about`), as a snapshot begins with a run; else whatever lies in the topics, which older runs may have written (`at-most`).
 * Where records were deleted, or a topic cannot be counted, more was produced than is left (`at-least`). It bounds nothing of
 * what a start would read: tables may hold other rows by then. Null when nothing is known of a partition.
 *
 * @param gone some of the topics do not exist any more
 */
export function rowsSoFar(partitions: readonly HeldPartition[], gone = false): RowsSoFar | null {
  let records = 0;
  let whole = !gone;
  let older = false;
  for (const { end, earliest, sinceRun } of partitions) {
    const from = sinceRun ?? earliest;
    if (from === null) return null;
    if (sinceRun === null && end > from) older = true;
    if (earliest !== null && earliest > 0 && from <= earliest) whole = false;
    records += Math.max(0, end - from);
  }
  return { records, bound: !whole ? "at-least" : older ? "at-most" : "about" };
}
