/**
 * Paths of pages and of the API, the only place that spells them.
 * Every name is percent-encoded whole (RFC 3986), so that `orders/eu #1 → café%` stays one path segment.
 */
export const fleetPath = "/";
export const schemaHistoryPath = "/schema-history";
export const measurePath = "/measure";
export const decodePath = "/decode";
export const statusPath = "/status";

/** A connector's page; with `check`, the finding of that slug is shown and marked. */
export function connectorPath(cluster: string, connector: string, check?: string): string {
  const path = `/clusters/${encodeURIComponent(cluster)}/connectors/${encodeURIComponent(connector)}`;
  return check === undefined ? path : `${path}?check=${encodeURIComponent(check)}`;
}

export const apiFleetPath = "/api/v1/fleet";
export const apiSchemaHistoryPath = "/api/v1/schema-history";
export const apiStatusPath = "/api/v1/status";
export const apiDecodePath = "/api/v1/decode";

export function apiConnectorPath(cluster: string, connector: string): string {
  return `/api/v1${connectorPath(cluster, connector)}`;
}

/** How a connector's replay window was over a time: `1h`, `24h` or `7d`. */
export function apiReplayWindowPath(cluster: string, connector: string, range: string): string {
  return `${apiConnectorPath(cluster, connector)}/replay-window?range=${range}`;
}

/** A connector's page with one replay opened. `id` holds slashes: it is encoded whole. */
export function replayPath(cluster: string, connector: string, id: string): string {
  return `${connectorPath(cluster, connector)}?replay=${encodeURIComponent(id)}#duplicates`;
}

/** A connector's replays; `from` and `to` are ISO 8601. */
export function apiDuplicatesPath(
  cluster: string,
  connector: string,
  query: { from?: string; to?: string; format?: "json" | "csv"; replay?: string } = {},
): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const text = new URLSearchParams(given).toString();
  return `${apiConnectorPath(cluster, connector)}/duplicates${text === "" ? "" : `?${text}`}`;
}

export const apiMeasurementsPath = "/api/v1/measurements";

export function apiMeasurementPath(id: string): string {
  return `${apiMeasurementsPath}/${encodeURIComponent(id)}`;
}

export function apiCancelMeasurementPath(id: string): string {
  return `${apiMeasurementPath(id)}/cancel`;
}

/** Topics of a cluster that connectors are known to write, and whose names hold `text`. */
export function apiTopicsPath(cluster: string, text: string): string {
  return `/api/v1/topics?${new URLSearchParams({ cluster, q: text })}`;
}

/** The page of one measurement: what is sent to others. */
export function measurementPath(id: string): string {
  return `${measurePath}?id=${encodeURIComponent(id)}`;
}

/**
 * A path parameter as a router hands it over: percent-encoded or, from some routers, already plain.
 * Text that is not valid percent-encoding is taken as it is.
 */
export function pathParameter(raw: string): string {
  try {
    return decodeURIComponent(raw);
  } catch {
    return raw;
  }
}
