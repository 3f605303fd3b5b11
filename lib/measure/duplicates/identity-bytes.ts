const MB = 1024 * 1024;
/** Of a large range. */
const MOST = 32 * MB;
const LEAST = MB / 4;
/** A range that is no larger is soon read, whatever share of it that is, and so is what its replays are copies of. */
export const soonReadBytes = 256 * MB;
/** Twenty replays of a large range take a hundredth of it at most. */
const SHARE = 1 / 2_000;

/**
 * Bytes that one replay may take to be counted by identity, which reads it and what it is a copy of. What takes more is
 * counted by position, offsets from its first to its last change: at most so many.
 * @param rangeBytes of the range that is measured, as they lie in the log
 */
export function identityBytesFor(rangeBytes: number): number {
  return rangeBytes <= soonReadBytes
    ? soonReadBytes
    : Math.min(MOST, Math.max(LEAST, Math.floor(rangeBytes * SHARE)));
}
