import { randomBytes } from "node:crypto";
import { scanTopic } from "@/lib/collect/scan/scan-topic";
import { LogReadError } from "@/lib/kafka/log/log-reader";
import type { ScanResult } from "@/lib/observed/duplicates";
import { formatBytes } from "@/lib/views/format";
import { notDebezium } from "./duplicates-debezium";
import type { TopicLook } from "./duplicates-look";
import { type Asked, type DuplicatesReport, scanReport } from "./duplicates-report";
import { cannot } from "./replay-look";

/**
 * Reads every record of the ranges, one partition after the other. What an interrupted scan had read counts.
 */
export async function scanWholeTopic(
  look: TopicLook,
  asked: (failed: Asked["failed"]) => Asked,
): Promise<DuplicatesReport> {
  const { bar, log, topic, topicId, ranges, type, config, registry, signal } = look;
  bar.stage("reading every record");
  try {
    const { result, why, reached } = await scanTopic(log, {
      ...{ topic, topicId, type, config, registry, signal },
      partitions: ranges.map(({ partition, from, to }) => ({ partition, from, to })),
      // Of this scan alone: its hashes are worth nothing to any other.
      secret: randomBytes(8),
      progress: ({ done, total, bytes }) =>
        bar.at({ done, total, beside: `${formatBytes(bytes)} read`.replaceAll("\u00a0", " ") }),
    });
    for (const range of ranges)
      range.measuredTo = reached.find(({ partition }) => partition === range.partition)?.next ?? range.from;
    return scanReport(asked(await blindSpots(look, result, why)), "scan", result, null);
  } catch (error) {
    if (error instanceof LogReadError) throw cannot(error.failure);
    throw error;
  }
}

async function blindSpots(
  look: TopicLook,
  result: ScanResult,
  why: "end" | "cancelled" | "recreated",
): Promise<Asked["failed"]> {
  if (why === "recreated") {
    const reason = `Topic ${look.topic} was deleted and made again while it was read`;
    return [{ slug: "recreated", reason, count: null, remedy: "Measure it again.", partitions: null }];
  }
  const isEmpty = result.events + result.reReads === 0 && result.notMeasurable.length === 0;
  return why === "end" && isEmpty ? notDebezium(look) : [];
}
