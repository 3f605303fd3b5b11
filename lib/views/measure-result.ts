import type { Measurement, PartitionDuplicates, TopicDuplicates } from "@/lib/observed/duplicates";
import type { DuplicatesTopic } from "./duplicates-schema";
import { duplicatesTopic } from "./duplicates-topic";
import { countOf, formatCount } from "./format";

type Sure = PartitionDuplicates["sure"];

/** The least sure of the partitions stands for the topic. */
const leastSure: readonly Sure[] = ["known-starts", "complete", "whole"];

function sureOf(partitions: readonly PartitionDuplicates[]): Sure | null {
  return leastSure.find((sure) => partitions.some((p) => p.sure === sure)) ?? null;
}

/** The same reason of several partitions, once, with all their records. */
function merged(
  partitions: readonly PartitionDuplicates[],
  scan: TopicDuplicates["scan"],
): TopicDuplicates["notMeasurable"] {
  const bySlug = new Map<string, TopicDuplicates["notMeasurable"][number]>();
  for (const one of [...partitions.flatMap((p) => p.notMeasurable), ...(scan?.notMeasurable ?? [])]) {
    const key = JSON.stringify([one.slug, one.reason]);
    const known = bySlug.get(key);
    const count = known && (known.count === null || one.count === null ? null : known.count + one.count);
    bySlug.set(key, known ? { ...known, count: count ?? null } : one);
  }
  return [...bySlug.values()];
}

/** What a measurement found of its topic; null until it is done. */
export function measuredTopic(measurement: Measurement): DuplicatesTopic | null {
  const { result, topic, from, to, startedAt } = measurement;
  if (!result) return null;
  const { partitions, scan } = result;
  const replays = partitions.flatMap((p) => p.replays);
  const bisected = partitions.length > 0;
  const sum = (of: (p: PartitionDuplicates) => number) => partitions.reduce((total, p) => total + of(p), 0);
  return duplicatesTopic(
    {
      topic,
      topicId: partitions[0]?.topicId ?? null,
      from: from ?? scan?.from ?? null,
      to: to ?? scan?.to ?? startedAt,
      records: bisected ? sum((p) => p.to - p.from) : null,
      behind: 0,
      duplicates: replays.reduce((total, r) => total + r.count, 0),
      replays: replays.length,
      day: { records: null, duplicates: 0, replays: 0 },
      sure: sureOf(partitions),
      uncommittedCopies: sum((p) => p.uncommittedCopies ?? 0),
      notMeasurable: merged(partitions, scan),
      falls: partitions.flatMap((p) => p.falls),
      scan,
    },
    { day: false },
  );
}

function duplicatesWords(topic: DuplicatesTopic): string {
  if (topic.duplicates === 0) return "No change was delivered twice";
  const changes = countOf(topic.duplicates, "change");
  const about = topic.interval ? "About " : "";
  const replays = topic.replays > 0 ? `, in ${countOf(topic.replays, "replay")}` : "";
  return `${about}${changes} ${topic.duplicates === 1 ? "was" : "were"} delivered twice${replays}: ${topic.rateWords}`;
}

/** What was found, in a sentence or two. */
export function measuredSummary(topic: DuplicatesTopic): string {
  if (topic.state === "not-measurable" || topic.rate === null)
    return topic.base === 0
      ? "There is nothing in this time: no record lies between its offsets."
      : `What came twice cannot be told. ${topic.notMeasurable[0]?.reason ?? ""}`.trim();
  const base = topic.base === null ? "" : ` of ${formatCount(topic.base)} ${topic.baseUnit}`;
  const of = topic.duplicates === 0 ? ` among ${formatCount(topic.base ?? 0)} ${topic.baseUnit}` : base;
  const part = topic.state === "in-part" ? " Not all of it can be measured: see below." : "";
  return `${duplicatesWords(topic)}${of} (${topic.how}).${part}`;
}
