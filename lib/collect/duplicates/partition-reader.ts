import { RecordsGone } from "@/lib/collect/restarts/partition-log";
import type { DeliveredRecord } from "@/lib/debezium/events/delivered-record";
import type { FetchedBatch, LogReader, ReadEnd, TopicPartition } from "@/lib/kafka/log/log-reader";
import type { LogRecord } from "@/lib/kafka/log/record";
import { RecordCursor } from "@/lib/kafka/log/record-cursor";
import { BatchSizes } from "./batch-sizes";
import type { DeliveredReader } from "./delivered-reader";
import { KeptWindows, type Window } from "./kept-windows";

export interface Where extends TopicPartition {
  topicId: string | null;
}

/** What the log does not tell within the bytes that a search may take. */
export class NothingNear extends Error {
  override readonly name = "NothingNear";
}

const isolation = "read_committed";
/** Most bytes that one search steps over, where nothing lies that matters: other connectors' records, tombstones. */
const SEARCH_BYTES = 8 * 1024 * 1024;
/** The same for whom rows of snapshots can be passed over, and after how many bytes that is tried. */
const PASSING_BYTES = 32 * 1024 * 1024;
const PASS_AFTER = 512 * 1024;
const FIRST_CHUNK = 64 * 1024;
const LARGEST_CHUNK = 4 * 1024 * 1024;

export type Wanted = (record: DeliveredRecord) => boolean;
/** Where a search that came to an offset goes on: the same, or beyond what is known to hold nothing wanted. */
export type Pass = (at: number) => Promise<number>;
/** False: it has enough. */
export type Take = (record: DeliveredRecord) => unknown;

/** What else who walks along can say. */
export interface Walker {
  /** Gets the records of aborted transactions, which nobody else does. */
  aborted?: (record: DeliveredRecord) => void;
  /** True: a record need not be read, and counts as taken. */
  passes?: (record: LogRecord) => boolean;
  /** The offset up to which all is wanted, as far as is known by now: where that is the end, it is read in large pieces. */
  wanted?: () => number;
}

/** One partition, read by batches: searched here and there, or walked along. */
export class PartitionReader {
  /** Fetched so far, and by how many reads. */
  bytes = 0;
  reads = 0;
  /** The first offset that is still there, as far as reads have told. */
  earliest = 0;
  /** A batch of a transaction was seen. */
  transactional = false;
  readonly #sizes = new BatchSizes();
  readonly #kept = new KeptWindows();

  constructor(
    private readonly log: LogReader,
    readonly where: Where,
    private readonly read: DeliveredReader,
    private readonly signal?: AbortSignal,
  ) {}

  get name(): string {
    return `${this.where.topic}-${this.where.partition}`;
  }

  /** Bytes that so many offsets take, by what was seen so far. */
  bytesOf(offsets: number): number {
    return this.#sizes.bytesOf(offsets);
  }

  #chunkFor(offsets: number): number {
    return Math.ceil(Math.min(FIRST_CHUNK, this.#sizes.toAskFor(offsets)));
  }

  /** The first record wanted from `from` on, before `to`; null when there is none. @throws LogReadError, RecordsGone, NothingNear */
  async first(from: number, to: number, wanted: Wanted, pass?: Pass): Promise<DeliveredRecord | null> {
    let at = from;
    let chunk = 1;
    // Several searches may be under way: each has its own bytes.
    let stepped = 0;
    let passAt = PASS_AFTER;
    while (at < to) {
      for (const window of await this.#windows(at, to, chunk)) {
        stepped += window.bytes;
        const found = await this.#search(window, at, to, wanted);
        if (found) return found;
        at = window.to;
      }
      chunk = Math.min(LARGEST_CHUNK, Math.max(FIRST_CHUNK, chunk * 4));
      if (pass && stepped >= passAt && at < to) {
        const beyond = await pass(at);
        if (beyond > at) [at, stepped, chunk] = [beyond, 0, 1];
        passAt = stepped + PASS_AFTER;
      }
      if (stepped > (pass ? PASSING_BYTES : SEARCH_BYTES)) throw this.#nothingNear("after", from, stepped);
    }
    return null;
  }

  /** The last record wanted before `to`, from `from` on. @throws LogReadError, RecordsGone, NothingNear */
  async last(from: number, to: number, wanted: Wanted, pass?: Pass): Promise<DeliveredRecord | null> {
    let top = to;
    let stepped = 0;
    let passAt = PASS_AFTER;
    for (let size = 1; top > from; size *= 8) {
      const bottom = Math.max(from, top - size);
      let found: DeliveredRecord | null = null;
      let at = bottom;
      while (at < top) {
        for (const window of await this.#windows(at, top, size === 1 ? 1 : this.#chunkFor(top - at))) {
          stepped += window.bytes;
          found = (await this.#searchBack(window, at, top, wanted)) ?? found;
          at = window.to;
        }
      }
      if (found) return found;
      top = bottom;
      if (pass && stepped >= passAt && top > from) {
        const beyond = await pass(top);
        if (beyond < top) [top, stepped, size] = [beyond, 0, 1];
        passAt = stepped + PASS_AFTER;
      }
      if (stepped > (pass ? PASSING_BYTES : SEARCH_BYTES)) throw this.#nothingNear("before", to, stepped);
    }
    return null;
  }

  /**
   * Walks along from `from` to before `to` until `take` returns false or so many bytes are read. Returns where it goes on.
   * @throws LogReadError, RecordsGone where retention took what was to be read
   */
  async walk(from: number, to: number, maxBytes: number, take: Take, walker: Walker = {}): Promise<number> {
    const { passes, aborted } = walker;
    const start = this.bytes;
    let at = from;
    while (at < to) {
      const read = this.bytes - start;
      const left = maxBytes - read;
      if (left <= 0) return at;
      const windows = await this.#windows(at, to, Math.min(left, this.#chunk(at, to, read, walker)), false);
      for (const window of windows) {
        const records = window.records();
        for (let i = 0; i < records.length; i++) {
          const logged = records[i] as LogRecord;
          if (logged.offset < at) continue;
          if (logged.offset >= to) break;
          if (!window.aborted && passes?.(logged) === true) continue;
          const read = this.#delivered(window, logged, i);
          // Not awaited where it need not be: many are read.
          const record = read instanceof Promise ? await read : read;
          if (window.aborted) aborted?.(record);
          else if (take(record) === false) return logged.offset + 1;
        }
        at = Math.min(to, window.to);
      }
    }
    return at;
  }

  /** Bytes of the next fetch of a walk that has read so many. */
  #chunk(at: number, to: number, read: number, { wanted }: Walker): number {
    const until = Math.min(to, wanted?.() ?? to);
    const expected = Math.ceil(this.#sizes.toAskFor((until > at ? until : to) - at));
    if (wanted && until >= to) return Math.min(LARGEST_CHUNK, expected);
    // Who takes may have enough at any record: no more is fetched than was taken, a quarter of that where nothing is expected.
    const chunk = Math.max(FIRST_CHUNK, wanted ? read : read / 4);
    return Math.ceil(Math.min(LARGEST_CHUNK, chunk, expected));
  }

  /** The first offset whose record is not older than a time, in milliseconds since 1970; null where the broker tells none. */
  async offsetAt(timestamp: number): Promise<number | null> {
    const { topic, partition } = this.where;
    this.reads += 1;
    const [found] = await this.log.offsetsForTime([{ topic, partition, timestamp }]);
    return found && "offset" in found ? found.offset : null;
  }

  async #search(window: Window, from: number, to: number, wanted: Wanted): Promise<DeliveredRecord | null> {
    if (window.aborted) return null;
    for (const [i, logged] of window.records().entries()) {
      if (logged.offset < from) continue;
      if (logged.offset >= to) return null;
      const record = await this.#delivered(window, logged, i);
      if (wanted(record)) return record;
    }
    return null;
  }

  async #searchBack(
    window: Window,
    from: number,
    to: number,
    wanted: Wanted,
  ): Promise<DeliveredRecord | null> {
    if (window.aborted) return null;
    const records = window.records();
    for (let i = records.length - 1; i >= 0; i--) {
      const logged = records[i] as LogRecord;
      if (logged.offset >= to) continue;
      if (logged.offset < from) return null;
      const record = await this.#delivered(window, logged, i);
      if (wanted(record)) return record;
    }
    return null;
  }

  /** Each record is read once for each batch that is kept. */
  #delivered(
    { read: known }: Window,
    logged: LogRecord,
    i: number,
  ): DeliveredRecord | Promise<DeliveredRecord> {
    if (known === null) return this.read(logged);
    const there = known[i];
    if (there) return there;
    const read = this.read(logged);
    if (!(read instanceof Promise)) {
      known[i] = read;
      return read;
    }
    return read.then((record) => {
      known[i] = record;
      return record;
    });
  }

  /** Batches from `at` on, the first one that holds it: from what is kept, or one fetch. Never none before `to`. */
  async #windows(at: number, to: number, maxBytes: number, keep = true): Promise<Window[]> {
    const kept = this.#kept.at(at);
    return kept ? [kept] : this.#fetch(at, to, maxBytes, keep);
  }

  /**
   * Reads a range once, and keeps it: what is looked for in it afterwards costs no read.
   * @throws LogReadError, RecordsGone
   */
  async readWhole(
    from: number,
    to: number,
    maxBytes: number,
    take: (batch: FetchedBatch) => Promise<void>,
  ): Promise<ReadEnd> {
    this.signal?.throwIfAborted();
    this.reads += 1;
    const reading = this.log.read({
      ...{ ...this.where, from, to, isolation, maxBytes },
      ...(this.signal ? { signal: this.signal } : {}),
    });
    for (;;) {
      const { done, value } = await reading.next();
      if (done) {
        this.#took(value);
        const reached = this.#kept.wholeTo ?? from;
        const next = value.why === "end" ? to : Math.min(to, value.next);
        // What compaction left out. A read that ended early left the next record unread.
        if (reached < next) this.#kept.addWhole({ ...nothing, from: reached, to: next });
        return value;
      }
      await take(value);
      const window = this.#window(value, true);
      // What compaction left out.
      const reached = this.#kept.wholeTo ?? from;
      if (window.from > reached) this.#kept.addWhole({ ...nothing, from: reached, to: window.from });
      this.#kept.addWhole(window);
    }
  }

  async #fetch(at: number, to: number, maxBytes: number, keep: boolean): Promise<Window[]> {
    this.signal?.throwIfAborted();
    this.reads += 1;
    const windows: Window[] = [];
    const reading = this.log.read({
      ...this.where,
      from: at,
      to,
      isolation,
      maxBytes,
      ...(this.signal ? { signal: this.signal } : {}),
    });
    for (;;) {
      const { done, value } = await reading.next();
      if (done) return this.#ended(at, to, value, windows);
      const window = this.#window(value, keep);
      windows.push(window);
      if (keep) this.#kept.add(window);
    }
  }

  /** @throws RecordsGone */
  #took(end: ReadEnd): void {
    this.bytes += end.bytes;
    this.signal?.throwIfAborted();
    if (end.why === "recreated")
      throw new RecordsGone(`Topic ${this.where.topic} was deleted and made again.`);
    const [gone] = end.deleted;
    if (gone) {
      this.earliest = Math.max(this.earliest, gone.to);
      throw new RecordsGone(
        `Retention removed offsets ${gone.from} to ${gone.to - 1} of ${this.name} before they were read.`,
      );
    }
  }

  #ended(at: number, to: number, end: ReadEnd, windows: Window[]): Window[] {
    this.#took(end);
    // What compaction left out, and an end that was not reached: nothing more is there.
    const next = end.why === "end" ? to : Math.max(end.next, at + 1);
    const reached = windows.at(-1)?.to ?? at;
    if (reached < next) windows.push({ ...nothing, from: reached, to: next });
    return windows;
  }

  /** @param keep its records are taken out now: what they were fetched with is not held with them */
  #window(batch: FetchedBatch, keep: boolean): Window {
    this.#sizes.note(batch);
    if (batch.transactional) this.transactional = true;
    const take = () => (batch.control ? [] : allOf(batch, this.where));
    const records = keep ? take() : null;
    return {
      from: batch.baseOffset,
      to: batch.lastOffset + 1,
      bytes: batch.bytes,
      records: records === null ? take : () => records,
      read: keep ? [] : null,
      aborted: batch.aborted === true,
    };
  }

  #nothingNear(side: "before" | "after", offset: number, bytes: number): NothingNear {
    return new NothingNear(
      `In ${Math.floor(bytes / 1024 / 1024)} MiB ${side} offset ${offset} of ${this.name} lies no record that tells where the connector stood.`,
    );
  }
}

const nothing = { bytes: 0, records: () => [], read: null, aborted: false };

/** Those before the offset asked for too: a bisection comes back to them. */
function allOf(batch: FetchedBatch, at: TopicPartition): LogRecord[] {
  const cursor = new RecordCursor(at);
  cursor.open(batch);
  const records: LogRecord[] = [];
  while (cursor.next()) records.push(cursor.record());
  return records;
}
