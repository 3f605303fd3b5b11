import type { ConnectorConfig } from "@/lib/debezium/config";
import type { ConnectorType } from "@/lib/debezium/connector-type";

/** The version that a connector must at least have to declare exactly-once support (SourceConnector.exactlyOnceSupport). */
const declaredSince: Partial<Record<ConnectorType, readonly [number, number]>> = {
  postgresql: [2, 3],
  // DBZ-9177.
  mysql: [3, 3],
  mariadb: [3, 3],
  mongodb: [3, 3],
  sqlserver: [3, 3],
  oracle: [3, 3],
};

/** Run ids are in records since this version: older than all that is asked for above it is not. */
const runIdsSince: readonly [number, number] = [3, 4];

/** `exactly.once.support` of the configuration: whether it is `required`. Connect's default is `requested`. */
export function asksExactlyOnce(config: ConnectorConfig): boolean {
  return config["exactly.once.support"]?.trim().toLowerCase() === "required";
}

/**
 * Whether this connector declares exactly-once support. Connect starts no connector with `required` that does not
 * (AbstractHerder.validateExactlyOnceSupport). Null: its version is not known.
 */
export function declaresExactlyOnce(
  type: ConnectorType,
  config: ConnectorConfig,
  versions: readonly (string | null)[],
  hasRunId: boolean,
): boolean | null {
  const since = declaredSince[type];
  if (!since) return false;
  if (asksExactlyOnce(config)) return true;
  const known = versions.map(majorMinor).filter((v) => v !== null);
  if (known.length > 0) return known.every((v) => !isBefore(v, since));
  return hasRunId && !isBefore(runIdsSince, since) ? true : null;
}

function majorMinor(version: string | null): [number, number] | null {
  const [, major, minor] = /^(\d+)\.(\d+)/.exec(version ?? "") ?? [];
  return major === undefined || minor === undefined ? null : [Number(major), Number(minor)];
}

const isBefore = (a: readonly [number, number], b: readonly [number, number]) =>
  a[0] < b[0] || (a[0] === b[0] && a[1] < b[1]);
