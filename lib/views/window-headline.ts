import { toldBracket } from "@/lib/checks/replay/window-words";
import type { ReplayWindow } from "@/lib/observed/replay-window";
import { countOf, formatBytes, formatCount, formatDuration } from "./format";

type Bound = NonNullable<ReplayWindow["bound"]>;

const boundWords: Readonly<Record<Bound, string>> = {
  exact: "",
  about: "about ",
  "at-most": "at most ",
  "at-least": "at least ",
};

const boundSigns: Readonly<Record<Bound, string>> = {
  exact: "",
  about: "≈ ",
  "at-most": "≤ ",
  "at-least": "≥ ",
};

/** "At most 0" is 0, and "at least 0" says nothing. */
function boundOf({ events, bound }: ReplayWindow): Bound {
  return bound === "at-most" && events === 0 ? "exact" : (bound ?? "about");
}

/** `41,000 events`, `at most 310 events`, `0 events`, `0 events or more`. */
function bounded(window: ReplayWindow, one: string): string {
  const count = countOf(window.events ?? 0, one);
  const bound = boundOf(window);
  return bound === "at-least" && window.events === 0 ? `${count} or more` : `${boundWords[bound]}${count}`;
}

/** `110 to 1,210 events`; null where one figure tells it. */
function between(window: ReplayWindow): string | null {
  const told = toldBracket(window);
  return told && `${formatCount(told.low)} to ${countOf(told.high, "event")}`;
}

/** The window as the first thing a person reads of it. */
export function windowHeadline(window: ReplayWindow): string {
  if (window.kind === "unknown" || window.events === null) return "unknown";
  if (window.kind === "snapshot") return `the whole snapshot, ${bounded(window, "row")} so far`;
  if (window.kind === "no-commit")
    return `no commit yet, ${bounded(window, "record")} so far; a start would read the tables again`;
  return between(window) ?? bounded(window, "event");
}

/** The same in a table cell: `41,000`, `≤ 310`, `0`, `unknown`, `snapshot`. */
export function shortWindow(window: ReplayWindow): string {
  if (window.kind === "unknown" || window.events === null) return "unknown";
  if (window.kind === "snapshot") return "snapshot";
  if (window.kind === "no-commit") return "no commit";
  return `${boundSigns[boundOf(window)]}${formatCount(window.events)}`;
}

/** `44 s of writes, 26.8 MiB`; null where there is nothing to add. */
export function besideWindow(window: ReplayWindow): string | null {
  const { kind, events, bytes, spanMs } = window;
  if (kind === "unknown" || events === 0) return null;
  const span =
    spanMs === null ? [] : [`${spanMs < 1_000 ? "under 1\u00a0s" : formatDuration(spanMs)} of writes`];
  const size = bytes === null ? [] : [`${toldBracket(window) ? "up to " : ""}${formatBytes(bytes)}`];
  const parts = [...span, ...size];
  return parts.length === 0 ? null : parts.join(", ");
}

/** `38,900 to 43,200`, `38,900 or more`, `43,200 or fewer`; null without either. */
function bracket({ byTime: { low, high } }: ReplayWindow): string | null {
  if (low && high)
    return low.records === high.records
      ? formatCount(low.records)
      : `${formatCount(low.records)} to ${formatCount(high.records)}`;
  if (low) return `${formatCount(low.records)} or more`;
  return high ? `${formatCount(high.records)} or fewer` : null;
}

/** A count by position stands for the same poll when its ends are at most this much older, in milliseconds. */
const samePollMs = 1_000;

function positionHow({ at, byPosition, bound }: ReplayWindow): string {
  const sure = bound === "exact" ? ", exact" : "";
  const olderMs = byPosition ? Date.parse(at) - Date.parse(byPosition.at) : 0;
  if (olderMs <= samePollMs) return `by position${sure}`;
  return `by position${sure}, read ${formatDuration(olderMs)} before`;
}

/** Of a start from the beginning: which records of its topics were counted. */
const startHow: Readonly<Record<Bound, string>> = {
  exact: "all records in its topics",
  about: "by offsets since its run began",
  "at-most": "all records in its topics",
  "at-least": "the records left in its topics: others were deleted",
};

/** How the headline was got, with the other method's figure beside it. */
export function howWindow(window: ReplayWindow): string {
  const range = bracket(window);
  if (window.kind === "snapshot" || window.kind === "no-commit") return startHow[window.bound ?? "about"];
  if (window.by === "position")
    return range ? `${positionHow(window)} · by time ${range}` : positionHow(window);
  // A headline that is the bracket need not be told twice.
  if (window.by === "time") return range && !toldBracket(window) ? `by time, ${range}` : "by time";
  return window.by === "exactly-once" ? "seen: transactional batches" : "not counted";
}
