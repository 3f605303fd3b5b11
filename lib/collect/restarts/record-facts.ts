import type { ConnectorConfig } from "@/lib/debezium/config";
import { topicPrefix } from "@/lib/debezium/config";
import type { ConnectorType } from "@/lib/debezium/connector-type";
import { EventScanner } from "@/lib/debezium/events/event-scanner";
import { readRecord } from "@/lib/debezium/events/read-record";
import { recordKey } from "@/lib/debezium/events/record-key";
import { runContext } from "@/lib/debezium/events/run-context";
import type { JsonObject } from "@/lib/debezium/json";
import { positionKinds } from "@/lib/debezium/positions/kinds";
import type { PositionKind } from "@/lib/debezium/positions/position";
import type { LogRecord } from "@/lib/kafka/log/record";

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
  read(record: LogRecord, topic: string): RecordFacts;
}

type Facts = Pick<RecordFacts, "kind" | "position" | "identity" | "why">;

export function factsReader(type: ConnectorType, config: ConnectorConfig): FactsReader {
  const kind = positionKinds[type];
  const prefix = topicPrefix(config);
  const scanner = new EventScanner(["name"]);

  function ofChange(record: LogRecord, op: string, source: JsonObject): Facts {
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

  function factsOf(record: LogRecord, topic: string): Facts {
    const { value } = record;
    if (value === null) return bare("tombstone");
    const scan = scanner.scan(value, 0, value.length);
    if (scan === "change") return ofChange(record, String.fromCharCode(scanner.op), scanner.source());
    const reading = readRecord(record, { topic, config });
    if (reading.kind === "change") return ofChange(record, reading.op, reading.source);
    if (reading.kind === "flattened") return ofFlattened(record, reading);
    if (reading.kind === "tombstone") return bare("tombstone");
    return bare(
      "unreadable",
      reading.kind === "unreadable" ? `${reading.text}.` : `A record of kind ${reading.kind} is no event.`,
    );
  }

  function ofFlattened(record: LogRecord, { op, deleted, source }: FlattenedFacts): Facts {
    return ofChange(record, op ?? (deleted ? "d" : "c"), source);
  }

  return {
    kind,
    read(record, topic) {
      const run = runContext(record.headers);
      const foreign = prefix !== null && run?.logicalName != null && run.logicalName !== prefix;
      return {
        offset: record.offset,
        timestamp: record.timestamp,
        runId: run?.runId ?? null,
        taskId: run?.taskId ?? null,
        ...(foreign ? bare("foreign") : factsOf(record, topic)),
      };
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
