import type { ReplayHistoryView } from "@/lib/views/replay-window-schema";
import type { WindowRange } from "@/lib/views/window-range";
import type { Trouble } from "./watch-banner";

/** How the window was over the chosen time, as far as it has arrived. */
export interface ReplayHistory {
  range: WindowRange;
  setRange(range: WindowRange): void;
  /** Of the range that is chosen, or of the one before while the new one is on its way. */
  view: ReplayHistoryView | undefined;
  /** Why the newest request for it failed. */
  trouble: Trouble | null;
}

/** `1 h`, as the range is written; `last hour`, as it is read. */
export const rangeWords: Readonly<Record<WindowRange, { short: string; long: string }>> = {
  "1h": { short: "1\u00a0h", long: "last hour" },
  "24h": { short: "24\u00a0h", long: "last 24\u00a0hours" },
  "7d": { short: "7\u00a0d", long: "last 7\u00a0days" },
};
