import type { StoredOffsets } from "@/lib/observed/connector";

/** One connector of the fleet, as the readers are told of it. */
export interface FleetConnector {
  name: string;
  topics: string[];
  /** Milliseconds since 1970: when its offset was committed, and the source's time inside that. */
  committedAt: number;
  sourceAt: number;
}

/** A fleet, and how much its windows hold together: the truth that each reader has to find. */
export interface FleetSpec {
  connectors: FleetConnector[];
  /** Connect's offset topic; null: there is none, and the offsets are those of the specification. */
  offsetTopic: string | null;
  partitions: number;
  low: number;
  high: number;
}

/** Records in each partition, a second apart from `base` on. */
export const RECORDS = 20;

export function recordTime(base: number, record: number): number {
  return base + record * 1_000;
}

/** Connectors with topics of their own; each committed at another moment. */
export function fleetOf(
  of: { connectors: number; topics: number; partitions: number; offsetTopic: string | null },
  base: number,
): FleetSpec {
  const spec: FleetSpec = { connectors: [], offsetTopic: of.offsetTopic, partitions: 0, low: 0, high: 0 };
  for (let c = 0; c < of.connectors; c++) {
    const name = `fleet-${c}`;
    const topics = Array.from({ length: of.topics }, (_, t) => `${name}.public.t${t}`);
    // Half a second after this record; the source's time is that of the record two before.
    const covered = 5 + (c % 10);
    const committedAt = recordTime(base, covered) + 500;
    spec.connectors.push({ name, topics, committedAt, sourceAt: recordTime(base, covered - 2) });
    const partitions = of.topics * of.partitions;
    spec.partitions += partitions;
    spec.low += partitions * (RECORDS - covered - 1);
    spec.high += partitions * (RECORDS - covered + 2);
  }
  return spec;
}

export const sourcePartition = (connector: string) => `{"server":"${connector}"}`;

/** As Debezium's PostgreSQL connector stores it. */
export function storedOffset({ sourceAt }: FleetConnector): string {
  const lsn = 27_355_448 + (sourceAt % 1_000_000);
  return `{"lsn_proc":${lsn},"messageType":"BEGIN","lsn_commit":${lsn},"lsn":${lsn},"txId":756,"ts_usec":${sourceAt}000}`;
}

export function storedOffsets(connector: FleetConnector): StoredOffsets {
  const committedAt = new Date(connector.committedAt).toISOString();
  const partition = sourcePartition(connector.name);
  return { from: "topic", offsets: [{ partition, offset: storedOffset(connector), committedAt }] };
}
