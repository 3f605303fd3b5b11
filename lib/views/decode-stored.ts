import { z } from "zod";
import type { JudgedConnector } from "@/lib/checks/judged";
import { decodeOffsets } from "@/lib/debezium/decode";
import { type DecodedPartition, decodedPartitionSchema } from "@/lib/debezium/decode-report";
import { parseJson } from "@/lib/debezium/json";

export const storedPartitionSchema = decodedPartitionSchema.extend({
  /** Partition and offset as stored, JSON text, digits kept. */
  raw: z.object({ partition: z.string(), offset: z.string() }).nullable(),
});

export interface DecodedOffsets {
  /** What the report calls the connector. */
  connector: string;
  partitions: (DecodedPartition & { raw: { partition: string; offset: string } | null })[];
}

/** The stored offsets decoded, each with its raw text; null when there are none to decode. */
export function decodeStored(connector: JudgedConnector): DecodedOffsets | null {
  const stored = connector.offsets?.value?.offsets;
  if (!stored) return null;
  const report = decodeOffsets({
    config: connector.report.value?.config ?? {},
    offsets: stored.map(({ partition, offset }) => ({
      partition: parseJson(partition),
      offset: parseJson(offset),
    })),
  });
  return {
    connector: report.connector,
    partitions: report.partitions.map((decoded, index) => {
      const own = stored[index];
      return { ...decoded, raw: own ? { partition: own.partition, offset: own.offset } : null };
    }),
  };
}
