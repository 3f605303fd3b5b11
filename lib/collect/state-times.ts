import type { ConnectorReport, StateTimes } from "@/lib/observed/connector";

/** Since when each state has been so: kept while the state stays the same, now when it changed or is new. */
export function nextStateTimes(before: StateTimes | null, report: ConnectorReport, now: Date): StateTimes {
  const at = now.toISOString();
  const connector = report.connector && {
    state: report.connector.state,
    since: before?.connector?.state === report.connector.state ? before.connector.since : at,
  };
  const tasks = (report.tasks ?? []).map(({ id, state }) => {
    const known = before?.tasks.find((t) => t.id === id && t.state === state);
    return { id, state, since: known?.since ?? at };
  });
  return { connector, tasks };
}
