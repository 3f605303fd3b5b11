import type { JudgedConnector } from "@/lib/checks/judged";
import { topicRole } from "@/lib/debezium/config";
import type { LogReader, TopicPartition } from "@/lib/kafka/log/log-reader";
import { noLeader } from "@/lib/kafka/topic-ends";
import type { Failure, Look } from "@/lib/observed/observation";

/** One topic as the brokers tell of it: its partitions with the first offsets that are not stable yet. */
export interface TopicEnds {
  topicId: string | null;
  partitions: readonly { partition: number; end: number }[];
}

export const partitionName = ({ topic, partition }: TopicPartition) => `${topic}/${partition}`;

/** The topics in which a connector's changes lie: of its tables, and those that a transform named. Null: not known yet. */
export function changeTopics(known: JudgedConnector): string[] | null {
  const config = known.report.value?.config ?? {};
  const topics = known.topics?.value?.topics ?? null;
  return topics?.filter((topic) => ["table", "other"].includes(topicRole(config, topic))) ?? null;
}

/**
 * Asks for the ends of topics: one Metadata request for each 500, one ListOffsets request for each leader. A topic that cannot be
 * looked at fails alone; all fails where no broker answers. Ends are the last stable offsets: what lies behind them was not
 * delivered to readers of committed records yet.
 */
export async function lookAtEnds(
  log: LogReader,
  topics: readonly string[],
): Promise<Look<Map<string, TopicEnds | Failure>>> {
  if (topics.length === 0) return { value: new Map() };
  const described = await log.describe(topics);
  if (described.failure !== undefined) return described;
  const found = new Map<string, TopicEnds | Failure>();
  const asked: TopicPartition[] = [];
  for (const topic of topics) {
    const one = described.value.get(topic) ?? leftOut(topic);
    if ("kind" in one) found.set(topic, one);
    else {
      const without = one.partitions.find(({ leader }) => leader < 0);
      if (without) found.set(topic, noLeader(topic, without.partition));
      else asked.push(...one.partitions.map(({ partition }) => ({ topic, partition })));
    }
  }
  const ends = await log.ends(asked, "last-stable");
  for (const [i, { topic, partition }] of asked.entries()) {
    const end = ends[i] ?? leftOut(topic);
    const known = found.get(topic);
    if (known && "kind" in known) continue;
    const one = described.value.get(topic);
    const topicId = one && !("kind" in one) ? one.topicId : null;
    const partitions = known?.partitions ?? [];
    found.set(
      topic,
      typeof end === "number" ? { topicId, partitions: [...partitions, { partition, end }] } : end,
    );
  }
  return { value: found };
}

function leftOut(topic: string): Failure {
  return { kind: "invalid-answer", sentence: `the brokers' answer leaves out topic ${topic}`, remedy: null };
}

/** By partition, the first offset at or after a time; the end where there is none. Left out where it could not be had. */
export async function offsetsAt(
  log: LogReader,
  partitions: readonly (TopicPartition & { end: number })[],
  timestamp: number,
): Promise<Map<string, number>> {
  const found = await log.offsetsForTime(partitions.map((p) => ({ ...p, timestamp })));
  return new Map(
    partitions.flatMap((p, i) => {
      const one = found[i];
      if (one === undefined || (one !== null && "kind" in one)) return [];
      return [[partitionName(p), one === null ? p.end : Math.min(one.offset, p.end)] as const];
    }),
  );
}
