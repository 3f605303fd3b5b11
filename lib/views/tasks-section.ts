import { z } from "zod";
import type { JudgedConnector } from "@/lib/checks/judged";
import { byOutcome } from "@/lib/checks/verdict";
import { rootCause } from "@/lib/debezium/trace";
import type { ConnectorReport } from "@/lib/observed/connector";
import { freshness, freshnessSchema, whyNoValue } from "./freshness";
import { stateMark, stateMarkSchema, whenLate } from "./run-state";
import type { PollIntervals } from "./surroundings";

const traceSchema = z.object({
  /** The root cause in one line. */
  cause: z.string(),
  /** What that means, where the text is known. */
  hint: z.string().nullable(),
  /** The whole trace, secrets masked. */
  full: z.string(),
});

const taskLineSchema = z.object({
  /** Null for the connector's own instance. */
  id: z.number().int().nullable(),
  mark: stateMarkSchema,
  since: z.iso.datetime().nullable(),
  worker: z.string().nullable(),
  version: z.string().nullable(),
  trace: traceSchema.nullable(),
});
export type TaskLine = z.infer<typeof taskLineSchema>;

export const tasksSectionSchema = z.object({
  freshness: freshnessSchema,
  /** Why the tasks are not known, or why there are none. */
  whyNone: z.string().nullable(),
  /** The connector's instance itself, when it has failed. */
  connector: taskLineSchema.nullable(),
  /** Failed ones first. */
  tasks: z.array(taskLineSchema),
});
export type TasksSection = z.infer<typeof tasksSectionSchema>;

type Task = NonNullable<ConnectorReport["tasks"]>[number];

function trace(text: string | null): TaskLine["trace"] {
  if (text === null || text === "") return null;
  const { headline, hint } = rootCause(text);
  return { cause: headline, hint, full: text };
}

function taskLine(task: Task, connector: JudgedConnector, late: boolean): TaskLine {
  const seen = connector.times.tasks.find((t) => t.id === task.id && t.state === task.state);
  return {
    id: task.id,
    mark: whenLate(stateMark(task.state), late),
    since: seen?.since ?? null,
    worker: task.workerId,
    version: task.version,
    trace: trace(task.trace),
  };
}

function connectorLine(connector: JudgedConnector, late: boolean): TaskLine | null {
  const own = connector.report.value?.connector;
  if (!own?.trace) return null;
  return {
    id: null,
    mark: whenLate(stateMark(own.state), late),
    since: connector.times.connector?.since ?? null,
    worker: own.workerId,
    version: own.version,
    trace: trace(own.trace),
  };
}

function whyNoTasks(connector: JudgedConnector): string | null {
  const why = whyNoValue(connector.report, "The state of this connector");
  if (why) return why;
  const tasks = connector.report.value?.tasks;
  if (tasks == null) return "Connect's answer holds no status of this connector's tasks.";
  return tasks.length === 0 ? "Connect answers that this connector has no tasks." : null;
}

export function tasksSection(input: {
  connector: JudgedConnector;
  poll: PollIntervals;
  now: Date;
}): TasksSection {
  const { connector, poll, now } = input;
  const tasks = connector.report.value?.tasks ?? [];
  const age = freshness(connector.report, poll.connectors, now);
  return {
    freshness: age,
    whyNone: whyNoTasks(connector),
    connector: connectorLine(connector, age.late),
    tasks: tasks
      .map((task) => taskLine(task, connector, age.late))
      .sort((a, b) => byOutcome(a.mark, b.mark) || (a.id ?? -1) - (b.id ?? -1)),
  };
}
