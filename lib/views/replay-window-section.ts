import type { JudgedConnector } from "@/lib/checks/judged";
import { freshness, whyNoValue } from "./freshness";
import type { ReplayWindowSection } from "./replay-window-schema";
import type { PollIntervals } from "./surroundings";
import { besideWindow, howWindow, windowHeadline } from "./window-headline";
import { exactlyOnceWords, flushIntervalWords, windowNotes } from "./window-notes";

/** Limits of replay-window-large for one connector; null: no such limit. */
export type WindowLimits = ReplayWindowSection["limits"];

const noLimits: WindowLimits = { events: null, bytes: null, spanMs: null };

const ofSink =
  "A sink connector has no replay window: what it reads again after a crash is told by its consumer group's offsets.";

function none(connector: JudgedConnector): Pick<ReplayWindowSection, "whyNone" | "remedy" | "noneIsFact"> {
  if (connector.report.value?.type === "sink") return { whyNone: ofSink, remedy: null, noneIsFact: true };
  const window = connector.window ?? null;
  const whyNone = whyNoValue(window, "The replay window");
  return { whyNone, remedy: whyNone ? (window?.failure?.remedy ?? null) : null, noneIsFact: false };
}

/** The replay window of one connector: its figures as they are, and in words. */
export function replayWindowSection(input: {
  connector: JudgedConnector;
  poll: PollIntervals;
  now: Date;
  limits?: WindowLimits;
}): ReplayWindowSection {
  const { connector, poll, now } = input;
  const lack = none(connector);
  const window = lack.whyNone === null ? (connector.window?.value ?? null) : null;
  return {
    freshness: freshness(lack.noneIsFact ? null : (connector.window ?? null), poll.replayWindow, now),
    ...lack,
    window,
    words: window && {
      headline: windowHeadline(window),
      beside: besideWindow(window),
      how: howWindow(window),
      notes: windowNotes(window),
      flushInterval: flushIntervalWords(window.flushInterval),
      exactlyOnce: exactlyOnceWords(window.exactlyOnce),
    },
    limits: input.limits ?? noLimits,
  };
}
