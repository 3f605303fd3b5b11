import type { ConnectorType } from "../connector-type";
import type { DecodedField, DecodedRecord } from "../decode-report";
import type { RecordReading } from "../events/record-reading";
import { guessType } from "../guess-type";
import { type JsonValue, plainText } from "../json";
import { commonField } from "../positions/common-fields";
import { count, knownTime, plural, textField, timeField, wholeField } from "../positions/field-kinds";
import { positionKinds } from "../positions/kinds";
import { eventPosition } from "./event-position";
import { decoded, sourceFields } from "./source-fields";

type Other = Exclude<RecordReading, { kind: "change" } | { kind: "flattened" }>;
type Of<K extends Other["kind"]> = Extract<Other, { kind: K }>;
type Explained = Pick<DecodedRecord, "kind" | "text"> & Partial<DecodedRecord>;

/** A record that is neither a change event nor a stored offset. */
export function otherRecord(reading: Other, type?: ConnectorType): Explained {
  switch (reading.kind) {
    case "tombstone":
      return {
        kind: "tombstone",
        text: "lets compaction remove the key's older records; follows a delete, and is no change itself",
      };
    case "heartbeat":
      return {
        kind: "heartbeat",
        text: "lets the offset be committed while the tables are quiet",
        fields: timeFields(reading.at),
      };
    case "transaction":
      return transaction(reading);
    case "schema-change":
      return schemaChange(reading, type);
    case "schema-history":
      return schemaHistory(reading, type);
    case "notification":
      return notification(reading);
    case "signal":
      return signal(reading);
    case "outbox":
      return {
        kind: "outbox",
        text: "its payload is the application's own, and its id makes it unique",
        fields: [
          decoded("id", reading.id, textField("Id of the event, unique in the outbox.")),
          ...(reading.eventType === null
            ? []
            : [decoded("eventType", reading.eventType, textField("Type of the event."))]),
        ],
        identity: { id: reading.id, why: null },
      };
    case "offset":
      return { kind: "unreadable", text: "a stored offset" };
    case "connect":
      return connectRecord(reading);
    case "unreadable":
      return { kind: "unreadable", text: reading.text, remedy: reading.remedy };
  }
}

function timeFields(at: number | null, meaning = "When the connector wrote it."): DecodedField[] {
  return at === null ? [] : [decoded("ts_ms", at, timeField(meaning, 1_000n))];
}

function transaction(reading: Of<"transaction">): Explained {
  const { status, id, events, tables } = reading;
  const counted = events === null || events < 0n ? "" : `, ${plural(events, "change")}`;
  return {
    kind: "transaction",
    text: status === "BEGIN" ? `${id} begins` : `${id} ends${counted}`,
    fields: [
      decoded(
        "id",
        id,
        textField("The transaction. PostgreSQL's BEGIN and END share what stands before the colon."),
      ),
      ...(events === null ? [] : [decoded("event_count", events, wholeField("Changes in the transaction."))]),
      ...(tables ?? []).map(({ table, events: own }) =>
        decoded(`data_collections.${table}`, own, wholeField("Changes of this table in the transaction.")),
      ),
      ...timeFields(reading.at, "Time that the connector gives for it."),
    ],
  };
}

type SchemaReading = Of<"schema-change"> | Of<"schema-history">;

/** A statement of this many characters is shown whole. */
const mostDdl = 2_000;

function schemaFields({ databaseName, schemaName, ddl, tables, at }: SchemaReading): DecodedField[] {
  const named = (name: string, value: JsonValue, meaning: string) =>
    value === null || value === "" ? [] : [decoded(name, value, textField(meaning))];
  return [
    ...named("databaseName", databaseName, "Database."),
    ...named("schemaName", schemaName, "Schema."),
    ...named("ddl", ddl && ddl.length > mostDdl ? `${ddl.slice(0, mostDdl)}…` : ddl, "The statement."),
    ...tables.map(({ change, id }) =>
      decoded(`tableChanges.${id}`, change, textField("What became of the table's structure.")),
    ),
    ...timeFields(at),
  ];
}

function schemaText(reading: SchemaReading): string {
  const { tables, databaseName } = reading;
  if (tables.length === 0) return `a statement${databaseName ? ` in ${databaseName}` : ""}`;
  return tables.map(({ change, id }) => `${change} ${id}`).join(", ");
}

function schemaChange(reading: Of<"schema-change">, given?: ConnectorType): Explained {
  const name = typeof reading.source.connector === "string" ? reading.source.connector : null;
  const type =
    given ?? (name !== null && Object.hasOwn(positionKinds, name) ? (name as ConnectorType) : "unknown");
  return {
    kind: "schema-change",
    text: schemaText(reading),
    connector: type === "unknown" ? name : type,
    position: eventPosition(type, reading.source),
    fields: [...schemaFields(reading), ...sourceFields(type, reading.source)],
    sourceTime: millisText(reading.source.ts_ms),
  };
}

function millisText(value: JsonValue | undefined): string | null {
  const millis = count(value);
  return millis === null ? null : knownTime(millis * 1_000n);
}

function schemaHistory(reading: Of<"schema-history">, given?: ConnectorType): Explained {
  const guess = guessType(reading.partition, reading.position);
  const type = given ?? guess.type;
  const kind = positionKinds[type];
  const micros = kind.sourceTime(reading.position);
  return {
    kind: "schema-history",
    text: schemaText(reading),
    connector: given ?? guess.unsure ?? (type === "unknown" ? null : type),
    position: kind.headline(reading.position),
    fields: [
      ...schemaFields(reading),
      ...Object.entries(reading.position).map(([key, value]) => {
        const field = Object.hasOwn(kind.fields, key) ? kind.fields[key] : commonField(key);
        return decoded(`position.${key}`, value, field ?? undefined);
      }),
    ],
    sourceTime: knownTime(micros),
  };
}

function notification(reading: Of<"notification">): Explained {
  const { id, type, aggregateType, data, at } = reading;
  const table = data.scanned_collection ?? data.current_collection_in_progress ?? data.data_collections;
  const status = data.status;
  const about = [table, status].filter((part) => typeof part === "string").join(", ");
  return {
    kind: "notification",
    text: `${aggregateType}: ${type}${about ? ` (${about})` : ""}`,
    fields: [
      decoded(
        "id",
        id,
        textField("Id of the notification; for an incremental snapshot, of the signal that asked for it."),
      ),
      ...Object.entries(data).map(([key, value]) =>
        decoded(`additional_data.${key}`, value, textField(notificationMeaning(key))),
      ),
      ...(at === null ? [] : [decoded("timestamp", at, timeField("When it was sent.", 1_000n))]),
    ],
    warnings: notificationWarnings(status),
  };
}

const notificationMeanings: Readonly<Record<string, string>> = {
  connector_name: "topic.prefix of the connector.",
  data_collections: "Tables of the snapshot.",
  current_collection_in_progress: "The table that is being read.",
  scanned_collection: "The table that has been read.",
  maximum_key: "Highest key of the table when its snapshot began.",
  last_processed_key: "Key of the last row that was read.",
  total_rows_scanned: "Rows read so far.",
  status: "How the table ended.",
};

function notificationMeaning(key: string): string {
  return Object.hasOwn(notificationMeanings, key)
    ? (notificationMeanings[key] ?? "")
    : "Not known to Tidemark; shown as written.";
}

/** COMPLETED says only that nothing more will be read: a table's status says how it went. */
function notificationWarnings(status: JsonValue | undefined): DecodedRecord["warnings"] {
  if (typeof status !== "string" || ["SUCCEEDED", "EMPTY"].includes(status)) return [];
  return [{ slug: "snapshot-failed", text: `The table was not read: ${status}.` }];
}

function signal({ id, type, data, warnings }: Of<"signal">): Explained {
  return {
    kind: "signal",
    text: type ?? "without a type",
    fields: [
      ...(id === null ? [] : [decoded("id", id, textField("Id of the signal; notifications carry it."))]),
      ...(data === null
        ? []
        : [{ ...decoded("data", data, undefined), text: plainText(data), meaning: "What is asked for." }]),
    ],
    warnings,
  };
}

function connectRecord({ topic, key }: Of<"connect">): Explained {
  return {
    kind: "connect",
    text: `Kafka Connect's own, of its ${topic} topic: it holds no position${topic === "config" ? ", and can hold passwords: its value is not shown" : ""}`,
    fields: [decoded("key", key, textField("Key of the record."))],
  };
}
