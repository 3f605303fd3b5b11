import type { DeliveredRecord } from "@/lib/debezium/events/delivered-record";
import type { FoundReplay, ScanResult } from "@/lib/observed/duplicates";
import { recordTime } from "@/lib/observed/record-time";
import { IdentityWalk } from "./identity-walk";
import { KeyOrder } from "./key-order";
import { NotMeasurableList } from "./not-measurable-list";
import { SeenIdentities } from "./seen-identities";
import { SnapshotOverlap } from "./snapshot-overlap";

/** 1.5 GB. */
const defaultLimit = 30_000_000;

/** What is found when every record is looked at: no estimate. */
export interface WholeResult extends ScanResult {
  replays: FoundReplay[];
  /** Different changes. */
  distinct: number;
  /** Rows that a snapshot read again, with no change of them in between. */
  repeatedReads: number;
}

/**
 * Counts a topic exactly, every identity in memory: the truth that the other instruments are measured against, and what a
 * file of records is measured by. Takes each partition's records in order of offset; a change counts as delivered
 * before in whichever partition it was.
 */
export class WholeCount {
  readonly #seen: SeenIdentities;
  readonly #walks = new Map<number, IdentityWalk>();
  readonly #order = new KeyOrder();
  readonly #snapshots = new SnapshotOverlap();
  readonly #lacking = new NotMeasurableList();
  /** Identities of aborted transactions, and how many records they had. */
  readonly #aborted: SeenIdentities;
  #abortedChanges = 0;
  #records = 0;
  #events = 0;
  #first = Number.POSITIVE_INFINITY;
  #last = Number.NEGATIVE_INFINITY;

  /** @param limit how many identities are kept at most; beyond it duplicates are a lower bound, and the result says so */
  constructor(private readonly limit = defaultLimit) {
    this.#seen = new SeenIdentities(limit);
    this.#aborted = new SeenIdentities(limit);
  }

  /** A record that a reader of committed records gets. */
  add(record: DeliveredRecord): void {
    if (record.kind === "other") return;
    this.#time(record);
    if (record.kind !== "unreadable") this.#records += 1;
    if (record.kind === "change") this.#events += 1;
    const sighting = this.#lacking.walk(this.#walk(record.partition), record, true);
    this.#order.add(record, sighting);
    this.#snapshots.add(record, sighting);
  }

  /** A record of a transaction that was aborted: only who reads uncommitted data got it. */
  addAborted(record: DeliveredRecord): void {
    if (record.kind !== "change" || record.identity === null) return;
    this.#abortedChanges += 1;
    this.#aborted.add(record.identity, record);
  }

  result(topic: string, topicId: string | null = null, bytesRead = 0): WholeResult {
    const walks = [...this.#walks.values()];
    const duplicates = walks.reduce((sum, { copies }) => sum + copies, 0);
    // Of changes without identity it cannot be told: they are no part of the rate.
    const told = this.#events - walks.reduce((sum, { unidentified }) => sum + unidentified, 0);
    const rate = told === 0 ? null : duplicates / told;
    return {
      topic,
      from: this.#iso(this.#first),
      to: this.#iso(this.#last),
      records: this.#records,
      events: this.#events,
      duplicates,
      rate,
      // Nothing was drawn by chance.
      interval: rate === null ? null : [rate, rate],
      sampled: told - duplicates,
      share: 1,
      reReads: this.#snapshots.reReads,
      snapshotOverlap: this.#snapshots.overlaps,
      keyOrderViolations: this.#order.violations,
      uncommittedCopies: this.#abortedChanges - this.#aborted.without(this.#seen),
      violations: this.#order.examples,
      notMeasurable: this.#notMeasurable(walks),
      bytesRead,
      distinct: told - duplicates,
      repeatedReads: this.#snapshots.repeated,
      replays: walks
        .flatMap((walk) => walk.replays())
        .map((replay) => ({ topic, topicId, ...replay, evidence: "whole" as const }))
        .sort((a, b) => a.partition - b.partition || a.firstOffset - b.firstOffset),
    };
  }

  #walk(partition: number): IdentityWalk {
    const known = this.#walks.get(partition);
    if (known) return known;
    const walk = new IdentityWalk(null, { countFrom: 0, limit: this.limit, seen: this.#seen });
    this.#walks.set(partition, walk);
    return walk;
  }

  #notMeasurable(walks: readonly IdentityWalk[]): ScanResult["notMeasurable"] {
    const told = this.#lacking.told();
    if (!walks.some(({ full }) => full)) return told;
    const reason = `More than ${this.limit} different changes: copies of those beyond were not looked for.`;
    return [...told, { slug: "budget", reason, count: null, remedy: "Measure a shorter range." }];
  }

  #time({ timestamp }: DeliveredRecord): void {
    if (timestamp < 0) return;
    this.#first = Math.min(this.#first, timestamp);
    this.#last = Math.max(this.#last, timestamp);
  }

  #iso(millis: number): string | null {
    return Number.isFinite(millis) ? recordTime(millis) : null;
  }
}
