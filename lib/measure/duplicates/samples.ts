import type { ConnectorType } from "@/lib/debezium/connector-type";
import { type DeliveredRecord, deliveredOrder } from "@/lib/debezium/events/delivered-record";
import type { NotMeasurable } from "@/lib/observed/duplicates";
import { GtidCopies, type GtidPlace, gtidPlace } from "./gtid-copies";
import { IdentitySample } from "./identity-sample";
import { KeySample } from "./key-sample";
import { type Hash, KeyedHash } from "./keyed-hash";
import { fromState, type PositionState, toState } from "./position-state";
import type { OrderOf, RowChange } from "./row-order";
import { SamePosition, type Standing } from "./same-position";
import { type ScanFigures, scanFigures } from "./scan-figures";
import { StateReader, StateUnreadable, StateWriter } from "./state-bytes";

/** Of a state's form. One of another form is not read: the scan begins anew. */
const version = 2;

export interface SampleLimits {
  /** Most identities in the sample; some 25 bytes each, twice that for a moment. */
  identities: number;
  /** Most rows in the sample of rows; some 600 bytes each, with what is remembered of their changes. */
  keys: number;
}

/** For a whole topic: below 64 MB together. */
export const standardLimits: SampleLimits = { identities: 500_000, keys: 16_000 };

/** A partition's part of a topic's limits: the same whoever reads it. */
export function limitsOf(partitions: number, whole: SampleLimits = standardLimits): SampleLimits {
  const part = (limit: number) => Math.max(256, Math.floor(limit / Math.max(1, partitions)));
  return { identities: part(whole.identities), keys: part(whole.keys) };
}

/** That of an identity. */
export interface IdentityHash extends Hash {
  /**
   * Of a change that GTIDs number: the hash of its GTID, row and kind, of which `high` is the one half and this the other,
   * while `low` is of its place. Null for any other.
   */
  group: number | null;
}

/** What is asked of a change that is drawn. */
export interface DrawnChange extends RowChange {
  op: string;
  type: ConnectorType;
  /** Where GTIDs number it. */
  gtidPlace: GtidPlace | null;
}

/** How records that were read in full are hashed. One way for one partition. */
export interface RecordHashes {
  /** Null where it has none. */
  identity(record: DeliveredRecord): IdentityHash | null;
  /** Of writer, table and key; null without a key. */
  row(record: DeliveredRecord): Hash | null;
}

/** Reasons that are told one by one; of a topic full of garbage each record could have its own. */
const mostReasons = 20;
const keyRemedy = "Give the table a primary key, or set message.key.columns.";

/**
 * Two samples of one partition's records in the order of their offsets, both by keyed hash, so that no record is kept:
 * identities, for duplicates, and rows, for their order. What the hashes draw halves as it fills up; while all is drawn
 * the figures are exact, and the same as WholeCount's. Records come by {@link add}; from where they are read by their
 * bytes they come by the methods that it calls.
 */
export class Samples {
  /** What a consumer gets: changes, rows of snapshots, tombstones. */
  records = 0;
  /** Changes among them. */
  events = 0;
  /** Of the changes those that have an identity: what the rate is of. */
  identified = 0;
  /** Rows of snapshots. */
  reReads = 0;
  /** Timestamps of the oldest and the newest record, milliseconds since 1970. */
  from: number | null = null;
  to: number | null = null;
  readonly identities: IdentitySample;
  /** Of changes in transactions that were aborted. */
  readonly aborted: IdentitySample;
  readonly keys: KeySample;
  readonly reasons = new Map<string, NotMeasurable & { count: number }>();

  readonly #hash: KeyedHash;
  readonly #texts: RecordHashes;
  readonly #shared = new SamePosition();
  readonly #gtids = new GtidCopies();

  /** @param options `secret`: 8 bytes, the same for all partitions of a topic. @throws RangeError for another length */
  constructor(options: SampleLimits & { secret: Uint8Array }) {
    this.#hash = new KeyedHash(options.secret);
    this.identities = new IdentitySample(options.identities);
    this.aborted = new IdentitySample(options.identities);
    this.keys = new KeySample(options.keys);
    this.#texts = {
      identity: (record) => this.#ofIdentity(record),
      row: ({ rowKey, writer }) => (rowKey === null ? null : this.#ofText(JSON.stringify([writer, rowKey]))),
    };
  }

  /** A record that a reader of committed records gets. */
  add(record: DeliveredRecord, hashes: RecordHashes = this.#texts): void {
    const { kind, timestamp } = record;
    if (kind === "other") return;
    if (kind === "unreadable") {
      this.time(timestamp);
      this.unmeasurable(record.slug ?? "unreadable", record.why ?? "The record is no event.", record.remedy);
      return;
    }
    this.seen(timestamp);
    if (kind === "tombstone") return;
    const row = hashes.row(record);
    if (kind === "snapshot") this.snapshotRow(row);
    else this.#change(record, this.#identity(record, hashes), row);
  }

  /** A record of a transaction that was aborted: nobody got it who waits for commits. */
  addAborted(record: DeliveredRecord, hashes: RecordHashes = this.#texts): void {
    const identity = record.kind === "change" ? hashes.identity(record) : null;
    if (identity) this.aborted.add(identity.high, identity.low);
  }

  #change(record: DeliveredRecord, identity: IdentityHash | null, row: Hash | null): void {
    if (identity === null)
      this.unmeasurable("no-identity", record.caveat ?? "The event tells no identity.", null);
    if (record.op === "t") this.keys.truncate();
    const drawn = () => ({ ...record, gtidPlace: gtidPlace(record) });
    this.change(identity, row, drawn, deliveredOrder(record.type));
  }

  #identity(record: DeliveredRecord, hashes: RecordHashes): IdentityHash | null {
    const identity = hashes.identity(record);
    if (identity === null || record.caveat === null) {
      if (this.waits) this.pass(record);
      return identity;
    }
    const before = this.#shared.before(record, `${identity.high} ${identity.low}`);
    if (before === 0) return identity;
    this.#hash.begin();
    for (const word of [identity.high, identity.low, before]) this.#hash.word(word);
    const numbered = { ...this.#end(), group: null };
    // Of a copy it was said before.
    if (!this.identities.knows(numbered.high, numbered.low))
      this.unmeasurable("keyless", record.caveat, record.rowKey === null ? keyRemedy : null);
    return numbered;
  }

  /** Any record that was delivered: a change, a snapshot's row, a tombstone. @param timestamp as for {@link time} */
  seen(timestamp: number): void {
    this.records++;
    this.time(timestamp);
  }

  /** The time of a record, milliseconds since 1970, -1 for none. */
  time(timestamp: number): void {
    if (timestamp < 0) return;
    if (this.from === null || timestamp < this.from) this.from = timestamp;
    if (this.to === null || timestamp > this.to) this.to = timestamp;
  }

  /**
   * A change, by the hashes of its identity, null where it has none, and of its row, null without a key.
   * @param of the change itself: asked for where it is drawn
   * @param order that of its connector
   */
  change(identity: IdentityHash | null, row: Hash | null, of: () => DrawnChange, order: OrderOf): void {
    this.events++;
    if (identity !== null) this.identified++;
    if (row !== null && identity !== null && identity.group !== null) {
      if (this.identities.isDrawn(identity.high) || this.keys.isDrawn(row.high))
        this.#numbered(identity, identity.group, row, of(), order);
      return;
    }
    const copy = identity !== null && this.identities.add(identity.high, identity.low);
    if (row === null) this.keys.pass(of(), copy, order);
    else if (this.keys.isDrawn(row.high)) {
      const by = identity && { high: identity.high, low: identity.low, number: null };
      this.keys.change(row, of(), by, order);
    }
  }

  /** A change of a transaction with a GTID: after a failover its number there tells it. */
  #numbered(place: Hash, group: number, row: Hash, change: DrawnChange, order: OrderOf): void {
    const { high, low } = place;
    const { lane, runId, type, position, gtidPlace } = change;
    if (gtidPlace === null) throw new RangeError("a change that GTIDs number has a place");
    const known = (this.identities.isDrawn(high) ? this.identities : this.keys).knows(high, low);
    const numbered = this.#gtids.look(
      { lane, runId, type, position, row: `${high} ${group}`, place: gtidPlace },
      known,
    );
    const number = numbered.before === 0 ? group : this.#mixed(group, numbered.before);
    this.identities.addNumbered(high, { place: low, number, first: group }, numbered);
    if (this.keys.isDrawn(row.high)) this.keys.change(row, change, { high, low, number }, order);
  }

  #mixed(group: number, before: number): number {
    this.#hash.begin();
    this.#hash.word(group);
    this.#hash.number(before);
    return this.#end().low;
  }

  /** Whether {@link pass} is to be told of every change: some stand where their identity is shared. */
  get waits(): boolean {
    return this.#shared.waits;
  }

  /** A change whose identity is its own came. */
  pass(change: Standing): void {
    this.#shared.pass(change);
  }

  /** A row that a snapshot read, by the hash of writer, table and key; null without a key. */
  snapshotRow(row: Hash | null): void {
    this.reReads++;
    if (row && this.keys.isDrawn(row.high)) this.keys.snapshot(row.high, row.low);
  }

  /** Records of which nothing can be said, and why. */
  unmeasurable(slug: string, reason: string, remedy: string | null, count = 1): void {
    const id = JSON.stringify([slug, reason]);
    const known = this.reasons.get(id);
    if (known) known.count += count;
    else if (this.reasons.size < mostReasons || slug === "other")
      this.reasons.set(id, { slug, reason, count, remedy });
    else this.unmeasurable("other", "They cannot be read for still other reasons.", null, count);
  }

  /** The figures of this partition alone. */
  result(): ScanFigures {
    return scanFigures([this]);
  }

  /** Of a change that GTIDs number both hashes, else the one of its text. */
  #ofIdentity(record: DeliveredRecord): IdentityHash | null {
    const { identity, writer, rowKey, op } = record;
    if (identity === null) return null;
    const place = this.#ofText(identity);
    const gtid = gtidPlace(record)?.gtid;
    if (gtid === undefined) return { ...place, group: null };
    const group = this.#ofText(JSON.stringify([writer, gtid, rowKey, op]));
    return { high: group.high, low: place.low, group: group.low };
  }

  #ofText(text: string): Hash {
    this.#hash.begin();
    this.#hash.text(text);
    return this.#end();
  }

  #end(): Hash {
    this.#hash.end();
    return { high: this.#hash.high, low: this.#hash.low };
  }

  /** All of it, for {@link fromState}: hashes, positions and counts, no key and no row. */
  toState(): Buffer {
    const to = new StateWriter();
    to.whole(version);
    for (const count of [this.records, this.events, this.identified, this.reReads]) to.whole(count);
    for (const time of [this.from, this.to]) to.whole(time === null ? 0 : time + 1);
    to.text(JSON.stringify([...this.reasons]));
    to.text(this.#shared.toState());
    to.text(JSON.stringify(toState(this.#gtids.toState())));
    for (const sample of [this.identities, this.aborted, this.keys]) sample.write(to);
    return to.end();
  }

  /**
   * Goes on where `toState` left off, with the same secret. Smaller limits than then hold from now on.
   * @throws StateUnreadable for a state of another form, or a damaged one
   */
  static fromState(state: Uint8Array, options: SampleLimits & { secret: Uint8Array }): Samples {
    const samples = new Samples(options);
    try {
      samples.#read(new StateReader(Buffer.from(state.buffer, state.byteOffset, state.byteLength)));
    } catch (error) {
      if (error instanceof StateUnreadable) throw error;
      throw new StateUnreadable("it cannot be read", { cause: error });
    }
    return samples;
  }

  #read(from: StateReader): void {
    if (from.whole() !== version) throw new StateUnreadable("it has another form");
    this.records = from.whole();
    this.events = from.whole();
    this.identified = from.whole();
    this.reReads = from.whole();
    const [first, last] = [from.whole(), from.whole()];
    this.from = first === 0 ? null : first - 1;
    this.to = last === 0 ? null : last - 1;
    const reasons = JSON.parse(from.text()) as [string, NotMeasurable & { count: number }][];
    for (const [id, reason] of reasons) this.reasons.set(id, reason);
    this.#shared.read(from.text());
    this.#gtids.fromState(fromState(JSON.parse(from.text()) as PositionState));
    for (const sample of [this.identities, this.aborted, this.keys]) sample.read(from);
    from.end();
  }
}
