import { LogReadError } from "../log-reader";
import { encodeBatch, type WrittenBatch, type WrittenRecord } from "./encode-batch";

export const at = { topic: "shop.public.orders", partition: 3 };
const someTime = 1_789_367_380_000n;

/** A plain batch by no producer in particular; what matters to a test is given. */
export function written(baseOffset: number, some: Partial<WrittenBatch> = {}): WrittenBatch {
  const records = some.records ?? [];
  return {
    baseOffset: BigInt(baseOffset),
    leaderEpoch: 7,
    attributes: 0,
    lastOffsetDelta: Math.max(records.length - 1, 0),
    baseTimestamp: someTime,
    maxTimestamp: someTime + 500n,
    producerId: -1n,
    producerEpoch: -1,
    baseSequence: -1,
    records,
    ...some,
  };
}

/** A record with a value and nothing else. */
export function valueAt(
  offsetDelta: number,
  value: string,
  some: Partial<WrittenRecord> = {},
): WrittenRecord {
  return {
    offsetDelta,
    timestampDelta: BigInt(offsetDelta * 10),
    key: null,
    value: Buffer.from(value),
    headers: [],
    ...some,
  };
}

/** A batch of these values, encoded. */
export function batchOf(baseOffset: number, ...values: string[]): Buffer {
  return encodeBatch(written(baseOffset, { records: values.map((value, i) => valueAt(i, value)) }));
}

/** A transaction marker of a producer, 0 for abort and 1 for commit, as brokers write it (EndTransactionMarker.java). */
export function marker(baseOffset: number, type: "abort" | "commit", producerId: bigint): Buffer {
  const key = Buffer.from([0, 0, 0, type === "commit" ? 1 : 0]);
  const value = Buffer.from([0, 0, 0, 0, 0, 9]);
  return encodeBatch(
    written(baseOffset, {
      attributes: 0x30,
      producerId,
      producerEpoch: 0,
      records: [valueAt(0, "", { key, value })],
    }),
  );
}

/** What a look throws, which must be a LogReadError. */
export function failureOf(look: () => unknown): LogReadError {
  try {
    look();
  } catch (error) {
    if (error instanceof LogReadError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}
