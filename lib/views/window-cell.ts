import type { JudgedConnector } from "@/lib/checks/judged";
import type { ReplayWindow } from "@/lib/observed/replay-window";
import { asSentence, formatAge } from "./format";
import { freshness, whyNoValue } from "./freshness";
import type { WindowCell } from "./replay-window-schema";
import { besideWindow, howWindow, shortWindow, windowHeadline } from "./window-headline";

/** The check whose verdict colours the cell. */
const largeSlug = "replay-window-large";

function sentence(window: ReplayWindow): string {
  if (window.kind === "unknown") return asSentence(window.why ?? "The replay window is not known.");
  if (window.kind === "exactly-once")
    return "A crash now would produce nothing again: exactly-once, seen in transactional batches.";
  const beside = besideWindow(window);
  const still = window.standsStill ? ` It stands still: the connector is ${window.standsStill}.` : "";
  const what = `${windowHeadline(window)}${beside ? ` (${beside})` : ""}`;
  return `A crash now would produce again: ${what}; ${howWindow(window)}.${still}`;
}

function outcome(connector: JudgedConnector, window: ReplayWindow, late: boolean): WindowCell["outcome"] {
  const large = connector.verdicts.find((v) => v.slug === largeSlug)?.outcome;
  if (large === "warning" || large === "critical") return "warning";
  return window.kind === "unknown" || late ? "unknown" : "ok";
}

/**
 * The replay window in a row of the fleet.
 * @param pollMs how often the window is looked at, in milliseconds
 */
export function windowCell(
  connector: JudgedConnector,
  { spark = [], pollMs, now }: { spark?: readonly (number | null)[]; pollMs: number; now: Date },
): WindowCell {
  if (connector.report.value?.type === "sink")
    return {
      text: "–",
      sentence: "A sink connector has no replay window.",
      events: null,
      outcome: "not-applicable",
      spark: [],
    };
  const observation = connector.window ?? null;
  const window = observation?.value ?? null;
  if (!window)
    return {
      text: "unknown",
      sentence: whyNoValue(observation, "The replay window") ?? "The replay window is not known.",
      events: null,
      outcome: "unknown",
      spark: [...spark],
    };
  const { late, asOf } = freshness(observation, pollMs, now);
  const old = late && asOf ? ` Seen ${formatAge(now.getTime() - Date.parse(asOf), " ago")}.` : "";
  return {
    text: shortWindow(window),
    sentence: `${sentence(window)}${old}`,
    events: window.kind === "unknown" ? null : window.events,
    outcome: outcome(connector, window, late),
    spark: [...spark],
  };
}
