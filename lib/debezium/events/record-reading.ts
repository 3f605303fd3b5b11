import type { ConnectorConfig } from "../config";
import type { DecodeWarning } from "../decode-report";
import type { JsonObject, JsonValue } from "../json";

/** A key or value: its bytes, null where the record has none, or what a schema registry's decoder made of the bytes. */
export type Content = Uint8Array | null | { decoded: JsonValue };

/** A Kafka record as it is read here. */
export interface DebeziumRecord {
  key: Content;
  value: Content;
  /** In the order written; a name can occur twice. */
  headers: readonly { name: string; value: Uint8Array | null }[];
}

/** What is known of where a record lies. The more is known, the less is guessed by content. */
export interface RecordContext {
  topic: string;
  /** Of the connector that writes the topic. */
  config?: ConnectorConfig | null;
  /** Class of the worker's converter, used where the connector's configuration names none. */
  valueConverter?: string | null;
}

/** A change event in Debezium's envelope. Rows (`before`, `after`) are left out. */
export interface ChangeReading {
  kind: "change";
  /** c, u, d, r (read by a snapshot), t (truncate), m (logical decoding message). */
  op: string;
  /** The `source` block, without the texts of statements; empty when the event has none. */
  source: JsonObject;
  /** The `transaction` block (provide.transaction.metadata). */
  transaction: JsonObject | null;
  /** Whether a snapshot read the row, so that the position is not one of its own. */
  snapshot: "initial" | "incremental" | null;
  /** Milliseconds since 1970 at which the connector handled it. */
  processedAt: number | null;
}

/** A change event flattened by ExtractNewRecordState, with what add.fields and add.headers put into it. */
export interface FlattenedReading {
  kind: "flattened";
  /** Null when it was not added. */
  op: string | null;
  /** True for a delete that was rewritten into a row; null when the row does not tell. */
  deleted: boolean | null;
  /** The fields of `source` that were added, under their names there. */
  source: JsonObject;
  transaction: JsonObject | null;
  snapshot: "initial" | "incremental" | null;
  processedAt: number | null;
  from: "fields" | "headers" | "fields and headers";
  /** Fields that would help to order or identify it and were not added. */
  missing: string[];
}

/** A change to the captured tables' structure, in the connector's own topic or in its schema history. */
export interface SchemaFacts {
  databaseName: string | null;
  schemaName: string | null;
  /** The statement; null when only the resulting structure was recorded. */
  ddl: string | null;
  tables: { change: string; id: string }[];
  at: number | null;
}

/** Why a record tells nothing about delivery. */
export type UnreadableReason =
  | "too-short"
  | "avro"
  | "protobuf"
  | "registry"
  | "not-json"
  | "cloud-event"
  | "no-position"
  | "not-debezium";

export type RecordReading =
  | ChangeReading
  | FlattenedReading
  /** Marks a key as deleted for compaction: follows a delete, is no change of its own. */
  | { kind: "tombstone" }
  | { kind: "heartbeat"; at: number | null }
  | {
      kind: "transaction";
      status: "BEGIN" | "END";
      id: string;
      /** Changes in it, and of which tables; null at its beginning. */
      events: bigint | null;
      tables: { table: string; events: bigint | null }[] | null;
      at: number | null;
    }
  | ({ kind: "schema-change"; source: JsonObject } & SchemaFacts)
  | ({ kind: "schema-history"; partition: JsonObject; position: JsonObject } & SchemaFacts)
  | {
      kind: "notification";
      id: string;
      type: string;
      aggregateType: string;
      data: JsonObject;
      at: number | null;
    }
  | {
      kind: "signal";
      id: string | null;
      type: string | null;
      data: JsonValue;
      /** What Debezium will make of it, if it is not what was meant. */
      warnings: DecodeWarning[];
    }
  /** An event of the outbox pattern: its payload is the application's own, its id makes it unique. */
  | { kind: "outbox"; id: string; eventType: string | null }
  /** A record of an offset topic; a null offset deletes what was stored. */
  | { kind: "offset"; connector: string; partition: JsonObject; offset: JsonValue }
  /** Of Kafka Connect's configuration or status topic. Its value, which can hold passwords, is left out. */
  | { kind: "connect"; topic: "config" | "status"; key: string }
  | {
      kind: "unreadable";
      reason: UnreadableReason;
      /** A clause such as `Avro, schema id 42 — not measurable without schema registry`. */
      text: string;
      /** What to change so that it can be read; null where nothing helps. */
      remedy: string | null;
    };

export type Unreadable = Extract<RecordReading, { kind: "unreadable" }>;
