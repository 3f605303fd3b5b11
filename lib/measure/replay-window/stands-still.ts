import type { ConnectorReport } from "@/lib/observed/connector";

/**
 * The state in which no task of the connector writes, as Connect spells it: the window stands still. Null while one runs,
 * and where no state was reported. Tasks decide, since those of a failed connector may go on.
 */
export function standsStill(report: Pick<ConnectorReport, "connector" | "tasks"> | null): string | null {
  const tasks = report?.tasks ?? [];
  if (tasks.some((t) => t.state === "RUNNING")) return null;
  if (tasks.length > 0) return [...new Set(tasks.map((t) => t.state))].sort().join(", ");
  const state = report?.connector?.state ?? null;
  return state === "RUNNING" ? null : state;
}
