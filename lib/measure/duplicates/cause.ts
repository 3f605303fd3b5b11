import { runStart } from "@/lib/debezium/events/run-context";
import type { FoundReplay, ReplayCause } from "@/lib/observed/duplicates";
import type { CauseFacts, SeenSpan, StateChange } from "./cause-facts";

export interface Cause {
  cause: ReplayCause;
  /** One sentence: what it was concluded from. */
  causeWhy: string;
}

/** Looks are seconds apart, and the clocks of the workers are not ours: what is nearer to a start than this is of its time. */
const NEAR_MS = 15_000;
/** A worker's Java takes so long to start and to begin its tasks at most, as a rule. */
const START_MS = 90_000;
/** A worker that still has tasks a moment after one was moved away lives; one that has some a minute later was frozen. */
const LIVES_MS = { from: 2_000, to: 60_000 };

/** One replay, with what was seen around the start of the run that made it. */
interface Case {
  found: FoundReplay;
  facts: CauseFacts;
  /** When the new run began, milliseconds since 1970. */
  start: number;
}

/** One line of the table: returns the sentence where it applies. The first that applies is taken. */
interface Rule {
  cause: ReplayCause;
  evidence(of: Case): string | null;
}

/**
 * Why a stretch was produced again: by what its log tells, else by what was seen of Connect and the brokers when the run began.
 * `unknown` where nobody was watching, and where what was seen explains nothing.
 */
export function causeOf(found: FoundReplay, facts: CauseFacts): Cause {
  const start = startOf(found, facts);
  for (const { cause, evidence } of rules) {
    const causeWhy = evidence({ found, facts, start });
    if (causeWhy !== null) return { cause, causeWhy };
  }
  return { cause: "unknown", causeWhy: "Nothing that was seen of the connector explains it." };
}

/** From the run's id, else from the restart that was noticed, else from the replay's first record. */
export function startOf(found: FoundReplay, { restart }: Pick<CauseFacts, "restart">): number {
  const told = found.runAfter === null ? null : runStart(found.runAfter);
  return told ?? Date.parse(restart?.at ?? found.at);
}

const inLog: Partial<Record<ReplayCause, string>> = {
  "producer-retry":
    "One run wrote the same changes twice beside a change of the partition's leader: a broker had taken a batch and could not say so, and the worker sent it again.",
  "worker-lost":
    "A run wrote on after a later one had begun: its worker had been taken for dead, and its tasks were given to another.",
  failover: "The same transactions came from another server: the source's role had moved.",
};

const ofTheLog = Object.keys(inLog) as ReplayCause[];

const rules: readonly Rule[] = [
  ...ofTheLog.map((cause) => ({
    cause,
    evidence: ({ found }: Case) => (found.causeInLog === cause ? (inLog[cause] ?? null) : null),
  })),
  { cause: "unknown", evidence: notWatched },
  { cause: "config-change", evidence: configChanged },
  { cause: "crash", evidence: taskHadFailed },
  { cause: "worker-lost", evidence: movedFromLost },
  { cause: "rebalance", evidence: movedFromLiving },
  { cause: "graceful-restart", evidence: hadBeenHalted },
  { cause: "rebalance", evidence: groupRebalanced },
  { cause: "crash", evidence: connectWasAway },
  { cause: "crash", evidence: backOnSameWorker },
  // Before the next: without brokers a worker starts all of its tasks anew, and none of it crashed.
  { cause: "rebalance", evidence: brokersWereAway },
  { cause: "crash", evidence: workerBeganAnew },
  { cause: "unknown", evidence: nothingToldYet },
  { cause: "source-retry", evidence: nothingChanged },
];

function notWatched({ facts: { watchedSince }, start }: Case): string | null {
  if (watchedSince === null) return "The connector was not being watched when it happened.";
  if (start >= watchedSince) return null;
  return `The run that made it began at ${clock(start)}, before the connector was watched (${clock(watchedSince)}).`;
}

function configChanged({ facts, start }: Case): string | null {
  const change = facts.configs.findLast(
    ({ notBefore, at }) => notBefore - NEAR_MS <= start && start <= at + START_MS,
  );
  if (!change) return null;
  return `The configuration was changed between ${span(change.notBefore, change.at)}; the run that made it began at ${clock(start)}.`;
}

function taskHadFailed({ facts, start }: Case): string | null {
  // One that failed after the start had not failed before it.
  const change = changeBefore(
    facts,
    start,
    ({ was, is, at }) => was.state === "FAILED" || (is.state === "FAILED" && at <= start + LIVES_MS.from),
  );
  if (!change) return null;
  const who = nameOf(change);
  return change.is.state === "FAILED"
    ? `${who} was FAILED from ${clock(change.at)}, and a new run began at ${clock(start)}.`
    : `${who} was FAILED until ${clock(change.at)}, when it ran again; the new run began at ${clock(start)}.`;
}

interface Move {
  change: StateChange;
  from: string;
  to: string;
}

/** The newest change around the start that brought a task to another worker. */
function moveOf({ facts, start }: Case): Move | null {
  for (const change of facts.states.toReversed()) {
    const to = change.is.workerId;
    if (change.task === null || to === null || change.is.state === "UNASSIGNED") continue;
    if (!isNear(change, start)) continue;
    const origin = change.was.workerId;
    if (origin !== null && origin !== to) return { change, from: origin, to };
  }
  return null;
}

function movedFromLost(of: Case): string | null {
  const move = moveOf(of);
  if (!move || livedOn(of, move)) return null;
  return `${movedWords(move)}, and ${move.from} was seen to have no task in the minute after that.`;
}

function movedFromLiving(of: Case): string | null {
  const move = moveOf(of);
  if (!move || !livedOn(of, move)) return null;
  return `${movedWords(move)}, which went on with other tasks.`;
}

const movedWords = ({ change, from, to }: Move) =>
  `Between ${span(change.notBefore, change.at)} ${nameOf(change).toLowerCase()} moved to ${to} from ${from}`;

function livedOn({ facts }: Case, { change, from }: Move): boolean {
  const times = facts.workers.get(from) ?? [];
  return times.some((t) => t.to > change.at + LIVES_MS.from && t.from <= change.at + LIVES_MS.to);
}

const halted = new Set(["PAUSED", "STOPPED", "RESTARTING"]);

function hadBeenHalted({ facts, start }: Case): string | null {
  const change = changeBefore(facts, start, ({ was }) => halted.has(was.state));
  if (!change) return null;
  return `${nameOf(change)} was ${change.was.state} until ${clock(change.at)}: it had been asked to, and a new run began at ${clock(start)}.`;
}

function groupRebalanced({ facts, start }: Case): string | null {
  const rebalance = facts.rebalances.findLast((one) => isAround(one, start));
  if (!rebalance) return null;
  return `Kafka Connect was rebalancing ${lasting(rebalance)}; the new run began at ${clock(start)}.`;
}

function connectWasAway({ facts, start }: Case): string | null {
  const away = facts.connectAway.findLast((one) => isAround(one, start));
  if (!away) return null;
  return `Kafka Connect did not answer ${lasting(away)}; the new run began at ${clock(start)}.`;
}

function backOnSameWorker({ facts, start }: Case): string | null {
  const change = changeBefore(
    facts,
    start,
    ({ was, is }) => was.state === "UNASSIGNED" && is.state !== "UNASSIGNED",
  );
  if (!change) return null;
  return `${nameOf(change)} was UNASSIGNED until ${clock(change.at)} and came back on ${change.is.workerId ?? "the same worker"}: that worker had left the group.`;
}

function workerBeganAnew({ facts: { alongside } }: Case): string | null {
  const [first] = alongside;
  if (first === undefined) return null;
  const others = alongside.length === 1 ? first : `${first} and ${alongside.length - 1} more`;
  return `Tasks of other databases on the same worker (${others}) began anew within the same ten seconds: the worker was started again.`;
}

function brokersWereAway({ facts, start }: Case): string | null {
  const away = facts.brokersAway.findLast((one) => isAround(one, start));
  if (!away) return null;
  return `The brokers did not answer ${lasting(away)}: workers that cannot reach them lose their place in the group, and start their tasks anew.`;
}

function nothingToldYet({ facts: { reportedAt }, start }: Case): string | null {
  if (reportedAt !== null && reportedAt >= start) return null;
  return "Kafka Connect has told nothing of the connector since.";
}

function nothingChanged({ found, start }: Case): string | null {
  if (found.runAfter === null) return null;
  return `A new run began at ${clock(start)}, while neither the states of the tasks, nor their workers, nor the configuration changed in Kafka Connect: Debezium began again by itself, as after an error of the source connection. A restart of the task that was asked for over REST between two looks would look the same.`;
}

/** The newest change of the wanted kind around the start. */
function changeBefore(
  { states }: CauseFacts,
  start: number,
  wanted: (change: StateChange) => boolean,
): StateChange | null {
  return states.findLast((change) => isNear(change, start) && wanted(change)) ?? null;
}

/** Connect calls a task RUNNING a moment before its run begins. */
function isNear({ notBefore, at }: StateChange, start: number): boolean {
  return notBefore - NEAR_MS <= start && start <= at + 2 * NEAR_MS;
}

function isAround({ notBefore, from, to }: SeenSpan, start: number): boolean {
  return (notBefore ?? from) - NEAR_MS <= start && (to === null || start <= to + START_MS);
}

function nameOf({ task }: StateChange): string {
  return task === null ? "The connector" : `Task ${task}`;
}

function lasting({ from, to }: SeenSpan): string {
  return to === null ? `from ${clock(from)} on` : `from ${clock(from)} to ${clock(to)}`;
}

const span = (from: number, to: number) => `${clock(from)} and ${clock(to)}`;

/** With seconds, in UTC; the day is the replay's own. */
const clock = (ms: number) => `${new Date(ms).toISOString().slice(11, 19)} UTC`;
