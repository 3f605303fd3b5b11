import type { ConnectorReport, StateTimes } from "@/lib/observed/connector";
import type { Observation } from "@/lib/observed/observation";

/** One task as Connect reported it. */
export interface SeenTask {
  id: number;
  state: string;
  workerId: string | null;
  /** Since when it was seen in this state. */
  since: string | null;
}

/** Notices a start of tasks by what Connect tells of them: another worker, or RUNNING after another state. */
export class TaskStarts {
  /** The tasks as they last ran, and the ends of their topics then. */
  #ran: { tasks: string; ends: ReadonlyMap<string, number> } | null = null;

  /**
   * Takes one look; where tasks were started since the last, returns the next offsets when those before were last seen to
   * run. A worker that is back before its tasks were given away leaves no trace here.
   */
  take(
    tasks: readonly SeenTask[] | null,
    ends: ReadonlyMap<string, number>,
  ): ReadonlyMap<string, number> | null {
    if (tasks === null || tasks.length === 0 || tasks.some(({ state }) => state !== "RUNNING")) return null;
    const text = JSON.stringify(tasks.map(({ id, workerId, since }) => [id, workerId, since]));
    const before = this.#ran;
    this.#ran = { tasks: text, ends };
    return before !== null && before.tasks !== text ? before.ends : null;
  }
}

/** The tasks of a connector with the times of their states; null where they were not reported at the last look. */
export function seenTasks(report: Observation<ConnectorReport>, times: StateTimes): SeenTask[] | null {
  const tasks = report.failure ? null : report.value?.tasks;
  return (
    tasks?.map(({ id, state, workerId }) => {
      const since = times.tasks.find((one) => one.id === id && one.state === state)?.since ?? null;
      return { id, state, workerId, since };
    }) ?? null
  );
}
