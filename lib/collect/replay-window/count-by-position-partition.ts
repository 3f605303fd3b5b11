import type { ConnectorConfig } from "@/lib/debezium/config";
import { type Isolation, LogReadError, type LogReader, type ReadRange } from "@/lib/kafka/log/log-reader";
import type { SchemaRegistry } from "@/lib/kafka/registry";
import type { Coverage } from "@/lib/measure/replay-window/coverage";
import { type Found, type Probed, placeSearch } from "@/lib/measure/replay-window/place-search";
import type { WindowCount } from "@/lib/measure/replay-window/window-count";
import type { PartitionCount } from "@/lib/measure/replay-window/window-count-partition";
import type { Failure } from "@/lib/observed/observation";
import { BatchReader } from "./count-by-position-batches";
import { partitionName, type ReadingFacts } from "./count-by-position-facts";
import { lookAtBatch, probeRange } from "./count-by-position-probe";
import { type NotMeasurable, readStretch } from "./count-by-position-read";

/** One partition of a request. Offsets; see PositionRequest. */
export interface CountedPartition {
  topic: string;
  partition: number;
  topicId: string | null;
  from: number;
  guess: number;
  to: number;
  trusted: boolean;
}

/** What all partitions of one count share. */
export interface Counting {
  log: LogReader;
  config: ConnectorConfig;
  registry: SchemaRegistry | null;
  isolation: Isolation;
  signal: AbortSignal | undefined;
  coverage: Coverage;
  window: WindowCount;
  facts: ReadingFacts;
}

/** Records that are read at once without a search: about one fetch. */
const readAtOnce = 256;
const fetchBytes = 1024 * 1024;

/** One partition: looks for the place, then counts from there. */
export class PartitionReading {
  /** Where the reading begins; the range's start until the place was looked for. */
  start: number;
  /** What ended the whole count: the topic is another one now, or the reading was called off. */
  fatal: Failure | null = null;
  /** Why nothing of it could be read. */
  failure: Failure | null = null;
  notMeasurable: NotMeasurable | null = null;
  /** How often a change event could be placed, whether in the search or in the count: 0 when none could. */
  judged = 0;

  #by: Found["by"] = "one-run";
  #certain: boolean;
  readonly #reader: BatchReader;
  readonly #deleted: { from: number; to: number }[] = [];

  constructor(
    readonly range: CountedPartition,
    private readonly counting: Counting,
    /** See SearchRange. */
    private readonly rises: boolean,
  ) {
    this.start = range.from;
    this.#certain = range.trusted;
    const { coverage, config, registry } = counting;
    this.#reader = new BatchReader(range, coverage.fields, config, registry);
  }

  get size(): number {
    return this.range.to - this.start;
  }

  /** Looks for the place, unless what there is can be read as fast. */
  async search(): Promise<void> {
    const { from, to, trusted } = this.range;
    if (to - from <= readAtOnce && trusted) return;
    await this.#guarded(async () => {
      const search = placeSearch({ ...this.range, rises: this.rises });
      let step = search.next();
      while (!step.done) {
        const told = await this.#probe(step.value);
        if (this.fatal !== null) return;
        step = search.next(told);
      }
      const found = step.value;
      this.start = found.start;
      this.#by = found.by;
      this.#certain = found.certain;
      const { facts } = this.counting;
      facts.probes = Math.max(facts.probes, found.probes);
    });
  }

  async #probe(offset: number): Promise<Probed | null> {
    const { log, coverage, facts } = this.counting;
    if (facts.left <= 0) return null;
    const read = log.read(probeRange({ ...this.#readRange(), from: Math.max(0, offset) }));
    let probed: Probed | null = null;
    for (;;) {
      const step = await read.next();
      if (step.done) {
        facts.bytesRead += step.value.bytes;
        this.#ended(step.value.why);
        return probed;
      }
      const look = await lookAtBatch(step.value, this.#reader, coverage);
      probed = look.probed;
      if (look.placed) this.judged += 1;
      facts.take(step.value, this.range, probed?.run ?? null);
    }
  }

  /** Reads the last batch of data, counting nothing: for what batches tell of who wrote them. */
  async lookAtEnd(): Promise<void> {
    try {
      for (const back of [1, 2, 32]) {
        if (this.counting.facts.transactional !== null || this.range.to < back) return;
        await this.#probe(this.range.to - back);
      }
    } catch (error) {
      if (!(error instanceof LogReadError)) throw error;
    }
  }

  /** Counts from the place to the end; what the bytes do not last for, by offsets. */
  async count(): Promise<void> {
    if (this.failure !== null || this.fatal !== null) return;
    if (!this.#certain) this.#tellUncertain();
    if (this.start >= this.range.to) return;
    await this.#guarded(async () => {
      const { window } = this.counting;
      let count = this.#begin(this.#by);
      let end = await this.#read(count);
      if (end.why === "runs") {
        // What came before the place is a run's whose changes may have been sent again.
        window.forget(count);
        this.start = Math.min(this.start, this.range.from);
        count = this.#begin("distinct");
        end = await this.#read(count);
      }
      this.#ended(end.why);
      this.#deleted.push(...end.deleted);
      this.judged += count.judged;
      this.notMeasurable = end.notMeasurable;
      this.#tellDeleted();
      if (this.fatal === null) this.#tellUnread(end.next);
    });
  }

  #begin(by: Found["by"]): PartitionCount {
    return this.counting.window.partition(this.range.topic, by, this.range.guess);
  }

  #read(count: PartitionCount) {
    const { log, facts } = this.counting;
    const range = { ...this.#readRange(), from: this.start, fetchBytes, maxBytes: Math.max(1, facts.left) };
    return readStretch(log, range, this.#reader, count, facts);
  }

  #readRange(): ReadRange & { to: number } {
    const { topic, partition, topicId, from, to } = this.range;
    const { isolation, signal } = this.counting;
    return { topic, partition, topicId, from, to, isolation, ...(signal ? { signal } : {}) };
  }

  #ended(why: string): void {
    if (why === "recreated")
      this.fatal = {
        kind: "conflict",
        sentence: `topic ${this.range.topic} was deleted and made again: what was known of its offsets holds no more`,
        remedy: null,
      };
    if (why === "cancelled")
      this.fatal = { kind: "timeout", sentence: "the reading was called off", remedy: null };
  }

  async #guarded(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof LogReadError)) throw error;
      this.failure = error.failure;
      const records = this.range.to - Math.max(this.start, error.at.offset);
      const text = `${error.failure.sentence}: the ${records} records of ${partitionName(this.range)} are counted by their offsets.`;
      this.counting.window.unread({ records, note: { slug: "unreadable", text } });
    }
  }

  #tellUnread(next: number): void {
    const records = this.range.to - next;
    const name = partitionName(this.range);
    const how = `the last ${records} records of ${name} are counted by their offsets`;
    const none = this.notMeasurable;
    const note =
      none === null
        ? { slug: "unread", text: `Reading stopped at its limit of bytes: ${how}.` }
        : { slug: "not-measurable", text: `${none.text}: ${how}.${none.remedy ? ` ${none.remedy}` : ""}` };
    this.counting.window.unread({ records, note });
  }

  #tellDeleted(): void {
    for (const { from, to } of this.#deleted) {
      const text = `Offsets ${from} to ${to - 1} of ${partitionName(this.range)} were deleted by retention before they could be read: partly deleted before reading.`;
      this.counting.window.mayBeMore({ slug: "deleted", text });
    }
  }

  #tellUncertain(): void {
    const text = `The offset does not tell when its last change was made, so that it is not certain where in ${partitionName(this.range)} to begin: more may lie before offset ${this.start}.`;
    this.counting.window.mayBeMore({ slug: "place-uncertain", text });
  }
}
