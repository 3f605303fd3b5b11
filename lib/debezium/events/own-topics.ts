import { type ConnectorConfig, schemaHistoryStore, topicRole } from "../config";
import { isJsonObject, type JsonValue } from "../json";
import type { Unreadable } from "./record-reading";
import { unreadable } from "./value-form";

/** Topics from which Debezium itself reads, so that a damaged record there has an effect of its own. */
type OwnTopic = "signal" | "schema-history";

/** Null for other topics, and where the configuration is not known. */
export function ownTopic(config: ConnectorConfig | null | undefined, topic: string): OwnTopic | null {
  if (!config) return null;
  const history = schemaHistoryStore(config);
  if (history.store === "kafka" && history.topic === topic) return "schema-history";
  return topicRole(config, topic) === "signal" ? "signal" : null;
}

/** What a record that cannot be read means where Debezium was to read it (KafkaSignalChannel, KafkaSchemaHistory). */
export function damagedRecord(topic: OwnTopic, value: JsonValue | undefined, fault: Unreadable): Unreadable {
  const what = value === undefined ? fault.text : isJsonObject(value) ? null : "JSON that is no map";
  if (topic === "signal")
    return unreadable(
      fault.reason,
      `no signal (${what ?? "not id, type and data"}): Debezium ignores it`,
      'Send a JSON map such as {"id":"1","type":"execute-snapshot","data":{…}}.',
    );
  return unreadable(
    fault.reason,
    `damaged schema history record (${what ?? "source or position is missing"}): Debezium skips it when it reads the history`,
    "If a table's structure was in it, snapshot.mode=recovery builds the history again.",
  );
}
