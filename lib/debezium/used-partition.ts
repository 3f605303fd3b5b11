import { type ConnectorConfig, isReference, topicPrefix } from "./config";
import type { ConnectorType } from "./connector-type";
import { type JsonObject, stringifyJson } from "./json";
import { vitessTaskUsage } from "./vitess-tasks";

/** Whether a start would read a partition, and why not, or why that is not certain. */
export interface Usage {
  used: boolean;
  why?: string;
}

/** JSON with its keys sorted: equal maps give equal texts. */
export function canonicalPartition(partition: JsonObject): string {
  return stringifyJson(Object.fromEntries(Object.entries(partition).sort(([a], [b]) => (a < b ? -1 : 1))));
}

/** The part of a partition that is the connector's topic.prefix: `server`, for MongoDB `server_id`. */
export function logicalName(type: ConnectorType, partition: JsonObject): string | null {
  const name = type === "mongodb" ? partition.server_id : partition.server;
  return typeof name === "string" ? name : null;
}

function byPrefix(type: ConnectorType, prefix: string, partition: JsonObject): Usage {
  const name = logicalName(type, partition);
  if (name === null)
    return { used: true, why: "the partition names no topic.prefix, so this cannot be checked" };
  return name === prefix ? { used: true } : { used: false, why: "does not match topic.prefix" };
}

/** MongoDB's partitions of single replica sets (to 2.5), where one of 2.6 and later took them over at its first start. */
function takenOver(type: ConnectorType, partitions: readonly JsonObject[]): ReadonlySet<JsonObject> {
  if (type !== "mongodb") return new Set();
  const whole = new Set(partitions.filter(({ rs }) => rs === undefined).map((p) => logicalName(type, p)));
  return new Set(partitions.filter((p) => p.rs !== undefined && whole.has(logicalName(type, p))));
}

const takenOverWhy =
  "Debezium 2.6 and later keep one partition for all replica sets, and have taken this one over";

/**
 * Which of a connector's partitions a start would read. Without a topic.prefix to compare with, one partition is
 * taken as used and several of different names as not known: none of them is picked, and `why` begins with "not known".
 */
export function usedPartitions(
  type: ConnectorType,
  config: ConnectorConfig | undefined,
  partitions: readonly JsonObject[],
): Usage[] {
  const old = takenOver(type, partitions);
  const current = partitions.filter((p) => !old.has(p));
  const usages = usedOfCurrent(type, config, current);
  const byPartition = new Map(current.map((p, i) => [p, usages[i]]));
  return partitions.map((p) => byPartition.get(p) ?? { used: false, why: takenOverWhy });
}

const tokenWhy =
  "a partition token of the change stream: read on unless Spanner has ended it, which the connector's sync topic knows; ended ones stay stored";

function usedOfCurrent(
  type: ConnectorType,
  config: ConnectorConfig | undefined,
  partitions: readonly JsonObject[],
): Usage[] {
  // Tokens come and go by Spanner's doing, and name no connector.
  if (type === "spanner") return partitions.map(() => ({ used: true, why: tokenWhy }));
  const prefix = config ? topicPrefix(config) : null;
  if (prefix !== null && !isReference(prefix)) {
    const own = partitions.filter((p) => logicalName(type, p) === prefix);
    return partitions.map((p) => {
      const usage = byPrefix(type, prefix, p);
      const byTask = type === "vitess" && config !== undefined && usage.used && usage.why === undefined;
      return byTask ? vitessTaskUsage(config, p, own) : usage;
    });
  }
  const reason = whyNoPrefix(config, prefix);
  if (partitions.length === 1) return [{ used: true, why: `${reason}; it is the only partition` }];
  const names = new Set(partitions.map((p) => logicalName(type, p)));
  const one = names.size === 1 && !names.has(null);
  // Several partitions of one name belong to one connector, as the databases of SQL Server do.
  if (one) return partitions.map(() => ({ used: true, why: `${reason}; all partitions have the same name` }));
  return partitions.map(() => ({
    used: false,
    why: `not known: ${reason}, and there are ${partitions.length} partitions`,
  }));
}

function whyNoPrefix(config: ConnectorConfig | undefined, prefix: string | null): string {
  if (config === undefined) return "no configuration given";
  return prefix === null
    ? "the configuration has no topic.prefix"
    : "topic.prefix is a reference that only the worker can resolve";
}
