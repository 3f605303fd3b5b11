import { type ConnectorConfig, isReference, topicDelimiter } from "@/lib/debezium/config";
import type { ConnectorType } from "@/lib/debezium/connector-type";
import type { JsonObject } from "@/lib/debezium/json";
import type { InForceCommit } from "./in-force";

/** `database.names` of SQL Server; null where it is not set, or only the worker can resolve it. */
function configuredDatabases(config: ConnectorConfig): string[] | null {
  const text = config["database.names"]?.trim() ?? "";
  if (text === "" || isReference(text)) return null;
  return text
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
}

/** Whether SQL Server's connector still captures the database of a source partition; its names know no case. */
export function isConfigured(type: ConnectorType, config: ConnectorConfig, partition: JsonObject): boolean {
  const names = type === "sqlserver" ? configuredDatabases(config) : null;
  const { database } = partition;
  if (names === null || typeof database !== "string") return true;
  return names.some((name) => name.toLowerCase() === database.toLowerCase());
}

/** As Debezium makes a topic's name of it (TopicNamingStrategy.sanitizedTopicName). */
const inTopicName = (text: string) => text.replace(/[^a-zA-Z0-9._-]/g, "_");

/**
 * Which database of SQL Server a topic belongs to, by its name `<prefix>.<database>.<schema>.<table>`. A database that is
 * configured and has no stored offset is `missing`. Null where the name tells none, or several.
 */
export function topicsOfDatabases(
  config: ConnectorConfig,
  commits: readonly InForceCommit[],
): (topic: string) => { commit: InForceCommit } | { missing: string } | null {
  const delimiter = topicDelimiter(config);
  const [first] = commits;
  const server = first?.partition.server;
  const prefix = typeof server === "string" ? `${inTopicName(server)}${delimiter}` : null;
  const heads: { head: string; owner: { commit: InForceCommit } | { missing: string } }[] = [];
  const stored = new Set<string>();
  const headOf = (database: string) => `${prefix}${inTopicName(database)}${delimiter}`.toLowerCase();
  for (const commit of commits) {
    const { database } = commit.partition;
    if (typeof database !== "string") continue;
    stored.add(database.toLowerCase());
    heads.push({ head: headOf(database), owner: { commit } });
  }
  for (const missing of configuredDatabases(config) ?? [])
    if (stored.size > 0 && !stored.has(missing.toLowerCase()))
      heads.push({ head: headOf(missing), owner: { missing } });
  // A database `a` and another `a.b`: the longer name is the more exact one.
  heads.sort((a, b) => b.head.length - a.head.length);
  return (topic) => {
    if (prefix === null) return null;
    const name = topic.toLowerCase();
    const [best, next] = heads.filter(({ head }) => name.startsWith(head));
    return best && best.head !== next?.head ? best.owner : null;
  };
}
