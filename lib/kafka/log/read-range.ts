import { logEnds } from "../requests";
import { AbortedTransactions } from "./aborted";
import { BatchWalk } from "./batch-walk";
import { wasCut } from "./epoch-end";
import { mostFetchBytes } from "./fetch-gate";
import { fetchedBatch } from "./fetched-batch";
import { type Fetched, openFetcher } from "./fetcher";
import { type LogSource, offsetsOf } from "./log-offsets";
import type { FetchedBatch, ReadEnd, ReadRange, TopicPartition } from "./log-reader";
import { orAborted } from "./patience";
import { firstEpoch, offsetAfter } from "./record-set";
import { unreadable } from "./unreadable";

/** Of one fetch, unless the range says otherwise. */
const defaultFetchBytes = 4 * 1024 * 1024;
/** Not worth being smaller, once one batch did not do. */
const SMALL_FETCH = 64 * 1024;

/** How a read goes about its fetches. */
export interface Pace {
  /** Bytes of the first fetch; each after it asks for eight times as many, up to `fetchBytes` of the range. */
  firstBytes?: number;
  /** Whether the next fetch is sent before the batches of one are looked at. */
  ahead: boolean;
}

/** See LogReader.read. @throws LogReadError */
export async function* readRange(
  source: LogSource,
  range: ReadRange,
  pace: Pace = { ahead: true },
): AsyncGenerator<FetchedBatch, ReadEnd> {
  const read = new RangeRead(source, range, pace);
  try {
    await read.begin();
    while (!read.done) {
      const fetched = await read.fetch();
      if (fetched.what !== "records") read.moveInto(fetched);
      else if (await read.wasCut(fetched.partition.records)) read.moveInto({ what: "recreated" });
      else {
        for (const batch of read.batches(fetched)) yield batch;
        if (range.keepsNothing) source.k.giveBack(fetched.partition.records);
      }
    }
    return await read.end();
  } catch (error) {
    if (range.signal?.aborted) return read.cancelled();
    throw error;
  }
}

class RangeRead {
  done = false;
  private why: ReadEnd["why"] = "end";
  private next: number;
  private limit = 0;
  private bytes = 0;
  private looked = 0;
  private readonly deleted: ReadEnd["deleted"] = [];
  /** Of the last batch; it never falls within one topic's life. */
  private epoch = -1;
  /** The offset after it. */
  private read = 0;
  /** Every answer came from a broker that compared the topic's id. */
  private byId = false;
  private fetchBytes: number;
  /** What the next batch is known to take. */
  private need = 1;
  private asked = 0;
  private ahead: { offset: number; fetched: Promise<Fetched> } | null = null;
  private readonly at: TopicPartition;
  private readonly most: number;
  private readonly fetcher;

  constructor(
    private readonly source: LogSource,
    private readonly range: ReadRange,
    private readonly pace: Pace,
  ) {
    const { topic, partition, isolation, signal, from, fetchBytes = defaultFetchBytes } = range;
    this.at = { topic, partition };
    this.next = from;
    this.most = Math.max(1, Math.min(fetchBytes, mostFetchBytes));
    this.fetchBytes = Math.min(pace.firstBytes ?? this.most, this.most);
    this.fetcher = openFetcher(source, this.at, isolation, signal, range.topicId ?? null);
  }

  async begin(): Promise<void> {
    const { to, isolation, from, signal } = this.range;
    if (!Number.isSafeInteger(from) || from < 0) throw new RangeError(`${from} is no offset`);
    if (to === undefined) {
      const question = { ...this.at, timestamp: logEnds.latest };
      const [end] = await orAborted(offsetsOf(this.source, [question], isolation, signal), signal);
      if (typeof end !== "number") {
        throw unreadable(this.at, from, end?.kind ?? "internal", end?.sentence ?? "", end?.remedy ?? null);
      }
      // Beyond the end: a fetch tells whether it is beyond an open transaction only.
      this.limit = from > end ? from + 1 : end;
    } else this.limit = to;
    if (this.next >= this.limit) this.finish("end");
  }

  /** The answer at the offset reached: the one already under way, if it is for this offset. */
  async fetch(): Promise<Fetched> {
    const { ahead } = this;
    this.ahead = null;
    if (ahead?.offset === this.next) return ahead.fetched;
    return this.send(this.next).fetched;
  }

  private send(offset: number): { offset: number; fetched: Promise<Fetched> } {
    const budget = (this.range.maxBytes ?? Number.POSITIVE_INFINITY) - this.bytes;
    this.asked = Math.max(this.need, Math.min(this.fetchBytes, budget));
    this.fetchBytes = Math.min(Math.max(this.fetchBytes * 8, SMALL_FETCH), this.most);
    const fetched = this.fetcher.fetch(offset, this.asked);
    fetched.catch(() => {}); // perhaps nobody waits for it any more
    return { offset, fetched };
  }

  /** Whether what was read is in the log no more: can be only where another leader's records follow. */
  async wasCut(records: Buffer): Promise<boolean> {
    if (this.epoch < 0 || firstEpoch(records) <= this.epoch) return false;
    return wasCut(this.source, this.at, { epoch: this.epoch, end: this.read }, this.range.signal);
  }

  /** Deals with an offset that is not in the log. */
  moveInto(fetched: Exclude<Fetched, { what: "records" }>): void {
    if (fetched.what === "recreated" || this.next > fetched.end) {
      this.finish("recreated");
      return;
    }
    const to = Math.min(fetched.first, this.limit);
    const gap = { from: this.next, to };
    this.deleted.push(gap);
    this.range.onDeleted?.(gap);
    this.next = to;
    if (this.next >= this.limit) this.finish("end");
  }

  /** Walks an answer; afterwards either a next fetch is due, or the read is done. */
  *batches(fetched: Extract<Fetched, { what: "records" }>): Generator<FetchedBatch, void> {
    const { isolation, signal, maxBytes = Number.POSITIVE_INFINITY } = this.range;
    const { records, aborted } = fetched.partition;
    this.byId = fetched.byId;
    this.bytes += records.length;
    const limit = Math.min(this.limit, Math.max(fetched.end, this.next));
    if (records.length === 0) {
      // The end, or nothing before it that compaction left.
      this.next = limit;
      return this.finish("end");
    }
    const asked = this.asked;
    const following = offsetAfter(records);
    if (this.pace.ahead && following > this.next && following < limit && this.bytes < maxBytes) {
      this.ahead = this.send(following);
    }
    this.need = 1;
    const from = this.next;
    const walk = new BatchWalk(records, this.at, from);
    const transactions = new AbortedTransactions(aborted, this.at);
    for (let batch = walk.next(); batch !== null; batch = walk.next()) {
      if (batch.leaderEpoch >= 0) {
        if (!fetched.byId && batch.leaderEpoch < this.epoch) return this.finish("recreated");
        this.epoch = batch.leaderEpoch;
      }
      this.read = batch.lastOffset + 1;
      const wanted = { from: this.next, to: limit };
      this.next = Math.min(batch.lastOffset + 1, limit);
      this.looked += batch.bytes;
      if (batch.baseOffset >= limit) return this.finish("end");
      yield fetchedBatch(batch, this.at, isolation === "read_committed" ? transactions : null, wanted);
      signal?.throwIfAborted();
      if (this.next >= limit) return this.finish("end");
      if (this.looked >= maxBytes) return this.finish("budget");
    }
    if (this.next === from) this.askForMore(walk, asked);
  }

  /** No whole batch came. @throws LogReadError when more bytes would not help */
  private askForMore(walk: BatchWalk, asked: number): void {
    const { next } = this;
    if (!walk.cut) {
      throw unreadable(this.at, next, "invalid-answer", "the broker answers with earlier offsets only", null);
    }
    const need = walk.cut.need ?? asked * 2;
    if (need > mostFetchBytes) {
      const what = `a batch of ${need} bytes is larger than the 60 MiB that Tidemark fetches at once`;
      throw unreadable(this.at, next, "too-large", what, "The offsets after it can be read.");
    }
    if (walk.cut.need !== null && asked >= need) {
      const what = `the broker gives ${walk.cut.have} of ${need} bytes of a batch, whatever it is asked for`;
      throw unreadable(this.at, next, "invalid-answer", what, null);
    }
    this.need = need;
    this.ahead = null;
  }

  private finish(why: ReadEnd["why"]): void {
    this.done = true;
    this.why = why;
  }

  async end(): Promise<ReadEnd> {
    // Brokers that fetch by name do not notice that it is another topic's now.
    if (this.why !== "recreated" && !this.byId && !(await this.fetcher.sameTopic())) this.why = "recreated";
    if (this.why === "recreated") this.next = await this.firstOffset();
    return this.told(this.why);
  }

  cancelled(): ReadEnd {
    return this.told("cancelled");
  }

  private told(why: ReadEnd["why"]): ReadEnd {
    return { why, next: this.next, deleted: this.deleted, bytes: this.bytes };
  }

  private async firstOffset(): Promise<number> {
    const { signal } = this.range;
    const question = { ...this.at, timestamp: logEnds.earliest };
    const [first] = await orAborted(offsetsOf(this.source, [question], "read_uncommitted", signal), signal);
    return typeof first === "number" ? first : 0;
  }
}
