import { LogReadError, type LogReader, type ReadEnd, type TopicPartition } from "@/lib/kafka/log/log-reader";
import type { FactsReader, RecordFacts } from "./record-facts";

/** What is read of a partition can be read no more, or means something else by now: no later look will mend it. */
export class RecordsGone extends Error {
  override readonly name = "RecordsGone";
}

export interface Where extends TopicPartition {
  topicId: string | null;
}

/** Most bytes that one look back reads, and most records that a probe steps over: rows of snapshots, other connectors'. */
const LOOK_BACK_BYTES = 8 * 1024 * 1024;
const STEPS = 200;
const FETCH_BYTES = 1024 * 1024;

/** Records that a reader of committed records gets: what was aborted was not delivered. */
const isolation = "read_committed";

/** One partition, read for the facts of one connector's records. */
export class PartitionLog {
  /** Fetched so far. */
  bytes = 0;

  constructor(
    private readonly log: LogReader,
    private readonly reader: FactsReader,
    readonly where: Where,
  ) {}

  /**
   * The connector's first record at or after `from`, before `to`; null when there is none. Tombstones bear no run id and
   * are stepped over. @throws LogReadError
   */
  async probe(from: number, to: number): Promise<RecordFacts | null> {
    let at = from;
    for (let step = 0; step < STEPS && at < to; step++) {
      const record = await this.log.recordAt(this.where, at, isolation);
      if (!record || record.offset >= to) return null;
      const facts = await this.reader.read(record, this.where);
      if (facts.kind !== "foreign" && facts.kind !== "tombstone") return facts;
      at = record.offset + 1;
    }
    return null;
  }

  /**
   * The last record before `to` that `wanted` takes, with what lies before it in the same read, oldest first; null when
   * there is none from `from` on. @throws LogReadError; RecordsGone too where what lies before is no change for too long
   */
  async lastBefore(
    from: number,
    to: number,
    wanted: (facts: RecordFacts) => boolean,
  ): Promise<{ found: RecordFacts; before: RecordFacts[] } | null> {
    let top = to;
    for (let size = 8; top > from; size *= 8) {
      const bottom = Math.max(from, top - size);
      const start = this.bytes;
      const before = await this.between(bottom, to);
      const at = before.findLastIndex(wanted);
      const found = before[at];
      if (found) return { found, before: before.slice(0, at) };
      if (this.bytes - start >= LOOK_BACK_BYTES)
        throw new RecordsGone(
          `No change stands in the ${LOOK_BACK_BYTES / 1024 / 1024} MiB before offset ${to} of ${this.name}, only rows of snapshots.`,
        );
      top = bottom;
    }
    return null;
  }

  /** The connector's records of a short range, oldest first, as far as they are still there. @throws LogReadError, RecordsGone */
  async between(from: number, to: number): Promise<RecordFacts[]> {
    const facts: RecordFacts[] = [];
    await this.#read(from, to, LOOK_BACK_BYTES, (one) => facts.push(one));
    return facts;
  }

  /**
   * Reads on from `from` to before `to` until `take` returns false or the bytes are used up. Returns where it goes on.
   * @throws LogReadError, RecordsGone
   */
  async walk(
    from: number,
    to: number,
    maxBytes: number,
    take: (facts: RecordFacts) => unknown,
  ): Promise<number> {
    let seen: number | null = null;
    const { next, deleted } = await this.#read(from, to, maxBytes, (facts) => {
      seen ??= facts.offset;
      return take(facts);
    });
    const [gone] = deleted;
    const earliest = gone?.to ?? (seen === null || seen === from ? 0 : await this.#earliest());
    if (earliest > from)
      throw new RecordsGone(
        `Retention removed offsets ${from} to ${earliest - 1} of ${this.name} before they were read.`,
      );
    return next;
  }

  /** For a read that was ended early, which does not tell what was gone. */
  async #earliest(): Promise<number> {
    const [earliest] = await this.log.ends([this.where], "earliest");
    return typeof earliest === "number" ? earliest : 0;
  }

  get name(): string {
    return `${this.where.topic}-${this.where.partition}`;
  }

  async #read(
    from: number,
    to: number,
    maxBytes: number,
    take: (facts: RecordFacts) => unknown,
  ): Promise<Pick<ReadEnd, "next" | "deleted">> {
    if (from >= to) return { next: from, deleted: [] };
    const reading = this.log.read({
      ...this.where,
      from,
      to,
      isolation,
      maxBytes,
      fetchBytes: FETCH_BYTES,
    });
    for (;;) {
      const { done, value } = await reading.next();
      if (done) {
        this.bytes += value.bytes;
        if (value.why === "recreated")
          throw new RecordsGone(`Topic ${this.where.topic} was deleted and made again.`);
        return value;
      }
      for (const record of value.records()) {
        const read = this.reader.read(record, this.where);
        // Not awaited where it need not be: many are read.
        const facts = read instanceof Promise ? await read : read;
        if (facts.kind === "foreign" || take(facts) !== false) continue;
        this.bytes += value.bytes;
        const end: ReadEnd = { why: "cancelled", next: record.offset + 1, deleted: [], bytes: 0 };
        await reading.return(end);
        return end;
      }
    }
  }
}

/** Whether the failure is of the moment, so that a later look may succeed. */
export function mayHeal(error: unknown): error is LogReadError {
  return error instanceof LogReadError && error.failure.kind !== "not-found";
}
