/** End offsets of one topic summed over its partitions, or null where they could not be had. */
export interface TopicEnd {
  topic: string;
  /** Another one under the same name: the topic was deleted and made again. Null: the brokers do not tell. */
  topicId: string | null;
  end: number | null;
}

/**
 * Counts the records produced to a connector's topics since the series began, by their end offsets. It never falls:
 * a topic that was made again, was cut off, or is new begins with nothing, and what a failed look missed is added later.
 */
export class ProducedCounter {
  #produced: number;
  #ends = new Map<string, { id: string | null; end: number }>();

  /** @param before where the count stood when the collector last ran, and the ends of the topics then. */
  constructor(before: { produced: number; ends: readonly { topic: string; end: number | null }[] } | null) {
    this.#produced = before?.produced ?? 0;
    for (const { topic, end } of before?.ends ?? [])
      if (end !== null) this.#ends.set(topic, { id: null, end });
  }

  /** The count after one more look at all of the topics; null when the end of one of them is not known. */
  add(topics: readonly TopicEnd[]): number | null {
    const named = new Set(topics.map((t) => t.topic));
    for (const topic of this.#ends.keys()) if (!named.has(topic)) this.#ends.delete(topic);
    let known = true;
    for (const { topic, topicId, end } of topics) {
      if (end === null) {
        known = false;
        continue;
      }
      const last = this.#ends.get(topic);
      const same = last !== undefined && (last.id === null || topicId === null || last.id === topicId);
      if (same) this.#produced += Math.max(0, end - last.end);
      this.#ends.set(topic, { id: topicId, end });
    }
    return known ? this.#produced : null;
  }
}
