import { type ConnectorConfig, type TopicRole, topicPrefix } from "../config";
import type { DecodeWarning } from "../decode-report";
import { isJsonObject, type JsonObject } from "../json";
import { own, ownText } from "./members";
import type { RecordReading } from "./record-reading";

/** SignalAction of Debezium's own; connectors may know more. */
const signalTypes = [
  "execute-snapshot",
  "stop-snapshot",
  "pause-snapshot",
  "resume-snapshot",
  "log",
  "schema-changes",
  "set-binlog-position",
  "snapshot-window-open",
  "snapshot-window-close",
];

/**
 * A signal sent through Kafka: `{id, type, data}`. Outside a topic that is known to be for signals it is one only when
 * it has no other members and a type that Debezium knows.
 */
export function readSignal(
  value: JsonObject,
  key: string | null,
  role: TopicRole | null,
  config: ConnectorConfig | null,
): RecordReading | null {
  if (role === "table") return null;
  const type = ownText(value, "type");
  const plain = Object.keys(value).every((name) => name === "id" || name === "type" || name === "data");
  if (role !== "signal" && !(plain && type !== null && signalTypes.includes(type))) return null;
  return {
    kind: "signal",
    id: ownText(value, "id"),
    type,
    data: own(value, "data") ?? null,
    warnings: signalWarnings(value, type, key, config),
  };
}

function signalWarnings(
  value: JsonObject,
  type: string | null,
  key: string | null,
  config: ConnectorConfig | null,
): DecodeWarning[] {
  const warnings: DecodeWarning[] = [];
  const prefix = config === null ? null : topicPrefix(config);
  // KafkaSignalChannel looks at the key first, and leaves what is not for it alone.
  if (prefix !== null && key !== prefix) {
    const found = key === null ? "it has no key" : `its key is ${key}`;
    return [
      { slug: "signal-key", text: `Debezium ignores this signal: ${found}, not the topic.prefix ${prefix}.` },
    ];
  }
  if (!isJsonObject(own(value, "data")))
    warnings.push({
      slug: "signal-data",
      text: `${dataFault(value)}: Debezium stops reading signals from Kafka, without a word in its log, until the task restarts.`,
    });
  if (type === null) warnings.push({ slug: "signal-type", text: "It has no type: Debezium ignores it." });
  else if (!signalTypes.includes(type))
    warnings.push({
      slug: "signal-type",
      text: `Debezium knows no signal of type ${type}, unless the connector adds one: it is ignored with a warning in the log.`,
    });
  if (ownText(value, "id") === null)
    warnings.push({
      slug: "signal-id",
      text: "It has no id: Debezium makes one up, and its notifications cannot be told to be about this signal.",
    });
  return warnings;
}

function dataFault(value: JsonObject): string {
  const data = own(value, "data");
  if (data === undefined || data === null) return "data is missing";
  return typeof data === "string" ? "data is a text, not a map" : "data is not a map";
}
