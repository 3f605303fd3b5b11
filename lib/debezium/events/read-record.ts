import { topicRole } from "../config";
import { isJsonObject, type JsonObject, type JsonValue } from "../json";
import { readConnect, readOffset } from "./connect-topics";
import { readConnectorTopic } from "./connector-topics";
import { isEnvelope, readEnvelope } from "./envelope";
import { readFlattened } from "./flattened";
import { addFieldsHint } from "./flattening";
import { readOutbox } from "./outbox";
import { damagedRecord, ownTopic } from "./own-topics";
import { keyJson } from "./record-key";
import type { DebeziumRecord, RecordContext, RecordReading, Unreadable } from "./record-reading";
import { readSignal } from "./signal-record";
import { type Form, formOf, unreadable, utf8 } from "./value-form";

/**
 * Reads a record in full: what kind it is and what it tells about delivery, never the row. Where the configuration says
 * what a topic is for, a row that merely looks like something else is not taken for it. Never throws for what a record
 * holds.
 */
export function readRecord(record: DebeziumRecord, context: RecordContext): RecordReading {
  const key = keyJson(record.key);
  const plainKey = textKey(record, key);
  const form = valueForm(record, context);
  const value = "json" in form ? form.json : undefined;
  const offset = value === undefined ? null : readOffset(key, value);
  if (offset !== null) return offset;
  if (value === null) return (plainKey && readConnect(plainKey, null)) || { kind: "tombstone" };
  const known = isJsonObject(value) ? readObject(value, record, context, key, plainKey) : null;
  if (known !== null && known.kind !== "unreadable") return known;
  const outbox = readOutbox(record, context.config);
  if (outbox !== null) return outbox;
  const fault = known ?? ("json" in form ? notDebezium(form.json, context) : form);
  const use = ownTopic(context.config, context.topic);
  return use === null ? fault : damagedRecord(use, value, fault);
}

function valueForm(record: DebeziumRecord, context: RecordContext): Form {
  if (record.value === null) return { json: null };
  if (record.value instanceof Uint8Array) return formOf(record.value, context);
  return { json: record.value.decoded };
}

/** A key that is plain text: what StringConverter wrote, or a text in JSON. */
function textKey(record: DebeziumRecord, json: JsonValue | undefined): string | null {
  if (typeof json === "string") return json;
  return json === undefined && record.key instanceof Uint8Array ? utf8(record.key) : null;
}

function readObject(
  value: JsonObject,
  record: DebeziumRecord,
  context: RecordContext,
  key: JsonValue | undefined,
  plainKey: string | null,
): RecordReading | null {
  if (isEnvelope(value)) return readEnvelope(value);
  const config = context.config ?? null;
  const inHistory = ownTopic(config, context.topic) === "schema-history";
  const role = config === null || inHistory ? null : topicRole(config, context.topic);
  const connect = plainKey === null || role === "table" ? null : readConnect(plainKey, value);
  return (
    connect ??
    readConnectorTopic(value, key, inHistory ? "schema-history" : role) ??
    readSignal(value, plainKey, role, config) ??
    readFlattened(value, record, context) ??
    readCloudEvent(value)
  );
}

/** CloudEventsConverter puts the position into attributes of its own (`iodebeziumlsn`). */
function readCloudEvent(value: JsonObject): Unreadable | null {
  if (typeof value.specversion !== "string" || !Object.hasOwn(value, "iodebeziumop")) return null;
  return unreadable(
    "cloud-event",
    "CloudEvents — not measurable",
    "Let the connector write its values with JsonConverter or AvroConverter.",
  );
}

function notDebezium(value: JsonValue, context: RecordContext): Unreadable {
  const what = isJsonObject(value) ? "JSON without Debezium's envelope" : "JSON that is no map";
  return unreadable(
    "not-debezium",
    `${what}: no source position — not measurable`,
    `If it is a flattened event, set ${addFieldsHint(context.config)} on the transform ExtractNewRecordState.`,
  );
}
