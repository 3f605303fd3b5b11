import { CodecError, TooLargeError } from "./codecs/codec-error";
import { ungzip } from "./codecs/gzip";
import { unlz4 } from "./codecs/lz4";
import { unsnappy } from "./codecs/snappy";
import { unzstd } from "./codecs/zstd";
import type { TopicPartition } from "./log-reader";
import type { Codec, RecordBatch } from "./record-batch";
import { undecodable, unreadable } from "./unreadable";

/** Most bytes that the records of one batch may become: what is small in the log must not fill the memory. */
const largestBody = 256 * 1024 * 1024;

const codecs: Partial<Record<Codec, (bytes: Buffer, bound: number) => Buffer>> = {
  none: (bytes) => bytes,
  gzip: ungzip,
  snappy: unsnappy,
  lz4: unlz4,
  zstd: unzstd,
};

/**
 * The records of a batch, uncompressed; those of a batch that is not compressed are not copied.
 * @throws LogReadError for a codec that Kafka does not have, bytes that are damaged, more than `bound` bytes
 */
export function uncompress(batch: RecordBatch, at: TopicPartition, bound = largestBody): Buffer {
  const { codec, body, baseOffset } = batch;
  const decode = codecs[codec];
  if (decode === undefined) {
    throw unreadable(
      at,
      baseOffset,
      "not-supported",
      `cannot read (${codec})`,
      "No codec of Kafka's has this number; other batches can be read.",
    );
  }
  // A batch that compaction emptied has no compressed bytes, not even those of nothing.
  if (body.length === 0) return body;
  try {
    return decode(body, bound);
  } catch (error) {
    if (error instanceof TooLargeError) {
      throw unreadable(at, baseOffset, "too-large", `cannot read (${codec}): ${error.message}`, null);
    }
    if (error instanceof CodecError) throw undecodable(at, baseOffset, codec, error.message);
    throw error;
  }
}
