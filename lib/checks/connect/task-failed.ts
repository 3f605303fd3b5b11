import { rootCause } from "@/lib/debezium/trace";
import type { ConnectorReport } from "@/lib/observed/connector";
import type { ConnectorCheck } from "../check";
import { knownReport } from "../connector-report";
import { sayer } from "../say";
import { restartFailedStep } from "../shell";
import type { Evidence } from "../verdict";
import { unknownTaskStates } from "./task-states";
import { transactionalIdStep } from "./transactional-id-step";

const say = sayer("task-failed");

type Task = NonNullable<ConnectorReport["tasks"]>[number];
interface Cause {
  headline: string;
  exceptionClass: string | null;
  hint: string | null;
  tasks: number[];
}

export const taskFailed: ConnectorCheck = {
  subject: "connector",
  slug: "task-failed",
  group: "connect",
  title: "Task failed",
  looksAt: "The state of each task, and the root cause in the trace of each that failed.",
  severity: "critical",
  judge(facts, _limits, now) {
    const report = knownReport(facts, now);
    if (report.why !== undefined) return say.unknown(report.why);
    const { tasks } = report.value;
    if (!tasks) return say.unknown("Connect did not report the tasks.");
    const failed = tasks.filter((t) => t.state === "FAILED");
    const odd = unknownTaskStates(tasks);
    if (failed.length === 0 && odd) return say.unknown(odd.sentence, { evidence: odd.evidence });
    if (failed.length === 0) return say.ok("none failed", `None of ${tasks.length} tasks failed.`);
    const causes = byCause(failed);
    const which = failed.length === 1 ? `task ${failed[0]?.id}` : `${failed.length} of ${tasks.length} tasks`;
    const told = causes.map((c) => `${c.headline}${c.hint ? ` (${c.hint})` : ""}`).join("; ");
    return say.critical({
      short: tasks.length === 1 ? "FAILED" : `${failed.length} of ${tasks.length} FAILED`,
      sentence: `FAILED (${which}): ${told}.`,
      evidence: causes.flatMap(causeEvidence),
      remedy: [
        ...[transactionalIdStep(facts.connector, tasks, facts.groupId ?? null)].filter(
          (step) => step !== null,
        ),
        restartFailedStep(facts.connector),
      ],
    });
  },
};

/** The same cause on several tasks is one cause. */
function byCause(failed: readonly Task[]): Cause[] {
  const causes = new Map<string, Cause>();
  for (const task of failed) {
    const root = task.trace ? rootCause(task.trace) : null;
    const headline = root?.headline ?? "Connect gave no trace";
    const cause = causes.get(headline) ?? {
      headline,
      exceptionClass: root?.exceptionClass ?? null,
      hint: root?.hint ?? null,
      tasks: [],
    };
    cause.tasks.push(task.id);
    causes.set(headline, cause);
  }
  return [...causes.values()];
}

function causeEvidence(cause: Cause): Evidence[] {
  const label = cause.tasks.length === 1 ? `task ${cause.tasks[0]}` : `tasks ${cause.tasks.join(", ")}`;
  return [{ label, value: cause.headline, from: cause.exceptionClass ?? "Connect" }];
}
