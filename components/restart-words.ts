import type { Restart } from "@/lib/observed/window-series";
import { formatCount } from "@/lib/views/format";

/** What kind of end the run before had, as far as what was produced again tells. */
export function restartCause({ replayed, state }: Restart): string {
  if (state === "measuring") return "restart, being measured";
  if (replayed === null) return "restart, not measurable";
  return replayed === 0 ? "clean restart" : "unclean restart";
}

/** The same on the chart: `restart: 9,812 again`. */
export function restartInShort({ replayed, state }: Restart): string {
  if (state === "measuring") return "restart, measuring";
  if (replayed === null) return "restart";
  return replayed === 0 ? "clean restart" : `restart: ${formatCount(replayed)} again`;
}
