import { gunzipSync } from "node:zlib";
import { CodecError, TooLargeError } from "./codec-error";

/** One or more gzip members. @throws CodecError, TooLargeError */
export function ungzip(bytes: Buffer, bound: number): Buffer {
  try {
    return gunzipSync(bytes, { maxOutputLength: bound, chunkSize: chunkFor(bytes.length) });
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE") {
      throw new TooLargeError(bound);
    }
    throw new CodecError(error instanceof Error ? error.message : String(error));
  }
}

/** Text shrinks to about an eighth: what is in one chunk needs no joining. */
function chunkFor(length: number): number {
  return Math.min(Math.max(length * 8, 16 * 1024), 1024 * 1024);
}
