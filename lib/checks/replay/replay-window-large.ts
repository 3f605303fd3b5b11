import type { ReplayWindow } from "@/lib/observed/replay-window";
import type { ConnectorCheck, ReplayLimits } from "../check";
import { clock } from "../clock";
import { byteCount, duration } from "../duration";
import { wholeSentence } from "../known";
import { sayer } from "../say";
import type { Evidence, RemedyStep, Verdict } from "../verdict";
import {
  type KnownWindow,
  knownWindow,
  newestCommit,
  uncounted,
  unseenTopic,
  whyUnknown,
} from "./known-window";
import { smallerWindow } from "./smaller-window";
import { crashSentence, eventCount, figures, toldBracket, windowEvents } from "./window-words";

const say = sayer("replay-window-large");
const limitsFrom = "settings: checks.replay, or replay of the cluster or the connector";

export const replayWindowLarge: ConnectorCheck = {
  subject: "connector",
  slug: "replay-window-large",
  group: "replay",
  title: "Replay window large",
  looksAt:
    "How much would be produced again if the connector crashed now, or did within the last ten minutes.",
  severity: "warning",
  judge(facts, limits, now) {
    const known = knownWindow(say, facts, now);
    if ("outcome" in known) return known;
    const { window } = known;
    switch (window.kind) {
      case "unknown":
        return say.unknown(whyUnknown(window));
      case "exactly-once":
        return say.ok("0", "A crash leaves nothing to produce again: transactional batches were seen.");
      case "snapshot":
        return say.notApplicable(
          "A snapshot is under way: a crash would begin it again, whatever is committed.",
        );
      case "no-commit":
        return say.notApplicable("No offset is stored: a start would be its first.");
      case "events":
        return judgeEvents(facts.connector, known, limits.replay(facts.connector), now);
    }
  },
};

function judgeEvents(connector: string, known: KnownWindow, limits: ReplayLimits, judgedAt: Date): Verdict {
  const { window } = known;
  const sentence = crashSentence(window);
  if (sentence === null) return say.unknown(whyUnknown(window));
  if (limits.events === null && limits.bytes === null && limits.spanMs === null)
    return say.notApplicable("No limit is set for the replay window.");
  const more = { evidence: evidenceOf(window, limits), remedy: remedyOf(connector, known) };
  const over = overLimit(window, limits);
  const now = windowEvents(window);
  if (over !== null)
    return say.warning({
      ...more,
      short: now,
      sentence: `${sentence} That ${isOver(window, limits) ? "is" : "can be"} more than the limit of ${over}.`,
    });
  const { recentWorst } = window;
  if (recentWorst && limits.events !== null && recentWorst.events > limits.events) {
    const worst = eventCount(recentWorst.events);
    return say.warning({
      ...more,
      short: worst,
      sentence: `A crash at ${clock(recentWorst.at, judgedAt)} would have produced ${worst} again, more than the limit of ${eventCount(limits.events)}. Now it would be ${now}.`,
    });
  }
  const unseen = unseenTopic(window);
  if (unseen !== null) return say.unknown(`Not every topic can be seen. ${wholeSentence(unseen)}`);
  const missing = uncounted(window);
  if (missing !== null) return say.unknown(`Not all can be counted. ${wholeSentence(missing)}`);
  const apart = notCompared(window, limits);
  const but = apart.length === 0 ? "" : ` Not known is ${apart.join(" and ")}.`;
  return say.ok("within limits", `A crash would produce no more again than the limits allow.${but}`);
}

/** The limits that there is no figure to compare with. */
function notCompared({ events, bytes, spanMs }: ReplayWindow, limits: ReplayLimits): string[] {
  if (events === 0) return [];
  return [
    ...(limits.bytes !== null && bytes === null ? ["how many bytes that is"] : []),
    ...(limits.spanMs !== null && spanMs === null ? ["how long it took to write"] : []),
  ];
}

/** The limits that the window is over now, in words; null when it is over none. */
function overLimit({ events, bytes, spanMs }: ReplayWindow, limits: ReplayLimits): string | null {
  const over = [
    limits.events !== null && (events ?? 0) > limits.events ? eventCount(limits.events) : null,
    limits.bytes !== null && (bytes ?? 0) > limits.bytes ? byteCount(BigInt(limits.bytes)) : null,
    limits.spanMs !== null && (spanMs ?? 0) > limits.spanMs ? `${duration(limits.spanMs)} of writes` : null,
  ].filter((part) => part !== null);
  return over.length === 0 ? null : over.join(" and of ");
}

/** Whether the lower figure of a bracket is over a limit as well. */
function isOver(window: ReplayWindow, limits: ReplayLimits): boolean {
  const { low } = window.byTime;
  if (toldBracket(window) === null || low === null) return true;
  return overLimit({ ...window, events: low.records, bytes: low.bytes }, limits) !== null;
}

function evidenceOf(window: ReplayWindow, limits: ReplayLimits): Evidence[] {
  const { recentWorst, flushInterval, at, byTime } = window;
  const committed = newestCommit(window);
  const set = [
    limits.events === null ? null : eventCount(limits.events),
    limits.bytes === null ? null : byteCount(BigInt(limits.bytes)),
    limits.spanMs === null ? null : `${duration(limits.spanMs)} of writes`,
  ].filter((part) => part !== null);
  const line = (label: string, value: string | null, from: string): Evidence[] =>
    value === null ? [] : [{ label, value, from }];
  return [
    ...line(
      "now",
      figures(window, windowEvents(window)),
      `${window.by === "position" ? "records read by position" : "end offsets by time"}, ${at}`,
    ),
    ...line("by time", bracket(byTime), "brokers, offsets by time"),
    ...line(
      "worst of the last ten minutes",
      recentWorst && `${eventCount(recentWorst.events)} at ${recentWorst.at}`,
      "Tidemark's own polls",
    ),
    ...line("limit", set.join(", "), limitsFrom),
    ...line(
      "newest commit",
      committed === null
        ? null
        : `${new Date(committed).toISOString()}, ${duration(Date.parse(at) - committed)} before`,
      "offset topic",
    ),
    ...line(
      "flush interval",
      flushInterval.ms === null
        ? `not known${flushInterval.why ? `: ${flushInterval.why}` : ""}`
        : duration(flushInterval.ms),
      flushInterval.ms === null
        ? "offset topic"
        : `inferred from ${flushInterval.commits} commits${flushInterval.of === "cluster" ? " of the cluster's connectors" : ""}`,
    ),
  ];
}

/** `40,100 to 44,200 events`, `at least 40,100 events`; null where neither bound is known. */
function bracket({ low, high }: ReplayWindow["byTime"]): string | null {
  if (low && high)
    return low.records === high.records
      ? eventCount(low.records, "record")
      : `${low.records.toLocaleString("en-US")} to ${eventCount(high.records, "record")}`;
  if (low) return `at least ${eventCount(low.records, "record")}`;
  return high && `at most ${eventCount(high.records, "record")}`;
}

function remedyOf(connector: string, { config, report, window }: KnownWindow): RemedyStep[] {
  const versions = [report.connector?.version ?? null];
  return [
    ...smallerWindow(connector, config, versions, window.flushInterval.ms),
    {
      text: "Or, if so many events twice harm nobody, raise the limit: checks.replay in the settings, or replay of this connector alone.",
      command: null,
    },
  ];
}
