import type { Failure } from "@/lib/observed/observation";
import type { TopicEnd } from "@/lib/observed/topic";

/** One look at the end of a topic: offsets summed over its partitions. */
export interface TopicLook {
  topic: string;
  role: TopicEnd["role"];
  look: { partitions: number; end: bigint } | { failure: Failure };
}

/**
 * A topic's end after one more look, with its growth since the look before.
 * @param elapsedMs time since the look before; null at the first one
 */
export function nextTopicEnd(
  before: TopicEnd | null,
  { topic, role, look }: TopicLook,
  now: Date,
  elapsedMs: number | null,
): TopicEnd {
  const watchedSince = before?.watchedSince ?? now.toISOString();
  const kept = { topic, role, watchedSince, grewAt: before?.grewAt ?? null };
  if ("failure" in look) {
    return {
      ...kept,
      partitions: before?.partitions ?? null,
      end: before?.end ?? null,
      perSecond: null,
      failure: look.failure,
    };
  }
  const grown = before?.end == null ? null : look.end - BigInt(before.end);
  // An end that fell belongs to another topic of the same name: it was deleted and made again.
  if (grown !== null && grown < 0n) return nextTopicEnd(null, { topic, role, look }, now, null);
  return {
    ...kept,
    partitions: look.partitions,
    end: look.end.toString(),
    grewAt: grown !== null && grown > 0n ? now.toISOString() : kept.grewAt,
    perSecond: grown === null || !elapsedMs ? null : Number(grown) / (elapsedMs / 1000),
    failure: null,
  };
}
