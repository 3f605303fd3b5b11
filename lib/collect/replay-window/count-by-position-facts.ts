import type { FetchedBatch, TopicPartition } from "@/lib/kafka/log/log-reader";

/** What the batches that were read tell beside the count, and what the reading takes. */
export class ReadingFacts {
  /** Of the newest batch of data; null: none was read. */
  transactional: boolean | null = null;
  readonly appendTime = new Set<string>();
  readonly runIds = new Map<string, string | null>();
  /** Most batches asked for to find the place in one partition. */
  probes = 0;
  bytesRead = 0;
  readonly partitions = new Set<string>();

  #newestAt = Number.NEGATIVE_INFINITY;
  #bytes = 0;
  #records = 0;
  readonly #newest = new Map<string, number>();

  constructor(private readonly maxBytes: number) {}

  /** Bytes that may still be read. */
  get left(): number {
    return this.maxBytes - this.bytesRead;
  }

  get bytesPerRecord(): number | null {
    return this.#records === 0 ? null : this.#bytes / this.#records;
  }

  /** Takes a batch that was fetched. `run`: null when its records do not tell. */
  take(batch: FetchedBatch, at: TopicPartition, run: string | null): void {
    const name = partitionName(at);
    this.partitions.add(name);
    if (batch.timestamps === "append") this.appendTime.add(at.topic);
    if (batch.control || batch.count === 0) return;
    this.#bytes += batch.bytes;
    this.#records += batch.count;
    if (batch.maxTimestamp >= this.#newestAt) {
      this.#newestAt = batch.maxTimestamp;
      this.transactional = batch.transactional;
    }
    if (!batch.visible || batch.lastOffset < (this.#newest.get(name) ?? -1)) return;
    this.#newest.set(name, batch.lastOffset);
    this.runIds.set(name, run);
  }
}

export function partitionName({ topic, partition }: TopicPartition): string {
  return `${topic}/${partition}`;
}
