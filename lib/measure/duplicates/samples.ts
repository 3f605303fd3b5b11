import { type DeliveredRecord, deliveredOrder } from "@/lib/debezium/events/delivered-record";
import type { Order } from "@/lib/debezium/positions/position";
import type { NotMeasurable } from "@/lib/observed/duplicates";
import { IdentitySample } from "./identity-sample";
import { type KeyChange, KeySample } from "./key-sample";
import { KeyedHash } from "./keyed-hash";
import { type ScanFigures, scanFigures } from "./scan-figures";
import { StateReader, StateUnreadable, StateWriter } from "./state-bytes";

/** Of a state's form. One of another form is not read: the scan begins anew. */
const version = 1;

export interface SampleLimits {
  /** Most identities in the sample; some 12 bytes each, twice that for a moment. */
  identities: number;
  /** Most rows in the sample of rows; some 400 bytes each, with what is remembered of their changes. */
  keys: number;
}

/** For a whole topic: below 64 MB together. */
export const standardLimits: SampleLimits = { identities: 500_000, keys: 16_000 };

/** A partition's part of a topic's limits: the same whoever reads it. */
export function limitsOf(partitions: number, whole: SampleLimits = standardLimits): SampleLimits {
  const part = (limit: number) => Math.max(256, Math.floor(limit / Math.max(1, partitions)));
  return { identities: part(whole.identities), keys: part(whole.keys) };
}

/** Records that tell nothing about duplicates, for one reason. */
type Reasons = Map<string, NotMeasurable & { count: number }>;

/** Reasons that are told one by one; of a topic full of garbage each record could have its own. */
const mostReasons = 20;

/**
 * Two samples of one partition's records in the order of their offsets, both by keyed hash, so that no record is kept:
 * identities, for duplicates, and rows, for their order. What the hashes draw halves as it fills up; while all is drawn
 * the figures are exact. Records come by {@link add}, or from where they are read by their bytes by the methods that it calls:
 * one way for one partition, since each has its own way to hash.
 */
export class Samples {
  /** All records that a consumer gets. */
  records = 0;
  /** Changes among them. */
  events = 0;
  /** Of the changes those that have an identity: what the rate is of. */
  identified = 0;
  /** Timestamps of the oldest and the newest record, milliseconds since 1970. */
  from: number | null = null;
  to: number | null = null;
  readonly identities: IdentitySample;
  /** Of changes in transactions that were aborted. */
  readonly aborted: IdentitySample;
  readonly keys: KeySample;
  readonly reasons: Reasons = new Map();

  readonly #hash: KeyedHash;
  /** The last identity that several changes may share, and how many stood there one behind the other. */
  readonly #shared = { high: 0, low: 0, times: 0 };

  constructor(private readonly options: SampleLimits & { secret: Uint8Array }) {
    this.#hash = new KeyedHash(options.secret);
    this.identities = new IdentitySample(options.identities);
    this.aborted = new IdentitySample(options.identities);
    this.keys = new KeySample(options.keys);
  }

  /** @param aborted its transaction was aborted: nobody got it who waits for commits. */
  add(record: DeliveredRecord, aborted = false): void {
    const identity = record.acrossServers ?? record.identity;
    const change = identity === null ? null : this.#ofText(identity);
    if (aborted) {
      if (change) this.abortedChange(change.high, change.low, record.caveat !== null);
      return;
    }
    this.seen(record.timestamp);
    if (record.kind === "unreadable") this.unmeasurable(record.slug ?? "unreadable", record);
    if (record.kind !== "change" && record.kind !== "snapshot") return;
    const row = record.rowKey === null ? null : this.#ofText(JSON.stringify([record.writer, record.rowKey]));
    if (record.kind === "snapshot") {
      if (row) this.snapshotRow(row.high, row.low);
      return;
    }
    if (change === null) this.unmeasurable("no-identity", { why: record.caveat, remedy: null });
    this.change(change, record.caveat !== null);
    if (row && this.keys.isDrawn(row.high))
      this.keys.change(row.high, row.low, { ...record, identity: change }, deliveredOrder(record.type));
  }

  /** Any record that was delivered. @param timestamp milliseconds since 1970, -1 for none */
  seen(timestamp: number): void {
    this.records++;
    if (timestamp < 0) return;
    if (this.from === null || timestamp < this.from) this.from = timestamp;
    if (this.to === null || timestamp > this.to) this.to = timestamp;
  }

  /** A change that was delivered, by the hash of its identity. @param shared whether others may have the same identity */
  change(identity: { high: number; low: number } | null, shared: boolean): void {
    this.events++;
    if (identity === null) return;
    this.identified++;
    if (shared) this.#numbered(identity);
    this.identities.add(identity.high, identity.low);
  }

  /** A change whose transaction was aborted. */
  abortedChange(high: number, low: number, shared: boolean): void {
    // Which of several it is cannot be told: what lies between the two is not the same.
    if (!shared) this.aborted.add(high, low);
  }

  /** A row that a snapshot read, by the hash of writer, table and key. */
  snapshotRow(high: number, low: number): void {
    if (this.keys.isDrawn(high)) this.keys.snapshot(high, low);
  }

  /** A change of a row that is drawn. */
  rowChange(high: number, low: number, change: KeyChange, order: (a: unknown, b: unknown) => Order): void {
    this.keys.change(high, low, change, order);
  }

  /** A record, or several, of which nothing can be said, and why. */
  unmeasurable(
    slug: string,
    { why, remedy }: { why: string | null; remedy: string | null },
    count = 1,
  ): void {
    const reason = why ?? "It cannot be read.";
    const id = JSON.stringify([slug, reason]);
    const known = this.reasons.get(id) ?? this.reasons.get(slug);
    if (known) known.count += count;
    else if (this.reasons.size < mostReasons) this.reasons.set(id, { slug, reason, count, remedy });
    else this.reasons.set(slug, { slug, reason: "Several reasons.", count, remedy });
  }

  result(): ScanFigures {
    return scanFigures([this]);
  }

  /** Changes that share an identity stand one behind the other: they are told apart by their number there. */
  #numbered(identity: { high: number; low: number }): void {
    const shared = this.#shared;
    const { high, low } = identity;
    if (shared.times > 0 && shared.high === high && shared.low === low) {
      this.#hash.begin();
      for (const word of [high, low, shared.times]) this.#hash.word(word);
      this.#hash.end();
      identity.high = this.#hash.high;
      identity.low = this.#hash.low;
      shared.times++;
    } else Object.assign(shared, { high, low, times: 1 });
  }

  #ofText(text: string): { high: number; low: number } {
    this.#hash.begin();
    this.#hash.text(text);
    this.#hash.end();
    return { high: this.#hash.high, low: this.#hash.low };
  }

  /** All of it, for {@link fromState}: hashes, positions and counts, no key and no row. */
  toState(): Buffer {
    const to = new StateWriter();
    to.whole(version);
    for (const count of [this.records, this.events, this.identified]) to.whole(count);
    for (const time of [this.from, this.to]) to.whole(time === null ? 0 : time + 1);
    to.text(JSON.stringify([...this.reasons]));
    for (const word of [this.#shared.high, this.#shared.low]) to.word(word);
    to.whole(this.#shared.times);
    for (const sample of [this.identities, this.aborted, this.keys]) sample.write(to);
    return to.end();
  }

  /**
   * Goes on where `toState` left off, with the same secret. Smaller limits than then are kept from now on.
   * @throws StateUnreadable for a state of another form, or a damaged one
   */
  static fromState(state: Uint8Array, options: SampleLimits & { secret: Uint8Array }): Samples {
    const from = new StateReader(Buffer.from(state.buffer, state.byteOffset, state.byteLength));
    if (from.whole() !== version) throw new StateUnreadable("it has another form");
    const samples = new Samples(options);
    samples.records = from.whole();
    samples.events = from.whole();
    samples.identified = from.whole();
    const [first, last] = [from.whole(), from.whole()];
    samples.from = first === 0 ? null : first - 1;
    samples.to = last === 0 ? null : last - 1;
    for (const [id, reason] of JSON.parse(from.text()) as [string, NotMeasurable & { count: number }][])
      samples.reasons.set(id, reason);
    Object.assign(samples.#shared, { high: from.word(), low: from.word(), times: from.whole() });
    for (const sample of [samples.identities, samples.aborted, samples.keys]) sample.read(from);
    from.end();
    return samples;
  }

  /** What is left to add of this partition may be as many identities and rows as this. */
  get limits(): SampleLimits {
    const { identities, keys } = this.options;
    return { identities, keys };
  }
}
