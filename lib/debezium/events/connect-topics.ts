import { isJsonObject, type JsonObject, type JsonValue } from "../json";
import type { RecordReading } from "./record-reading";

/** A record of an offset topic by its key, `["connector name",{source partition}]`; null for other keys (OffsetUtils). */
export function readOffset(key: JsonValue | undefined, offset: JsonValue): RecordReading | null {
  if (!Array.isArray(key) || key.length !== 2) return null;
  const [connector, partition] = key;
  if (typeof connector !== "string" || !isJsonObject(partition)) return null;
  return { kind: "offset", connector, partition, offset };
}

/** Keys of KafkaStatusBackingStore and KafkaConfigBackingStore: plain text, never JSON. */
const statusKey = /^status-(connector|task|topic)-./;
const configKey =
  /^(connector|task|commit|target-state|tasks-count|tasks-fencing|restart-connector|logger-cluster)-.|^session-key$/;

/** What the values of these topics begin with. */
const members = ["state", "topic", "properties", "tasks", "task-count", "key", "include-tasks", "level"];

/**
 * A record of Connect's configuration or status topic. Rows can have such keys too, written by StringConverter: so the
 * value must look the part. The deletion of a status is told by its key alone.
 */
export function readConnect(key: string, value: JsonObject | null): RecordReading | null {
  if (value !== null && !members.some((member) => Object.hasOwn(value, member))) return null;
  if (statusKey.test(key)) return { kind: "connect", topic: "status", key };
  return value !== null && configKey.test(key) ? { kind: "connect", topic: "config", key } : null;
}
