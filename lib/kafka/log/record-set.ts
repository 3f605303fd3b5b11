// Where the fields of a batch begin (DefaultRecordBatch.java); its length counts what follows the length.
const LENGTH = 8;
const LEADER_EPOCH = 12;
const MAGIC = 16;
const LAST_OFFSET_DELTA = 23;
const HEADER = 61;

/**
 * The offset after the last whole batch of a record set, -1 when there is none: hops over the headers, so that the next fetch can
 * be sent before these batches are checked. A guess where the record set is damaged: the walk over it has the last word.
 */
export function offsetAfter(recordSet: Buffer): number {
  let after = -1;
  for (let at = 0; at + HEADER <= recordSet.length; ) {
    const size = recordSet.readInt32BE(at + LENGTH) + LENGTH + 4;
    if (size < HEADER || at + size > recordSet.length) break;
    after = Number(recordSet.readBigInt64BE(at)) + recordSet.readInt32BE(at + LAST_OFFSET_DELTA) + 1;
    at += size;
  }
  return after;
}

/** The leader epoch of the first batch of a record set; -1 where there is no such batch, or it has none (magic below 2). */
export function firstEpoch(recordSet: Buffer): number {
  if (recordSet.length < HEADER || recordSet.readInt8(MAGIC) < 2) return -1;
  return recordSet.readInt32BE(LEADER_EPOCH);
}
