import { mustBeDebezium } from "@/lib/collect/measurements/is-debezium";
import { MeasurementFailed } from "@/lib/collect/measurements/measurement-failed";
import { LogReadError } from "@/lib/kafka/log/log-reader";
import type { TopicLook } from "./duplicates-look";
import type { Asked } from "./duplicates-report";

/** Why no duplicate was found in a topic that seems to hold no changes; nothing where it does, or is empty. */
export async function notDebezium({
  log,
  topic,
  topicId,
  ranges,
  registry,
}: TopicLook): Promise<Asked["failed"]> {
  const partitions = ranges.filter(({ from, to }) => from < to);
  if (partitions.length === 0) return [];
  try {
    await mustBeDebezium(log, topic, { topicId, partitions }, registry);
    return [];
  } catch (error) {
    const blind = { count: null, partitions: null };
    if (error instanceof MeasurementFailed)
      return [{ ...blind, slug: "no-events", reason: error.sentence, remedy: error.remedy }];
    if (!(error instanceof LogReadError)) throw error;
    const { sentence, remedy } = error.failure;
    return [{ ...blind, slug: "unread", reason: sentence, remedy }];
  }
}
