import type { ReplayWindow } from "@/lib/observed/replay-window";
import { byteCount, duration } from "../duration";
import { uncounted } from "./known-window";

const whole = new Intl.NumberFormat("en-GB", { maximumFractionDigits: 0 });

/** `41,000 events`, `1 event`, `no event`. */
export function eventCount(events: number, one = "event"): string {
  if (events === 0) return `no ${one}`;
  return `${whole.format(events)} ${events === 1 ? one : `${one}s`}`;
}

/** Before a figure: how sure it is. */
export const sureness: Readonly<Record<NonNullable<ReplayWindow["bound"]>, string>> = {
  exact: "",
  about: "about ",
  "at-most": "at most ",
  "at-least": "at least ",
};

/** `about 41,000 events (44 s of writes)`; without the time where that is not known or nothing. */
function eventsWithBound(events: number, bound: ReplayWindow["bound"], spanMs: number | null = null): string {
  // No fewer than none are possible.
  const how = events === 0 && bound === "at-most" ? "" : sureness[bound ?? "about"];
  const writes = spanMs !== null && spanMs >= 1 && events > 0 ? ` (${duration(spanMs)} of writes)` : "";
  return `${how}${eventCount(events)}${writes}`;
}

/** A bracket is told whole when its figures differ by more than this part of the upper one. */
const wide = 0.1;

/** Both figures by time, in records, where nothing better is known and they differ much; null: the one figure tells it. */
export function toldBracket({
  kind,
  by,
  bound,
  events,
  byTime: { low, high },
}: ReplayWindow): { low: number; high: number } | null {
  if (kind !== "events" || by !== "time" || bound !== "at-most") return null;
  if (!low || !high || high.records !== events) return null;
  return high.records - low.records > wide * high.records ? { low: low.records, high: high.records } : null;
}

/** `110 to 1,210 events` where only so much is known; else as `eventsWithBound`. */
export function windowEvents(window: ReplayWindow, spanMs: number | null = null): string {
  const bracket = toldBracket(window);
  if (!bracket) return eventsWithBound(window.events ?? 0, window.bound, spanMs);
  return `${whole.format(bracket.low)} to ${eventsWithBound(bracket.high, "exact", spanMs)}`;
}

/**
 * `41,000 events, 26.8 MiB, 44 s of writes`: every figure that is known.
 * @param told the number of events in words
 */
export function figures(
  { events, bound, bytes, spanMs }: Pick<ReplayWindow, "events" | "bound" | "bytes" | "spanMs">,
  told = eventsWithBound(events ?? 0, bound),
): string {
  return [
    events === null ? null : told,
    bytes === null ? null : byteCount(BigInt(Math.round(bytes))),
    spanMs === null ? null : `${duration(spanMs)} of writes`,
  ]
    .filter((part) => part !== null)
    .join(", ");
}

/**
 * What a crash would cost now, one sentence for the head of a page; for a connector that stands still, what its next
 * start costs. Null where that is not known: the window's `why` says so.
 */
export function crashSentence(window: ReplayWindow): string | null {
  const { standsStill } = window;
  const [when, would] =
    standsStill === null ? ["If this connector crashed now", "would"] : ["When it starts again", "will"];
  const said = whatComesAgain(window, would);
  return said === null ? null : `${when}, ${said}.`;
}

function whatComesAgain(window: ReplayWindow, would: string): string | null {
  const { kind, events, bound, spanMs } = window;
  switch (kind) {
    case "exactly-once":
      return `no event ${would} be produced again: its offsets are committed in the transactions of its records`;
    case "snapshot":
      return `its snapshot ${would} begin again${events ? `, ${eventsWithBound(events, bound).replaceAll("event", "row")} so far` : ""}`;
    case "no-commit":
      return `it ${would} start as new, for no offset is stored${events ? `: ${eventsWithBound(events, bound).replaceAll("event", "record")} so far; a start ${would} read the tables again` : ""}`;
    case "events":
      if (events === null) return null;
      // Nothing was counted, and not all could be: that is no 0.
      if (events === 0 && bound === "at-least" && window.byTime.low === null) return null;
      if (events === 0 && bound === "at-least" && uncounted(window) !== null)
        return `what was deleted since the last commit ${would} be produced again, and how much that is cannot be counted`;
      if (events === 0 && bound === "at-least")
        return `hardly any event ${would} be produced again: none came since the last commit`;
      return `${windowEvents(window, spanMs)} ${would} be produced again`;
    default:
      return null;
  }
}
