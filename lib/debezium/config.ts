import { type ConnectorType, connectorType, needsSchemaHistory } from "./connector-type";

/** A connector's configuration as Connect returns it. A masked or unset value is null. */
export type ConnectorConfig = Readonly<Record<string, string | null | undefined>>;

/** The first of the names that has a value, trimmed as Kafka's ConfigDef trims. */
function setting(config: ConnectorConfig, ...names: readonly string[]): string | null {
  for (const name of names) {
    const value = config[name]?.trim();
    if (value) return value;
  }
  return null;
}

/** The type by `connector.class`. */
export function typeOf(config: ConnectorConfig): ConnectorType {
  return connectorType(config["connector.class"]);
}

/** `topic.prefix`; before 2.0 `database.server.name`, for MongoDB `mongodb.name`. Null when none is set. */
export function topicPrefix(config: ConnectorConfig): string | null {
  return setting(config, "topic.prefix", "database.server.name", "mongodb.name");
}

/** Whether a value is a `${provider:…}` reference, which only the worker can resolve. */
export function isReference(value: string): boolean {
  return /\$\{[^}]+\}/.test(value);
}

/** Where a connector keeps its schema history. */
export type SchemaHistoryStore =
  | { store: "none" }
  | { store: "kafka"; className: string; topic: string | null; bootstrapServers: string | null }
  | { store: "other"; className: string };

const kafkaHistory = "io.debezium.storage.kafka.history.KafkaSchemaHistory";

/** `schema.history.internal.*`, before 2.0 `database.history.*`. `none` for types that need no schema history. */
export function schemaHistoryStore(config: ConnectorConfig): SchemaHistoryStore {
  if (!needsSchemaHistory(typeOf(config))) return { store: "none" };
  const className = setting(config, "schema.history.internal", "database.history") ?? kafkaHistory;
  if (!/\.Kafka(Schema|Database)History$/.test(className)) return { store: "other", className };
  return {
    store: "kafka",
    className,
    topic: setting(config, "schema.history.internal.kafka.topic", "database.history.kafka.topic"),
    bootstrapServers: setting(
      config,
      "schema.history.internal.kafka.bootstrap.servers",
      "database.history.kafka.bootstrap.servers",
    ),
  };
}

/** `snapshot.mode`, lower case; Debezium's default is `initial`. */
export function snapshotMode(config: ConnectorConfig): string {
  return (setting(config, "snapshot.mode") ?? "initial").toLowerCase();
}

/** `heartbeat.interval.ms` in milliseconds; 0, the default, turns heartbeats off. Null when it is not a number. */
export function heartbeatIntervalMs(config: ConnectorConfig): number | null {
  const text = setting(config, "heartbeat.interval.ms") ?? "0";
  return /^\d+$/.test(text) ? Number(text) : null;
}

/** `topic.delimiter`, by default a dot. */
export function topicDelimiter(config: ConnectorConfig): string {
  return setting(config, "topic.delimiter") ?? ".";
}

/** `topic.heartbeat.name` (3.6+), else `<topic.heartbeat.prefix><delimiter><topic.prefix>` (AbstractTopicNamingStrategy). */
export function heartbeatTopic(config: ConnectorConfig): string | null {
  const named = setting(config, "topic.heartbeat.name");
  if (named) return named;
  const prefix = topicPrefix(config);
  if (prefix === null) return null;
  const first =
    setting(config, "topic.heartbeat.prefix", "heartbeat.topics.prefix") ?? "__debezium-heartbeat";
  return `${first}${topicDelimiter(config)}${prefix}`;
}

/** `<topic.prefix><delimiter><topic.transaction>`; 1.x: `transaction.topic`, a whole name with a placeholder. */
export function transactionTopic(config: ConnectorConfig): string | null {
  const prefix = topicPrefix(config);
  if (prefix === null) return null;
  const whole = setting(config, "transaction.topic");
  if (whole) return whole.replace(/\$\{(database\.server\.name|topic\.prefix)\}/g, prefix);
  return `${prefix}${topicDelimiter(config)}${setting(config, "topic.transaction") ?? "transaction"}`;
}

/** `notification.sink.topic.name`; null when notifications go to no topic. */
export function notificationTopic(config: ConnectorConfig): string | null {
  return setting(config, "notification.sink.topic.name");
}

/** `signal.kafka.topic`, by default `<topic.prefix>-signal`. Named whether or not the Kafka channel is on. */
export function signalTopic(config: ConnectorConfig): string | null {
  const prefix = topicPrefix(config);
  return setting(config, "signal.kafka.topic") ?? (prefix === null ? null : `${prefix}-signal`);
}

/** Topics to which rows of the signalling tables would go (`signal.data.collection`, a list in 3.x). */
function signalTableTopics(config: ConnectorConfig): string[] {
  const prefix = topicPrefix(config);
  const tables = setting(config, "signal.data.collection");
  if (prefix === null || tables === null) return [];
  return tables.split(",").map((table) => `${prefix}${topicDelimiter(config)}${table.trim()}`);
}

/** The table that `heartbeat.action.query` writes to, without quotes; its changes are the connector's own doing. */
function heartbeatTable(config: ConnectorConfig): string | null {
  const query = setting(config, "heartbeat.action.query")?.replace(/["`[\]]/g, "");
  return /\b(?:into|update|from)\s+([\w$.]+)/i.exec(query ?? "")?.[1] ?? null;
}

export type TopicRole =
  | "table"
  | "heartbeat"
  | "transaction"
  | "schema-change"
  | "notification"
  | "signal"
  | "other";

/**
 * What a connector uses a topic for, by its configuration. A topic renamed by a transform is `other`,
 * and so is one of another connector whose prefix merely begins alike (`shop` does not own `shopping.public.x`).
 */
export function topicRole(config: ConnectorConfig, topic: string): TopicRole {
  const prefix = topicPrefix(config);
  if (topic === notificationTopic(config)) return "notification";
  if (topic === signalTopic(config) || signalTableTopics(config).includes(topic)) return "signal";
  if (topic === heartbeatTopic(config)) return "heartbeat";
  if (topic === transactionTopic(config)) return "transaction";
  if (prefix === null) return "other";
  if (topic === prefix) return needsSchemaHistory(typeOf(config)) ? "schema-change" : "other";
  if (!topic.startsWith(`${prefix}${topicDelimiter(config)}`)) return "other";
  const beaten = heartbeatTable(config);
  return beaten && `.${topic}`.endsWith(`.${beaten}`) ? "heartbeat" : "table";
}
