import type { ConnectorConfig } from "@/lib/debezium/config";
import { topicPrefix } from "@/lib/debezium/config";
import type { ConnectorType } from "@/lib/debezium/connector-type";
import { schemaIdOf } from "@/lib/debezium/events/avro";
import { EventScanner } from "@/lib/debezium/events/event-scanner";
import { readRecord } from "@/lib/debezium/events/read-record";
import { recordKey } from "@/lib/debezium/events/record-key";
import type { DebeziumRecord } from "@/lib/debezium/events/record-reading";
import { runContext } from "@/lib/debezium/events/run-context";
import type { JsonObject } from "@/lib/debezium/json";
import { positionKinds } from "@/lib/debezium/positions/kinds";
import type { PositionKind } from "@/lib/debezium/positions/position";
import { LogReadError, type TopicPartition } from "@/lib/kafka/log/log-reader";
import type { LogRecord } from "@/lib/kafka/log/record";
import type { SchemaRegistry } from "@/lib/kafka/registry";
import type { Failure } from "@/lib/observed/observation";

/** What one record of a table's topic tells of the run that wrote it, and of where it stands. */
export interface RecordFacts {
  offset: number;
  /** Milliseconds since 1970, -1 for none. */
  timestamp: number;
  /** Null without Debezium 3.4's headers. */
  runId: string | null;
  taskId: string | null;
  /**
   * `change`: with a position. `snapshot`: a row that a snapshot read. `tombstone`. `foreign`: of another connector that
   * writes the same topic. `unreadable`: `why`.
   */
  kind: "change" | "snapshot" | "tombstone" | "foreign" | "unreadable";
  /** Null unless it is a change. Goes back to the connector's position kind. */
  position: unknown;
  /** Key and op as one text; empty unless it is a change. */
  identity: string;
  why: string | null;
}

/** Reads the records of one connector's topics. */
export interface FactsReader {
  readonly kind: PositionKind<unknown>;
  /** A promise only where a schema registry is asked. @throws LogReadError when it may answer later */
  read(record: LogRecord, at: TopicPartition): RecordFacts | Promise<RecordFacts>;
}

const transient: readonly Failure["kind"][] = ["unreachable", "timeout", "server-error"];

/** Whether who was asked may answer at the next look. */
export function isOfTheMoment({ kind }: Failure): boolean {
  return transient.includes(kind);
}

type Facts = Pick<RecordFacts, "kind" | "position" | "identity" | "why">;

/** @param registry for values with a schema's id in front; null: they cannot be read */
export function factsReader(
  type: ConnectorType,
  config: ConnectorConfig,
  registry: SchemaRegistry | null,
): FactsReader {
  const kind = positionKinds[type];
  const prefix = topicPrefix(config);
  const scanner = new EventScanner(["name"]);

  function ofChange(record: Pick<DebeziumRecord, "key">, op: string, source: JsonObject): Facts {
    const { name } = source;
    if (typeof name === "string" && prefix !== null && name !== prefix) return bare("foreign");
    if (op === "r") return bare("snapshot");
    const { position, problems } = kind.decodeSource(source);
    if (position === null) return bare("unreadable", problems[0]?.text ?? "The event tells no position.");
    return {
      kind: "change",
      position,
      identity: JSON.stringify([recordKey(record.key), op]),
      why: null,
    };
  }

  function factsOf(record: LogRecord, at: TopicPartition): Facts | Promise<Facts> {
    const { value } = record;
    if (value === null) return bare("tombstone");
    if (registry !== null && schemaIdOf(value) !== null) return decoded(record, at, registry);
    const scan = scanner.scan(value, 0, value.length);
    if (scan === "change") return ofChange(record, String.fromCharCode(scanner.op), scanner.source());
    return inFull(record, at);
  }

  async function decoded(record: LogRecord, at: TopicPartition, from: SchemaRegistry): Promise<Facts> {
    const look = record.value && (await from.decode(record.value));
    if (!look) return inFull(record, at);
    if (look.failure === undefined) return inFull({ ...record, value: { decoded: look.value } }, at);
    if (isOfTheMoment(look.failure)) throw new LogReadError(look.failure, { ...at, offset: record.offset });
    return bare("unreadable", `${look.failure.sentence}.`);
  }

  function inFull(record: DebeziumRecord, { topic }: TopicPartition): Facts {
    const reading = readRecord(record, { topic, config });
    if (reading.kind === "change") return ofChange(record, reading.op, reading.source);
    if (reading.kind === "flattened") return ofFlattened(record, reading);
    if (reading.kind === "tombstone") return bare("tombstone");
    return bare(
      "unreadable",
      reading.kind === "unreadable" ? `${reading.text}.` : `A record of kind ${reading.kind} is no event.`,
    );
  }

  function ofFlattened(record: DebeziumRecord, { op, deleted, source }: FlattenedFacts): Facts {
    return ofChange(record, op ?? (deleted ? "d" : "c"), source);
  }

  return {
    kind,
    read(record, at) {
      const run = runContext(record.headers);
      const foreign = prefix !== null && run?.logicalName != null && run.logicalName !== prefix;
      const whole = (facts: Facts): RecordFacts => ({
        offset: record.offset,
        timestamp: record.timestamp,
        runId: run?.runId ?? null,
        taskId: run?.taskId ?? null,
        ...facts,
      });
      const facts = foreign ? bare("foreign") : factsOf(record, at);
      return facts instanceof Promise ? facts.then(whole) : whole(facts);
    },
  };
}

interface FlattenedFacts {
  op: string | null;
  deleted: boolean | null;
  source: JsonObject;
}

function bare(kind: Facts["kind"], why: string | null = null): Facts {
  return { kind, position: null, identity: "", why };
}
