import type { ByPosition, ByTime, WindowNote } from "@/lib/observed/replay-window";
import { lossNotes } from "./time-notes";

const whole = new Intl.NumberFormat("en-GB", { maximumFractionDigits: 0 });

/**
 * Whether a count by position lies inside the bracket by time of the same ends and commits, and if not, why. The bracket
 * counts whatever took an offset, so tombstones and rows of a snapshot are added to the events. Null: it lies inside, or its
 * own bound already says why it need not.
 */
export function outsideBracket(byTime: ByTime, count: ByPosition): WindowNote | null {
  const records = count.events + count.tombstones + count.reReads;
  if (byTime.high && records > byTime.high.records) return above(count, records, byTime.high.records);
  if (byTime.low && records < byTime.low.records) return below(byTime, count, records, byTime.low.records);
  return null;
}

/** Nothing that the offset does not cover can be older than the offset's own source time, unless two clocks disagree. */
function above({ bound }: ByPosition, records: number, high: number): WindowNote | null {
  if (bound === "at-most" || bound === "about") return null;
  return {
    slug: "source-clock-ahead",
    text: `${whole.format(records)} records by position are more than the ${whole.format(high)} since the offset's source time: the source's clock is ahead of the Connect worker's.`,
  };
}

/** Notes of either method that say which offsets later than the commit are none of the count's. */
const explaining = [
  "other-connector",
  "compacted",
  "transactions",
  "deleted",
  ...lossNotes,
  "replay-seen",
  "append-time",
];

function below(byTime: ByTime, count: ByPosition, records: number, low: number): WindowNote | null {
  if (count.bound === "at-least" || count.bound === "about") return null;
  if ([...byTime.notes, ...count.notes].some((n) => explaining.includes(n.slug))) return null;
  return {
    slug: "outside-bracket",
    text: `${whole.format(records)} records by position are fewer than the ${whole.format(low)} offsets later than the commit: some hold no record any more, or copies of changes, or the clocks of two workers disagree.`,
  };
}
