import type { DuplicatesView } from "@/lib/views/duplicates-schema";
import type { Trouble } from "./watch-banner";

/** Times over which replays can be looked at, with their lengths in milliseconds. */
const day = 86_400_000;
export const replayRanges = ["24h", "7d", "90d"] as const;
export type ReplayRange = (typeof replayRanges)[number];
export const replayRangeMs: Readonly<Record<ReplayRange, number>> = {
  "24h": day,
  "7d": 7 * day,
  "90d": 90 * day,
};

/** `24 h`, as the range is written; `last 24 hours`, as it is read. */
export const replayRangeWords: Readonly<Record<ReplayRange, { short: string; long: string }>> = {
  "24h": { short: "24\u00a0h", long: "last 24\u00a0hours" },
  "7d": { short: "7\u00a0d", long: "last 7\u00a0days" },
  "90d": { short: "90\u00a0d", long: "last 90\u00a0days" },
};

/** The replays of the chosen time, as far as they have arrived. */
export interface DuplicatesHistory {
  range: ReplayRange;
  setRange(range: ReplayRange): void;
  view: DuplicatesView | undefined;
  trouble: Trouble | null;
  /** The one that a link or a click opens; null: none. */
  opened: string | null;
  open(id: string | null): void;
  /** It by itself, where it is not of the chosen time. */
  linked: { view: DuplicatesView | undefined; trouble: Trouble | null };
  /** Links to the same as files. */
  files: { csv: string; json: string };
}
