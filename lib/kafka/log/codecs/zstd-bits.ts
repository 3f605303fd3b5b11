import { CodecError } from "./codec-error";

// Bit streams that are read from their end, as Zstandard writes them (RFC 8878, 4.1): the highest set bit of the last
// byte marks where it begins, a position counts the bits before it.

/** The bits of a stream between two bytes, without its mark. @throws CodecError when it has none */
export function bitsBefore(bytes: Uint8Array, start: number, end: number): number {
  const last = start < end ? (bytes[end - 1] ?? 0) : 0;
  if (last === 0) throw new CodecError("a bit stream has no end mark");
  return (end - start) * 8 - 8 + (31 - Math.clz32(last));
}

/** Up to 28 bits at a position. Before the beginning, where the position is negative, it means nothing. */
export function bitsAt(bytes: Uint8Array, start: number, position: number, count: number): number {
  const i = start + (position >> 3);
  const shift = position & 7;
  const word =
    (bytes[i] ?? 0) | ((bytes[i + 1] ?? 0) << 8) | ((bytes[i + 2] ?? 0) << 16) | ((bytes[i + 3] ?? 0) << 24);
  if (count <= 24) return (word >>> shift) & ((1 << count) - 1);
  const more = shift === 0 ? 0 : (bytes[i + 4] ?? 0) << (32 - shift);
  return ((word >>> shift) | more) & ((1 << count) - 1);
}
