import type { Where } from "@/lib/collect/restarts/partition-log";
import { RecordsGone } from "@/lib/collect/restarts/partition-log";
import type { ConnectorConfig } from "@/lib/debezium/config";
import type { ConnectorType } from "@/lib/debezium/connector-type";
import type { DeliveredRecord } from "@/lib/debezium/events/delivered-record";
import type { FetchedBatch, LogReader, ReadEnd } from "@/lib/kafka/log/log-reader";
import { RecordCursor } from "@/lib/kafka/log/record-cursor";
import type { SchemaRegistry } from "@/lib/kafka/registry";
import { type EarlierRun, EarlierRuns } from "@/lib/measure/duplicates/earlier-runs";
import { IdentityWalk } from "@/lib/measure/duplicates/identity-walk";
import { NotMeasurableList } from "@/lib/measure/duplicates/not-measurable-list";
import { SeenIdentities } from "@/lib/measure/duplicates/seen-identities";
import type { FoundReplay, NotMeasurable } from "@/lib/observed/duplicates";
import { type DeliveredReader, deliveredReader } from "./delivered-reader";

/** Identities kept of one read: 120 MB at most. */
const mostIdentities = 2_000_000;
const fetchBytes = 1024 * 1024;

export interface WholeRequest extends Where {
  /** Offsets: the first read, the first not read. */
  from: number;
  to: number;
  /** Copies before it are remembered and not counted. */
  countFrom: number;
  type: ConnectorType | null;
  config: ConnectorConfig | null;
  registry: SchemaRegistry | null;
  maxBytes: number;
  signal?: AbortSignal;
}

/** What lies in a range of which every record was read. */
export interface ReadWhole {
  replays: FoundReplay[];
  /** Where a next read would go on: less than was asked for where the bytes were used up, or a transaction is still open. */
  to: number;
  /** Records that a reader of committed records gets, from `countFrom` on. */
  records: number;
  /** Some changes bear no run id. */
  withoutRunIds: boolean;
  /** Changes of aborted transactions, from `countFrom` on, that were delivered as well, or aborted more than once. */
  uncommittedCopies: number;
  earlierRunsAfter: EarlierRun[];
  notMeasurable: NotMeasurable[];
  bytesRead: number;
  reads: number;
}

/**
 * Counts the copies of a range by identity, reading all of it once. Brokers send the batches of aborted transactions even to
 * those who wait for commits, with the list of them: so they are told apart without a second read.
 * @throws LogReadError; RecordsGone when the topic was made again; the signal's reason
 */
export async function readWhole(log: LogReader, request: WholeRequest): Promise<ReadWhole> {
  const { from, to, maxBytes, signal, topic, partition, topicId } = request;
  const whole = new WholeRead(request, deliveredReader({ topic, partition }, request));
  const reading = log.read({
    ...{ topic, partition, topicId, from, to, maxBytes, fetchBytes },
    isolation: "read_committed",
    keepsNothing: true,
    ...(signal ? { signal } : {}),
  });
  for (;;) {
    const { done, value } = await reading.next();
    signal?.throwIfAborted();
    if (done) return whole.ended(value);
    await whole.take(value);
  }
}

/** The same batch by batch, for who reads them. */
export class WholeRead {
  readonly #seen = new SeenIdentities(mostIdentities);
  readonly #aborted = new SeenIdentities(mostIdentities);
  readonly #walk: IdentityWalk;
  readonly #runs = new EarlierRuns();
  readonly #lacking = new NotMeasurableList();
  #abortedChanges = 0;
  #records = 0;
  #withoutRunIds = false;

  constructor(
    private readonly request: WholeRequest,
    private readonly read: DeliveredReader,
  ) {
    const { countFrom } = request;
    this.#walk = new IdentityWalk(null, { countFrom, limit: mostIdentities, seen: this.#seen });
  }

  async take(batch: FetchedBatch): Promise<void> {
    if (batch.control) return;
    const { topic, partition } = this.request;
    const cursor = new RecordCursor({ topic, partition });
    cursor.open(batch);
    while (cursor.next()) {
      if (cursor.offset >= batch.to) break;
      if (cursor.offset < batch.from) continue;
      const read = this.read(cursor.record());
      // Not awaited where it need not be: many are read.
      const record = read instanceof Promise ? await read : read;
      if (batch.visible) this.#delivered(record);
      else this.#notDelivered(record);
    }
  }

  #delivered(record: DeliveredRecord): void {
    const counts = record.offset >= this.request.countFrom;
    if (counts && record.kind !== "other") this.#records += 1;
    if (record.kind === "change" && record.runId === null) this.#withoutRunIds = true;
    this.#lacking.walk(this.#walk, record, counts);
    this.#runs.add(record);
  }

  #notDelivered({ kind, identity, offset, partition }: DeliveredRecord): void {
    if (kind !== "change" || identity === null || offset < this.request.countFrom) return;
    this.#abortedChanges += 1;
    this.#aborted.add(identity, { partition, offset });
  }

  ended({ why, next, deleted, bytes }: ReadEnd): ReadWhole {
    const { topic, topicId } = this.request;
    if (why === "recreated") throw new RecordsGone(`Topic ${topic} was deleted and made again.`);
    for (const gone of deleted)
      this.#lacking.add(
        "deleted",
        `Retention removed offsets ${gone.from} to ${gone.to - 1} before they were read: copies of what lay there are not seen.`,
        "Measure more often, or keep records longer (retention.ms).",
        gone.to - gone.from,
      );
    const full = this.#walk.full || this.#aborted.full;
    const notMeasurable = this.#lacking.told();
    if (full)
      notMeasurable.push({
        slug: "budget",
        reason: `More than ${mostIdentities} different changes in one range: copies of those beyond were not looked for.`,
        count: null,
        remedy: "Measure shorter ranges.",
      });
    return {
      replays: this.#walk.replays().map((replay) => ({ topic, topicId, ...replay, evidence: "whole" })),
      to: next,
      records: this.#records,
      withoutRunIds: this.#withoutRunIds,
      uncommittedCopies: this.#abortedChanges - this.#aborted.without(this.#seen),
      earlierRunsAfter: this.#runs.found(),
      notMeasurable,
      bytesRead: bytes,
      reads: 1,
    };
  }
}
