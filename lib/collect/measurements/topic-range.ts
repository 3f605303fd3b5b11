import type { LogReader, TimedOffset } from "@/lib/kafka/log/log-reader";
import type { Failure } from "@/lib/observed/observation";
import { failedBy, MeasurementFailed } from "./measurement-failed";

/** One partition's part of what is measured, in Kafka offsets. */
export interface PartitionRange {
  partition: number;
  /** The first to be measured, and the first not. */
  from: number;
  to: number;
}

export interface TopicRange {
  topicId: string | null;
  /** Those with something to measure, by partition. */
  partitions: PartitionRange[];
}

/** Times of records in milliseconds since 1970, `to` not included; null: from the first, to the last. */
interface Times {
  from: number | null;
  to: number | null;
}

/**
 * Where a topic's records of a time range lie, up to the end as it is now for readers that wait for commits.
 * @throws MeasurementFailed where the topic is not there or may not be read, or has no record in the range
 */
export async function topicRange(log: LogReader, topic: string, times: Times): Promise<TopicRange> {
  const { topicId, partitions } = await described(log, topic);
  const at = partitions.map((partition) => ({ topic, partition }));
  const where = `Topic ${topic} cannot be measured`;
  const offsets = async (timestamp: number | null, otherwise: number[]) => {
    if (timestamp === null) return otherwise;
    const found = await log.offsetsForTime(at.map((one) => ({ ...one, timestamp })));
    return told(found, where).map((one) => one?.offset ?? null);
  };
  const earliest = told(await log.ends(at, "earliest"), where);
  const ends = told(await log.ends(at, "last-stable"), where);
  const first = await offsets(times.from, earliest);
  const last = await offsets(times.to, ends);
  const ranges = partitions.map((partition, i) => {
    const [start, end] = [earliest[i] ?? 0, ends[i] ?? 0];
    // No record is as young as that: the range begins at the end, or reaches to it.
    return {
      partition,
      from: Math.max(start, first[i] ?? end),
      to: Math.min(end, last[i] ?? end),
    };
  });
  const wanted = ranges.filter(({ from, to }) => from < to);
  if (wanted.length === 0) throw nothingIn(topic, times, ranges);
  return { topicId, partitions: wanted };
}

async function described(log: LogReader, topic: string) {
  const { value, failure } = await log.describe([topic]);
  const found = failure ?? value.get(topic) ?? unanswered;
  if ("kind" in found) throw failedBy(found, `Topic ${topic} cannot be measured`);
  return {
    topicId: found.topicId,
    partitions: found.partitions.map(({ partition }) => partition).sort((a, b) => a - b),
  };
}

const unanswered: Failure = {
  kind: "invalid-answer",
  sentence: "the brokers did not answer about it",
  remedy: null,
};

/** All of them, or why one could not be had: figures over a part of the partitions would look like those of all. */
function told<T extends number | TimedOffset | null>(answers: readonly (T | Failure)[], where: string): T[] {
  return answers.map((answer) => {
    if (typeof answer === "object" && answer !== null && "kind" in answer) throw failedBy(answer, where);
    return answer;
  });
}

function nothingIn(topic: string, { from, to }: Times, ranges: readonly PartitionRange[]): MeasurementFailed {
  if (ranges.every((one) => one.from >= one.to && from === null && to === null))
    return new MeasurementFailed(
      `Topic ${topic} holds no record: nothing was written, or retention has removed it.`,
      "Measure it again when something was written.",
    );
  const time = (ms: number) => new Date(ms).toISOString();
  const range = [from !== null && `from ${time(from)}`, to !== null && `to ${time(to)}`].filter(Boolean);
  return new MeasurementFailed(
    `Topic ${topic} holds no record ${range.join(" ")}, by the records' own timestamps.`,
    "Choose a longer range. What retention has removed cannot be measured.",
  );
}
