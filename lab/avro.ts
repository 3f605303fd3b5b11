import type { LabPorts } from "./ports";

/** The connector that writes Avro: the tables of `orders-cdc` once more. */
export const AVRO = "orders-avro-cdc";

/** Address of the schema registry's Confluent API. */
export function registryUrlOf({ registry }: Pick<LabPorts, "registry">): string {
  return `http://127.0.0.1:${registry}/apis/ccompat/v7`;
}

/** The config of {@link AVRO}, over `source`: a database, a slot and a publication. */
export function avroConfig(source: Record<string, string>, ports: LabPorts): Record<string, string> {
  return {
    ...source,
    "table.include.list": "public.orders,public.order_lines,public.customers,public.audit_nopk",
    "tasks.max": "1",
    "topic.prefix": "avro",
    "snapshot.mode": "initial",
    "provide.transaction.metadata": "true",
    "heartbeat.interval.ms": "5000",
    "topic.creation.default.partitions": "1",
    "topic.creation.default.replication.factor": "1",
    // Avro allows no "-" and no "." in names.
    "schema.name.adjustment.mode": "avro",
    ...converter("key.converter", ports),
    ...converter("value.converter", ports),
  };
}

/** Confluent's form of records: a zero, the schema's id in four bytes, Avro. */
function converter(name: string, { registry }: LabPorts): Record<string, string> {
  return {
    [name]: "io.apicurio.registry.utils.converter.AvroConverter",
    [`${name}.apicurio.registry.url`]: `http://127.0.0.1:${registry}/apis/registry/v2`,
    [`${name}.apicurio.registry.auto-register`]: "true",
    [`${name}.apicurio.registry.find-latest`]: "true",
    [`${name}.apicurio.registry.as-confluent`]: "true",
    [`${name}.apicurio.registry.headers.enabled`]: "false",
  };
}
