import type { ConnectorConfig } from "@/lib/debezium/config";
import type { ConnectorType } from "@/lib/debezium/connector-type";
import type { LogReader } from "@/lib/kafka/log/log-reader";
import type { SchemaRegistry } from "@/lib/kafka/registry";
import type { Carried } from "@/lib/measure/duplicates/carried";
import type { PartitionDuplicates, ScanResult } from "@/lib/observed/duplicates";

/** What one partition is measured with. Offsets: `to` is not included. */
export interface BisectRequest {
  topic: string;
  partition: number;
  topicId: string | null;
  from: number;
  to: number;
  carried: Carried | null;
  type: ConnectorType | null;
  config: ConnectorConfig | null;
  /** Known starts of tasks, milliseconds since 1970. */
  starts: readonly number[];
  registry: SchemaRegistry | null;
  maxBytes: number;
  signal?: AbortSignal;
  progress?: (done: { offset: number; bytes: number }) => void;
}

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
  bisect(log: LogReader, request: BisectRequest): Promise<{ found: PartitionDuplicates; carried: Carried }>;
  /** @throws LogReadError, RecordsGone */
  scan(log: LogReader, request: ScanRequest): Promise<{ result: ScanResult }>;
}
