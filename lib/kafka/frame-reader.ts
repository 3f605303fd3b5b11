import type { AnswerMemory } from "./answer-memory";

/** Bytes that one answer of a broker may have. Metadata of 100,000 partitions takes about 5 MB. */
export const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

const PREFIX = 4;

/** The other end does not answer in Kafka's protocol, or far too much. */
export class NotKafkaError extends Error {
  override name = "NotKafkaError";
  constructor(
    message: string,
    readonly code: "NOT_KAFKA" | "WANTS_TLS" | "TOO_LARGE",
  ) {
    super(message);
  }
}

/**
 * Gathers a broker's answers, each with its length prefix in one buffer that the socket reads into, so that nothing is
 * copied. The first impossible length ends it, before anything is kept of the answer: another service's greeting reads
 * as a length of hundreds of megabytes.
 */
export class FrameReader {
  private readonly prefix = Buffer.alloc(PREFIX);
  private frame: Buffer = this.prefix;
  private filled = 0;

  constructor(
    private readonly memory: AnswerMemory,
    private readonly deliver: (frame: Buffer) => void,
    private readonly fail: (error: NotKafkaError) => void,
  ) {}

  /** Where the next bytes go; never empty. */
  room(): Buffer {
    return this.frame.subarray(this.filled);
  }

  /** So many bytes came into what `room` gave. */
  took(bytes: number): void {
    this.filled += bytes;
    if (this.filled < this.frame.length) return;
    if (this.frame === this.prefix) {
      const fault = impossibleLength(this.prefix);
      if (fault) {
        this.filled = 0;
        this.fail(fault);
        return;
      }
      const frame = this.memory.take(PREFIX + this.prefix.readInt32BE(0));
      this.prefix.copy(frame);
      this.frame = frame;
      if (frame.length > PREFIX) return;
    }
    const whole = this.frame;
    this.frame = this.prefix;
    this.filled = 0;
    this.deliver(whole);
  }
}

/** Why the four bytes before an answer cannot be its length; null when they can. */
export function impossibleLength(prefix: Buffer): NotKafkaError | null {
  const length = prefix.readInt32BE(0);
  if (length >= 0 && length <= MAX_ANSWER_BYTES) return null;
  // A TLS alert or handshake record: type 0x15 or 0x16, version 0x03xx.
  if ((prefix[0] === 0x15 || prefix[0] === 0x16) && prefix[1] === 0x03) {
    return new NotKafkaError("it answered in TLS", "WANTS_TLS");
  }
  const text = prefix.toString("latin1");
  if (/^[\x20-\x7e]{4}$/.test(text))
    return new NotKafkaError(`its answer begins with "${text}"`, "NOT_KAFKA");
  return new NotKafkaError(`its answer claims to have ${length} bytes`, "TOO_LARGE");
}
