import type { ConnectorReport } from "@/lib/observed/connector";
import { countOf } from "./format";
import { type StateMark, stateMark } from "./run-state";

/**
 * What the tasks add to the connector's state, in a few words: `2 of 5 tasks FAILED`, `3 tasks`, `no tasks`.
 * Null for a single task in the connector's own state: nothing to add.
 */
export function tasksInShort(
  tasks: ConnectorReport["tasks"],
  connectorState: string | null,
): StateMark | null {
  if (tasks === null) return null;
  if (tasks.length === 0) {
    return { state: "no tasks", outcome: connectorState === "RUNNING" ? "critical" : "info", past: false };
  }
  const other = tasks.filter((t) => t.state !== connectorState);
  const failed = other.filter((t) => t.state === "FAILED");
  const named = (failed.length > 0 ? failed : other)[0];
  if (!named) {
    if (tasks.length === 1) return null;
    return {
      state: countOf(tasks.length, "task"),
      outcome: stateMark(connectorState ?? "").outcome,
      past: false,
    };
  }
  if (tasks.length === 1) return { ...stateMark(named.state), state: `task ${named.state}` };
  const like = tasks.filter((t) => t.state === named.state).length;
  const text = `${like} of ${countOf(tasks.length, "task")} ${named.state}`;
  return { ...stateMark(named.state), state: text };
}
