import type { JudgedConnector } from "@/lib/checks/judged";
import { decodeOffsets } from "@/lib/debezium/decode";
import { parseJson } from "@/lib/debezium/json";
import type { PositionPartition } from "./position-section";

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
