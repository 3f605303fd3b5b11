import type { ConnectorConfig } from "@/lib/debezium/config";
import { decodeOffsets } from "@/lib/debezium/decode";
import type { DecodedPartition } from "@/lib/debezium/decode-report";
import { parseJson } from "@/lib/debezium/json";
import type { StoredOffsets } from "@/lib/observed/connector";

export interface StoredPartitions {
  /** Those that a start would read, also where that is not certain. */
  used: DecodedPartition[];
  /** Those that a start would surely not read. */
  leftover: DecodedPartition[];
  /** Those of which neither is known. */
  undecided: DecodedPartition[];
}

/** Stored offsets by whether a start with this configuration would read them. */
export function storedPartitions(config: ConnectorConfig, offsets: StoredOffsets): StoredPartitions {
  const { partitions } = decodeOffsets({
    config,
    offsets: offsets.offsets.map((o) => ({ partition: parseJson(o.partition), offset: parseJson(o.offset) })),
  });
  const undecided = (p: DecodedPartition) => !p.used && (p.why?.startsWith("not known") ?? false);
  return {
    used: partitions.filter((p) => p.used),
    leftover: partitions.filter((p) => !p.used && !undecided(p)),
    undecided: partitions.filter(undecided),
  };
}
