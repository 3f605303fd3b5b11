import type { CheckLimits, ConnectorCheck, ConnectorFacts } from "../check";
import { knownReport } from "../connector-report";
import { duration } from "../duration";
import { sayer } from "../say";
import { connectorRequest } from "../shell";
import type { Evidence, Verdict } from "../verdict";
import { unknownTaskStates } from "./task-states";

const say = sayer("task-unassigned");

export const taskUnassigned: ConnectorCheck = {
  subject: "connector",
  slug: "task-unassigned",
  group: "connect",
  title: "Task without a worker",
  looksAt: "How long a task, or the connector itself, has been UNASSIGNED.",
  severity: "critical",
  judge(facts, limits, now) {
    const report = knownReport(facts, now);
    if (report.why !== undefined) return say.unknown(report.why);
    const { connector, tasks } = report.value;
    if (!connector || !tasks) return say.unknown("Connect did not report the state of connector and tasks.");
    const waiting = tasks.filter((t) => t.state === "UNASSIGNED").map((t) => t.id);
    const itself = connector.state === "UNASSIGNED";
    const odd = unknownTaskStates(tasks);
    if (waiting.length === 0 && !itself && odd) return say.unknown(odd.sentence, { evidence: odd.evidence });
    if (waiting.length === 0 && !itself) return say.ok("assigned", "Every task has a worker.");
    const who = itself
      ? "The connector"
      : waiting.length === 1
        ? `Task ${waiting[0]}`
        : `Tasks ${waiting.join(", ")}`;
    return judgeWait(facts, limits, now, who, sinceOf(facts, waiting, itself));
  },
};

function judgeWait(
  facts: ConnectorFacts,
  limits: CheckLimits,
  now: Date,
  who: string,
  since: Date | null,
): Verdict {
  const delay = duration(limits.unassignedMs);
  if (!since) {
    return say.warning({
      short: "unassigned",
      sentence: `${who} has no worker; one look does not tell for how long. Up to ${delay} is normal after a worker left.`,
      remedy: remedy(facts.connector),
    });
  }
  const ms = now.getTime() - since.getTime();
  const evidence: Evidence[] = [
    { label: "unassigned since", value: since.toISOString(), from: "first seen so" },
    { label: "normal up to", value: delay, from: "checks.taskUnassigned" },
  ];
  if (positionMovedSince(facts, since, limits, now)) {
    return say.info({
      short: "status out of date",
      sentence: `${who} is reported UNASSIGNED, but the status looks out of date: the stored position still moves.`,
      evidence: [
        ...evidence,
        { label: "position moved", value: facts.offsets?.since?.toISOString() ?? "", from: "stored offsets" },
      ],
    });
  }
  if (ms <= limits.unassignedMs) {
    return say.info({
      short: `waiting ${duration(ms)}`,
      sentence: `${who} is waiting for a worker for ${duration(ms)}; up to ${delay} is normal after a worker left.`,
      evidence,
    });
  }
  return say.critical({
    short: `for ${duration(ms)}`,
    sentence: `${who} has not been assigned to a worker for ${duration(ms)} (the delay is ${delay} by default: scheduled.rebalance.max.delay.ms).`,
    evidence,
    remedy: remedy(facts.connector),
  });
}

function remedy(connector: string) {
  return [
    { text: "Check that enough workers run and that none is cut off from the leader.", command: null },
    {
      text: "Ask for the tasks to be started again.",
      command: connectorRequest("POST", connector, "/restart?includeTasks=true"),
    },
  ];
}

/** The earliest known start of the wait. */
function sinceOf(facts: ConnectorFacts, waiting: readonly number[], itself: boolean): Date | null {
  const times = facts.times.tasks
    .filter((t) => t.state === "UNASSIGNED" && waiting.includes(t.id))
    .map((t) => Date.parse(t.since));
  const { connector } = facts.times;
  if (itself && connector?.state === "UNASSIGNED") times.push(Date.parse(connector.since));
  return times.length > 0 ? new Date(Math.min(...times)) : null;
}

/** Whether the stored position surely changed after `since`, and lately. */
function positionMovedSince(facts: ConnectorFacts, since: Date, limits: CheckLimits, now: Date): boolean {
  const { offsets } = facts;
  if (!offsets?.since || !offsets.notBefore || offsets.failure) return false;
  const lately = now.getTime() - offsets.since.getTime() <= limits.unassignedMs;
  return offsets.notBefore >= since && lately;
}
