import type { EventScanner } from "@/lib/debezium/events/event-scanner";
import { KeySpans } from "@/lib/debezium/events/key-spans";
import type { ChangeReading, FlattenedReading } from "@/lib/debezium/events/record-reading";
import type { Identity } from "@/lib/debezium/positions/position";
import type { Coverage, Covering } from "./coverage";
import type { EdgeCount, EdgeEvent } from "./window-count-edge";
import { hashOf, type IdSet } from "./window-count-ids";

/** Where a record lies, as a cursor over its batch tells it. */
export interface CountedRecord {
  readonly offset: number;
  /** Milliseconds since 1970. */
  readonly timestamp: number;
  readonly bytes: Buffer;
  /** -1 when the key is null. */
  readonly keyStart: number;
  readonly keyEnd: number;
}

/**
 * `one-run`: a single run of the task wrote the stretch, so that nothing in it is a copy. `distinct`: several did, or it is
 * not known, and changes are told apart by their identity.
 */
export type CountBy = "one-run" | "distinct";

/** What the partitions of one connector share. */
export interface Shared {
  coverage: Coverage;
  ids: IdSet;
  edges: EdgeCount | null;
}

/** What became of the record before: a tombstone goes with it. */
type Before = "counted" | "not" | EdgeEvent;

/** Counts the records of one partition in the order of their offsets. */
export class PartitionCount {
  events = 0;
  tombstones = 0;
  reReads = 0;
  bytes = 0;
  /** Timestamps of the first and last event counted, in milliseconds. */
  firstAt = Number.POSITIVE_INFINITY;
  lastAt = Number.NEGATIVE_INFINITY;
  /** Of `events`, those that no comparison could place, and the first reason. */
  unordered = 0;
  unorderedWhy: string | null = null;
  /** Of `events`, those counted though they may be copies of others. */
  unidentified = 0;
  unidentifiedWhy: string | null = null;
  /** Changes without a key that the identity alone does not tell apart. */
  caveat: string | null = null;
  foreign = 0;
  /** The first reason that made a change impossible to place; then nothing may be counted by reading. */
  unplaced: string | null = null;
  /** Change events that could be placed. */
  judged = 0;

  #before: Before = "not";
  #share = 0;
  #run: string | null = null;
  #lastId = "";
  #lastOrdinal = 0;
  /** Set once a change is `again`: rows read after it are so too. */
  #opened = false;
  readonly #passed: Uint8Array | null;
  readonly #keys = new KeySpans();

  /** @param reReadsFrom offset from which rows of an incremental snapshot are certainly later than the commit */
  constructor(
    readonly topic: string,
    readonly by: CountBy,
    readonly reReadsFrom: number,
    private readonly shared: Shared,
  ) {
    this.#passed = by === "one-run" ? new Uint8Array(shared.coverage.commits.length) : null;
  }

  /** The records that follow lie in a batch of so many bytes and records, sent by this run (null: not known). */
  batch(bytes: number, count: number, run: string | null): void {
    this.#share = count > 0 ? bytes / count : 0;
    if (run !== this.#run) this.#lastId = "";
    this.#run = run;
  }

  tombstone(): void {
    const before = this.#before;
    if (before === "not") return;
    if (before === "counted") {
      this.tombstones += 1;
      this.bytes += this.#share;
      return;
    }
    before.tombstones += 1;
    before.bytes += this.#share;
  }

  /** The event that the scanner found in a record to be a `change`. */
  scanned(scanner: EventScanner, record: CountedRecord): Covering {
    const { coverage } = this.shared;
    const covering = coverage.judge(scanner, this.#passed);
    if (!counts(covering)) return this.#aside(covering, record);
    const identity =
      this.by === "distinct" ? coverage.identity(scanner, this.topic, this.#keyOf(record)) : null;
    return this.#count(covering, identity, record);
  }

  /** An event that was read in full. */
  read(reading: ChangeReading | FlattenedReading, record: CountedRecord): Covering {
    const { coverage } = this.shared;
    const covering = coverage.judgeReading(reading, this.#passed);
    if (!counts(covering)) return this.#aside(covering, record);
    const identity =
      this.by === "distinct" ? coverage.identityOfReading(reading, this.topic, this.#keyOf(record)) : null;
    return this.#count(covering, identity, record);
  }

  /** A record that is neither a change nor a tombstone. */
  other(): void {
    this.#before = "not";
  }

  /** In one topic, equal bytes are equal keys. */
  #keyOf({ bytes, keyStart, keyEnd }: CountedRecord): string | null {
    if (keyStart < 0) return null;
    this.#keys.find(bytes, keyStart, keyEnd);
    return bytes.toString("latin1", this.#keys.from, this.#keys.to);
  }

  #aside(covering: Covering, record: CountedRecord): Covering {
    this.#before = "not";
    if (covering === "foreign") this.foreign += 1;
    if (covering === "unplaced") this.unplaced ??= this.shared.coverage.why;
    if (covering === "covered") this.judged += 1;
    if (covering === "re-read" && this.shared.coverage.reReads) {
      if (this.#opened || record.offset >= this.reReadsFrom) {
        this.reReads += 1;
        this.bytes += this.#share;
      }
    }
    return covering;
  }

  #count(covering: Covering, identity: Identity | null, record: CountedRecord): Covering {
    this.judged += 1;
    const id = identity === null ? null : this.#idOf(identity);
    if (covering === "edge" && this.shared.edges !== null) {
      const { ordinal, position } = this.shared.coverage;
      const { timestamp } = record;
      // Copies of a part of those that share an LSN: their numbers among themselves tell nothing.
      const alike = identity?.id != null && identity.caveat !== null && this.shared.edges.rule.by === "lsn";
      const event: EdgeEvent = {
        of: this,
        ordinal,
        position,
        timestamp,
        run: this.#run,
        id: alike ? null : id,
        bytes: this.#share,
        tombstones: 0,
      };
      this.shared.edges.add(event);
      this.#before = event;
      return covering;
    }
    if (covering === "again") this.#opened = true;
    if (id !== null && this.#isCopy(id)) {
      this.#before = "not";
      return covering;
    }
    if (covering === "unordered") {
      this.unordered += 1;
      this.unorderedWhy ??= this.shared.coverage.why;
    }
    this.events += 1;
    this.bytes += this.#share;
    this.firstAt = Math.min(this.firstAt, record.timestamp);
    this.lastAt = Math.max(this.lastAt, record.timestamp);
    this.#before = "counted";
    return covering;
  }

  #isCopy(id: number): boolean {
    const added = this.shared.ids.add(id);
    if (added === "full") {
      this.unidentified += 1;
      this.unidentifiedWhy ??= `More than ${this.shared.ids.most} changes would have to be told apart.`;
    }
    return added === "known";
  }

  /**
   * Changes that share an identity, such as rows without a key at one LSN, are told apart by their number: the first of
   * one run is the first of another.
   */
  #idOf(identity: Identity): number | null {
    if (identity.id === null) {
      this.unidentified += 1;
      this.unidentifiedWhy ??= identity.why;
      return null;
    }
    if (identity.caveat === null) return hashOf(identity.id);
    this.caveat ??= identity.caveat;
    this.#lastOrdinal = identity.id === this.#lastId ? this.#lastOrdinal + 1 : 0;
    this.#lastId = identity.id;
    return hashOf(`${identity.id} ${this.#lastOrdinal}`);
  }
}

/** Whether it is, or may be, an event that would be sent again. */
function counts(covering: Covering): covering is "again" | "edge" | "unordered" {
  return covering === "again" || covering === "edge" || covering === "unordered";
}
