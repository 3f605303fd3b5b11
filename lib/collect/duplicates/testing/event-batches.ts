import type { LogRecord } from "@/lib/kafka/log/record";
import { encodeBatch } from "@/lib/kafka/log/testing/encode-batch";

type Written = Omit<LogRecord, "offset">;

export interface EventBatch {
  records: readonly Written[];
  leaderEpoch?: number;
  /** Of a transactional producer. */
  producerId?: number;
}

/** Lays batches one after the other, as they would lie in a log. */
export class EventLog {
  readonly log: Buffer[] = [];
  /** The next offset. */
  end = 0;

  append({ records, leaderEpoch = 0, producerId }: EventBatch): number {
    const base = this.end;
    const timestamp = records[0]?.timestamp ?? 0;
    this.log.push(
      encodeBatch({
        ...framing(base, leaderEpoch, producerId),
        lastOffsetDelta: records.length - 1,
        baseTimestamp: BigInt(timestamp),
        maxTimestamp: BigInt(Math.max(...records.map((r) => r.timestamp))),
        records: records.map((r, i) => ({
          offsetDelta: i,
          timestampDelta: BigInt(r.timestamp - timestamp),
          key: r.key,
          value: r.value,
          headers: r.headers,
        })),
      }),
    );
    this.end += records.length;
    return base;
  }

  /** A transaction's end. */
  mark(producerId: number, type: "commit" | "abort"): void {
    const key = Buffer.from([0, 0, 0, type === "commit" ? 1 : 0]);
    const value = Buffer.from([0, 0, 0, 0, 0, 0]);
    this.log.push(
      encodeBatch({
        ...framing(this.end, 0, producerId),
        attributes: 0x30,
        lastOffsetDelta: 0,
        baseTimestamp: 0n,
        maxTimestamp: 0n,
        records: [{ offsetDelta: 0, timestampDelta: 0n, key, value, headers: [] }],
      }),
    );
    this.end += 1;
  }
}

function framing(base: number, leaderEpoch: number, producerId: number | undefined) {
  return {
    baseOffset: BigInt(base),
    leaderEpoch,
    attributes: producerId === undefined ? 0 : 0x10,
    producerId: BigInt(producerId ?? -1),
    producerEpoch: producerId === undefined ? -1 : 0,
    baseSequence: producerId === undefined ? -1 : 0,
  };
}
