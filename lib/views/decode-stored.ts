import { z } from "zod";
import type { JudgedConnector } from "@/lib/checks/judged";
import { decodeOffsets } from "@/lib/debezium/decode";
import { decodedPartitionSchema } from "@/lib/debezium/decode-report";
import { parseJson } from "@/lib/debezium/json";

export const positionPartitionSchema = decodedPartitionSchema.extend({
  /** Partition and offset as stored, JSON text, digits kept. */
  raw: z.object({ partition: z.string(), offset: z.string() }).nullable(),
});
export type PositionPartition = z.infer<typeof positionPartitionSchema>;

export interface DecodedOffsets {
  connector: string;
  partitions: PositionPartition[];
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
    partitions: report.partitions.map((decoded, index) => ({ ...decoded, raw: stored[index] ?? null })),
  };
}
