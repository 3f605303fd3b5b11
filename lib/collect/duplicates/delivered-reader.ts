import { isOfTheMoment } from "@/lib/collect/restarts/record-facts";
import type { ConnectorConfig } from "@/lib/debezium/config";
import type { ConnectorType } from "@/lib/debezium/connector-type";
import { schemaIdOf } from "@/lib/debezium/events/avro";
import {
  type DeliveredRecord,
  deliveredRecord,
  undecodedRecord,
} from "@/lib/debezium/events/delivered-record";
import { LogReadError, type TopicPartition } from "@/lib/kafka/log/log-reader";
import type { LogRecord } from "@/lib/kafka/log/record";
import type { SchemaRegistry } from "@/lib/kafka/registry";

/** Reads records of a topic, asking the schema registry where a value needs it. */
export type DeliveredReader = (record: LogRecord) => DeliveredRecord | Promise<DeliveredRecord>;

/**
 * A promise only where the registry is asked; await it only then, since many records are read.
 * @param registry null: values with a schema's id in front are unreadable
 * The reader throws LogReadError where the registry may answer at the next look.
 */
export function deliveredReader(
  at: TopicPartition,
  of: { config: ConnectorConfig | null; type: ConnectorType | null; registry: SchemaRegistry | null },
): DeliveredReader {
  const { config, type, registry } = of;
  async function decoded(record: LogRecord, value: Buffer, from: SchemaRegistry): Promise<DeliveredRecord> {
    const look = await from.decode(value);
    if (look === null) return deliveredRecord(record, at, config, type);
    if (look.failure === undefined)
      return deliveredRecord({ ...record, value: { decoded: look.value } }, at, config, type);
    const { failure } = look;
    if (isOfTheMoment(failure)) throw new LogReadError(failure, { ...at, offset: record.offset });
    return undecodedRecord(record, at, { why: `${failure.sentence}.`, remedy: failure.remedy });
  }
  return (record) => {
    const { value } = record;
    return value !== null && registry !== null && schemaIdOf(value) !== null
      ? decoded(record, value, registry)
      : deliveredRecord(record, at, config, type);
  };
}
