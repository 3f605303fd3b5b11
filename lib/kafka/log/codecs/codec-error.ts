/** Compressed bytes that contradict themselves; the message says how, without naming a place. */
export class CodecError extends Error {
  override readonly name = "CodecError";
}

/** Compressed bytes that would become more than the bound. */
export class TooLargeError extends Error {
  override readonly name = "TooLargeError";
  constructor(readonly bound: number) {
    super(`uncompressed it is larger than ${bound} bytes`);
  }
}
