import { assemble } from "@/lib/measure/replay-window/assemble";
import { type RowsSoFar, rowsSoFar } from "@/lib/measure/replay-window/rows-so-far";
import type { TopicLookFacts } from "@/lib/measure/replay-window/topic-look";
import type { FlushInterval, ReplayWindow } from "@/lib/observed/replay-window";
import type { WindowPoint } from "@/lib/observed/window-series";
import { type Measured, tablePartitions, unreadTopics } from "./measured";
import { countedAt } from "./window-memory";

/** One connector's window at one poll, from both methods; the memory learns what the next poll compares with. */
export function toWindow(
  measured: Measured,
  flushInterval: FlushInterval,
  poll: number,
  at: Date,
): ReplayWindow {
  const { target, memory, state } = measured;
  const counted = countedAt(memory, state, poll);
  if (memory.end !== null && state.end > memory.end) memory.grewAt = at.getTime();
  memory.end = state.end;
  const input = {
    at,
    type: target.type,
    config: target.config,
    report: target.known.report.value,
    inForce: target.inForce,
    byTime: measured.byTime,
    ownTopics: measured.ownTopics,
    topics: measured.topics,
    counted,
    whyNoPosition: memory.whyNoPosition ?? whyNotCounted(measured),
    held: heldOf(measured),
    transactional: memory.transactional,
    hasRunId: memory.runId !== null,
    bytesPerRecord: memory.bytesPerRecord,
    flushInterval,
    grewAt: memory.grewAt,
  };
  const window = assemble({ ...input, recentWorst: null });
  const { kind, events } = window;
  // A snapshot's rows are no window that a commit makes fall.
  if (events !== null && (kind === "events" || kind === "exactly-once"))
    memory.recentWorst.add(at.getTime(), events);
  const worst = memory.recentWorst.worst(at.getTime());
  return { ...window, recentWorst: worst && { events: worst.events, at: new Date(worst.at).toISOString() } };
}

function whyNotCounted(measured: Measured): string {
  const { target, byTime, memory } = measured;
  if (target.inForce.kind !== "streaming") return "there is no position to count from";
  if (byTime.high?.records === 0) return "nothing to count: no record is newer than the commit's source time";
  if (tablePartitions(measured).length === 0) return "none of its topics could be looked at";
  return memory.waitingSince === null ? "it was not counted yet" : "others are counted before it";
}

function heldOf(measured: Measured): RowsSoFar | null {
  const { inForce, runStart } = measured.target;
  if (inForce.kind !== "snapshot" && inForce.kind !== "no-commit") return null;
  if (unreadTopics(measured).length > 0) return null;
  return rowsSoFar(
    tablePartitions(measured).map(({ end, earliest, since }) => ({
      end,
      earliest,
      sinceRun: runStart === null ? null : since,
    })),
    measured.target.topics.some(({ topic, own }) => !own && isMissing(measured.looks.get(topic))),
  );
}

function isMissing(look: TopicLookFacts | undefined): boolean {
  return look !== undefined && "failure" in look && look.failure.kind === "not-found";
}

/** The window as a point of the series. */
export function toPoint(window: ReplayWindow, produced: number | null): WindowPoint {
  const committed = window.commits.flatMap((c) =>
    c.committedAt === null ? [] : [Date.parse(c.committedAt)],
  );
  return {
    at: Date.parse(window.at),
    between: false,
    produced,
    events: window.events,
    low: window.byTime.low?.records ?? null,
    high: window.byTime.high?.records ?? null,
    by: window.by,
    committedAt: committed.length === 0 ? null : Math.min(...committed),
  };
}

/** A poll at which the window could not be had: it is a part of the series too. */
export const unknownPoint = (at: Date): WindowPoint => ({
  at: at.getTime(),
  between: false,
  produced: null,
  events: null,
  low: null,
  high: null,
  by: null,
  committedAt: null,
});
