import type { Amount, ByPosition, ByTime, ReplayWindow } from "@/lib/observed/replay-window";

/** The headline of a replay window: how much, by which method, how sure. */
export type Headline = Pick<ReplayWindow, "events" | "by" | "bound" | "bytes" | "spanMs">;

/** A count by position as it stands to the newest look. */
export interface Counted {
  count: ByPosition;
  /** Ends and commits are as they were when it was counted. */
  unchanged: boolean;
  /**
   * Where only the ends have moved since, and it is no older than a poll: the records that came after it, by offsets. Null: it
   * says nothing of the window as it is now.
   */
  since: number | null;
}

/**
 * The figure to show: by position where it was counted at this state, or just before it; else by time, its upper figure, since
 * a window that is told too small is the worse mistake. Null when neither method has one.
 *
 * @param spanMs how long the records by time took to be written; null: not known
 * @param bytesPerRecord for records that are counted by their offsets
 */
export function headlineOf(
  byTime: ByTime,
  counted: Counted | null,
  spanMs: number | null,
  bytesPerRecord: number | null,
): Headline | null {
  if (counted?.unchanged) return byPosition(counted.count);
  if (counted && counted.since !== null)
    return withSince(counted.count, counted.since, spanMs, bytesPerRecord);
  const { low, high } = byTime;
  // No offset was taken since the commit's own time, or its source's: nothing to be wrong about.
  if (high?.records === 0) return { events: 0, by: "time", bound: "exact", bytes: 0, spanMs: 0 };
  if (high) return byOffsets(high, "at-most", spanMs);
  if (low) return byOffsets(low, "at-least", low.records === 0 ? 0 : spanMs);
  return null;
}

const byPosition = ({ events, bound, bytes, spanMs }: ByPosition): Headline => ({
  events,
  by: "position",
  bound,
  bytes,
  spanMs: events === 0 ? 0 : spanMs,
});

/** What came since may hold tombstones and copies: it is more than it counts for, never less. */
function withSince(
  count: ByPosition,
  since: number,
  spanMs: number | null,
  bytesPerRecord: number | null,
): Headline {
  // What is missing from it is not among those either, and what they count for is not known.
  if (count.bound === "at-least") return byPosition(count);
  const bound = count.bound === "about" ? "about" : "at-most";
  const more = bytesPerRecord === null ? null : Math.round(since * bytesPerRecord);
  const span = Math.max(count.spanMs ?? 0, spanMs ?? 0);
  return {
    events: count.events + since,
    by: "position",
    bound,
    bytes: more === null ? null : count.bytes + more,
    spanMs: count.spanMs === null && spanMs === null ? null : span,
  };
}

const byOffsets = (amount: Amount, bound: "at-most" | "at-least", spanMs: number | null): Headline => ({
  events: amount.records,
  by: "time",
  bound,
  bytes: amount.bytes,
  spanMs,
});
