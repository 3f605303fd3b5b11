import type { Settings } from "./settings";

/** How large a replay window may be before it is a finding. Null: no such limit. */
export interface ReplayLimits {
  events: number | null;
  bytes: number | null;
  /** How long it took to write it, in milliseconds. */
  spanMs: number | null;
}

/** The limits that hold for one connector: each is its own, else its cluster's, else that of `checks.replay`. */
export function replayLimits(settings: Settings, cluster: string, connector: string): ReplayLimits {
  const own = settings.clusters.find((one) => one.name === cluster);
  const connectors = own?.connectors ?? {};
  const levels = [
    Object.hasOwn(connectors, connector) ? connectors[connector]?.replay : undefined,
    own?.replay,
    settings.checks.replay,
  ];
  const limit = (of: "events" | "bytes" | "seconds") =>
    levels.map((level) => level?.[of]).find((value) => value !== undefined) || null;
  const seconds = limit("seconds");
  return {
    events: limit("events"),
    bytes: limit("bytes"),
    spanMs: seconds === null ? null : seconds * 1_000,
  };
}
