import { randomBytes } from "node:crypto";
import type { LogReader } from "@/lib/kafka/log/log-reader";
import type { SchemaRegistry } from "@/lib/kafka/registry";
import { secretBytes } from "@/lib/measure/duplicates/keyed-hash";
import type { ScanResult } from "@/lib/observed/duplicates";
import type { ScanState } from "../scan/scan-topic";
import type { Report } from "./bisect-topic";
import type { Instruments } from "./instruments";
import { MeasurementFailed } from "./measurement-failed";
import type { TopicRange } from "./topic-range";
import type { TopicWriter } from "./topic-writer";
import { tryAgain } from "./try-again";

export interface ScanOf {
  topic: string;
  range: TopicRange;
  writer: TopicWriter;
  registry: SchemaRegistry | null;
  maxBytesPerSecond: number;
  signal: AbortSignal;
  report: Report;
  pauseMs?: number;
}

/** Scans a range of a topic; after a broker was away it goes on from where it was. @throws MeasurementFailed */
export async function wholeScan(
  scan: Instruments["scan"],
  log: LogReader,
  { topic, range, writer, registry, maxBytesPerSecond, signal, report, pauseMs }: ScanOf,
): Promise<ScanResult> {
  // Of this measurement alone: its hashes are worth nothing to any other.
  const secret = randomBytes(secretBytes);
  const states = new Map<number, ScanState>();
  const { result, why } = await tryAgain(
    () =>
      scan(log, {
        ...{ topic, registry, secret, maxBytesPerSecond, signal },
        topicId: range.topicId,
        partitions: range.partitions,
        type: writer.type,
        config: writer.config,
        resume: [...states.values()],
        checkpoint: async (state) => {
          states.set(state.partition, state);
        },
        progress: ({ done, bytes }) => report(done, bytes),
      }),
    { topic, signal, pauseMs },
  );
  if (why === "recreated")
    throw new MeasurementFailed(
      `Topic ${topic} was deleted and made again, or cut, while it was scanned.`,
      "Measure it again.",
    );
  return result;
}
