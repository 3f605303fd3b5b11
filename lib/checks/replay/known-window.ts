import { lossNotes } from "@/lib/measure/replay-window/time-notes";
import type { ConnectorReport } from "@/lib/observed/connector";
import type { ReplayWindow } from "@/lib/observed/replay-window";
import type { ConnectorFacts } from "../check";
import { knownReport, notOurs } from "../connector-report";
import { known, wholeSentence } from "../known";
import type { sayer } from "../say";
import type { Verdict } from "../verdict";

/** What a check of the replay window judges by. */
export interface KnownWindow {
  report: ConnectorReport;
  config: NonNullable<ConnectorReport["config"]>;
  window: ReplayWindow;
}

type Sayer = ReturnType<typeof sayer>;

/** The connector with its replay window, or the verdict that says why there is none to go by. */
export function knownWindow(say: Sayer, facts: ConnectorFacts, now: Date): KnownWindow | Verdict {
  const report = knownReport(facts, now);
  if (report.why !== undefined) return say.unknown(report.why);
  const foreign = notOurs(report.value);
  if (foreign) return say.notApplicable(foreign);
  const { config } = report.value;
  if (!config) return say.unknown("Connect did not report the configuration.");
  const window = known("the replay window", facts.window ?? null, now);
  if (window.why !== undefined) {
    const remedy = facts.window?.failure?.remedy ?? null;
    return say.unknown(window.why, { remedy: remedy === null ? [] : [{ text: remedy, command: null }] });
  }
  return { report: report.value, config, window: window.value };
}

/** Why there is no figure, as a sentence. */
export function whyUnknown(window: ReplayWindow): string {
  return wholeSentence(window.why ?? unseenTopic(window) ?? "the replay window is not known");
}

/** Why a topic that carries changes could not be looked at; null when all could. Of one that is deleted `uncounted` tells. */
export function unseenTopic({ topics }: ReplayWindow): string | null {
  const unseen = topics.find((t) => t.failure !== null && t.failure.kind !== "not-found");
  return unseen?.failure ? unseen.failure.sentence : null;
}

/**
 * Why the figure leaves out what a crash would send: records, or a whole topic, that were deleted within the window. Null when it
 * does not.
 */
export function uncounted({ by, byTime, byPosition }: ReplayWindow): string | null {
  const { notes } = by === "position" && byPosition ? byPosition : byTime;
  return notes.find((n) => lossNotes.includes(n.slug))?.text ?? null;
}

/** The newest commit among those that count, milliseconds since 1970; null when no time of one is known. */
export function newestCommit({ commits }: ReplayWindow): number | null {
  const times = commits.flatMap(({ committedAt }) => (committedAt === null ? [] : [Date.parse(committedAt)]));
  return times.length === 0 ? null : Math.max(...times);
}
