import type { ConnectorReport } from "@/lib/observed/connector";
import type { Evidence } from "../verdict";

type Task = NonNullable<ConnectorReport["tasks"]>[number];

/** States of org.apache.kafka.connect.runtime.AbstractStatus that GET /connectors/{name}/status may tell of a task. */
const knownStates = new Set(["UNASSIGNED", "RUNNING", "PAUSED", "STOPPED", "FAILED", "RESTARTING"]);

/** Why tasks cannot be judged by their states: some are in one that no rule knows. Null when all are known. */
export function unknownTaskStates(tasks: readonly Task[]): { sentence: string; evidence: Evidence[] } | null {
  const odd = tasks.filter((t) => !knownStates.has(t.state));
  if (odd.length === 0) return null;
  const told = odd.map((t) => `task ${t.id} "${t.state}"`).join(", ");
  return {
    sentence: `Connect reports states that Tidemark does not know: ${told}.`,
    evidence: odd.map((t) => ({ label: `task ${t.id}`, value: t.state, from: "Connect" })),
  };
}
