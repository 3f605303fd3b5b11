import { CodecError } from "./codec-error";

/**
 * A bit stream read from its end, as Zstandard writes them (RFC 8878, 4.1): the last byte's highest set bit marks where
 * it begins. Reading before its beginning gives zeros and makes `left` negative.
 */
export class BackwardBits {
  private bytes: Uint8Array = new Uint8Array(0);
  private start = 0;
  /** Bits not yet read. */
  left = 0;

  /** Stands at the end of the stream in `bytes` from `start` to `end`. @throws CodecError when it has no mark */
  open(bytes: Uint8Array, start: number, end: number): void {
    const last = start < end ? (bytes[end - 1] ?? 0) : 0;
    if (last === 0) throw new CodecError("a bit stream has no end mark");
    this.bytes = bytes;
    this.start = start;
    this.left = (end - start) * 8 - 8 + (31 - Math.clz32(last));
  }

  /** Takes up to 24 bits. */
  take(count: number): number {
    this.left -= count;
    return this.at(this.left, count);
  }

  /** The next up to 24 bits, not taken. */
  peek(count: number): number {
    return this.at(this.left - count, count);
  }

  private at(position: number, count: number): number {
    if (position < 0) {
      // The bits that are there are the high ones of what was asked for.
      const there = count + position;
      return there <= 0 ? 0 : this.at(0, there) << -position;
    }
    const { bytes } = this;
    const i = this.start + (position >> 3);
    const word =
      (bytes[i] ?? 0) |
      ((bytes[i + 1] ?? 0) << 8) |
      ((bytes[i + 2] ?? 0) << 16) |
      ((bytes[i + 3] ?? 0) << 24);
    return (word >>> (position & 7)) & ((1 << count) - 1);
  }
}
