import type { FleetRow } from "@/lib/views/fleet";

/** What of the fleet is shown, and in which order. `worst` is the order in which rows arrive. */
export interface FleetQuery {
  q: string;
  cluster: string;
  type: string;
  sort: string;
}

/** Whether a row is to be shown. Every word of the search must occur in name, cluster, type, state, position or replay window. */
export function fits(row: FleetRow, query: FleetQuery): boolean {
  if (query.cluster && row.cluster !== query.cluster) return false;
  if (query.type && row.type !== query.type) return false;
  const text = [
    row.connector,
    row.cluster,
    row.type,
    row.version,
    row.state?.state,
    row.tasks?.state,
    row.position.text,
    row.replayWindow.text,
  ]
    .join(" ")
    .toLowerCase();
  return query.q
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** Values of one kind that occur, each once, sorted. */
export function occurring(values: Iterable<string | null>): string[] {
  return [...new Set([...values].filter((v) => v !== null))].sort((a, b) => a.localeCompare(b));
}
