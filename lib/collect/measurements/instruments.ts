import type { ConnectorConfig } from "@/lib/debezium/config";
import type { ConnectorType } from "@/lib/debezium/connector-type";
import type { LogReader } from "@/lib/kafka/log/log-reader";
import type { SchemaRegistry } from "@/lib/kafka/registry";
import type { ScanResult } from "@/lib/observed/duplicates";
import type { MeasuredPartition, PartitionRequest } from "../duplicates/measure-partition";

/** What a topic is scanned with. */
export interface ScanRequest {
  topic: string;
  partitions: { partition: number; from: number; to: number }[];
  type: ConnectorType | null;
  config: ConnectorConfig | null;
  registry: SchemaRegistry | null;
  /** Key of the hashes. */
  secret: Buffer;
  maxBytesPerSecond?: number;
  signal?: AbortSignal;
  /** Offsets done over all partitions, bytes fetched. */
  progress?: (done: { offsets: number; bytes: number }) => void;
}

/** What measures: `measurePartition` and `scanTopic`, or what a test puts in their place. */
export interface Instruments {
  /** @throws LogReadError, RecordsGone */
  bisect(log: LogReader, request: PartitionRequest): Promise<MeasuredPartition>;
  /** @throws LogReadError, RecordsGone */
  scan(log: LogReader, request: ScanRequest): Promise<{ result: ScanResult }>;
}
