/** The two halves of a hash, whole numbers from 0 to 2^32 - 1. */
export interface Hash {
  high: number;
  low: number;
}

/** Bytes of a secret. */
export const secretBytes = 8;

/**
 * HalfSipHash-2-4 with 64 bits of output (Aumasson and Bernstein), on 32-bit words, which JavaScript is quick at. Keyed, so
 * that a stored hash tells nothing of the key it was made of to who has not the secret. What is fed is padded to whole
 * words and bears its length, so that two different lists of parts never make one message.
 */
export class KeyedHash {
  /** The two halves of the result, whole numbers from 0 to 2^32 - 1; set by {@link end}. */
  high = 0;
  low = 0;

  readonly #k0: number;
  readonly #k1: number;
  #v0 = 0;
  #v1 = 0;
  #v2 = 0;
  #v3 = 0;
  #words = 0;

  /** @param secret {@link secretBytes} bytes. @throws RangeError for another length */
  constructor(secret: Uint8Array) {
    if (secret.length !== secretBytes) throw new RangeError(`a secret has ${secretBytes} bytes`);
    this.#k0 = wordAt(secret, 0);
    this.#k1 = wordAt(secret, 4);
  }

  begin(): void {
    this.#v0 = this.#k0;
    this.#v1 = this.#k1 ^ 0xee;
    this.#v2 = 0x6c796765 ^ this.#k0;
    this.#v3 = 0x74656462 ^ this.#k1;
    this.#words = 0;
  }

  /** Feeds one word of 32 bits. */
  word(m: number): void {
    this.#v3 ^= m;
    this.#rounds(2);
    this.#v0 ^= m;
    this.#words++;
  }

  /** Feeds a whole number from 0 to 2^53 - 1, or -1 for none. */
  number(n: number): void {
    this.word(n | 0);
    this.word(Math.floor(n / 0x1_0000_0000) | 0);
  }

  /** Feeds the bytes from `from` up to `to`, behind their number. */
  bytes(bytes: Uint8Array, from: number, to: number): void {
    this.word(to - from);
    let at = from;
    for (; at + 4 <= to; at += 4) this.word(wordAt(bytes, at));
    if (at === to) return;
    let last = 0;
    for (let shift = 0; at < to; shift += 8) last |= (bytes[at++] as number) << shift;
    this.word(last);
  }

  /** Feeds a text in UTF-8. */
  text(text: string): void {
    const bytes = Buffer.from(text);
    this.bytes(bytes, 0, bytes.length);
  }

  /** Ends the message and sets {@link high} and {@link low}. */
  end(): void {
    const length = (this.#words * 4) << 24;
    this.#v3 ^= length;
    this.#rounds(2);
    this.#v0 ^= length;
    this.#v2 ^= 0xee;
    this.#rounds(4);
    this.low = (this.#v1 ^ this.#v3) >>> 0;
    this.#v1 ^= 0xdd;
    this.#rounds(4);
    this.high = (this.#v1 ^ this.#v3) >>> 0;
  }

  #rounds(count: number): void {
    let v0 = this.#v0;
    let v1 = this.#v1;
    let v2 = this.#v2;
    let v3 = this.#v3;
    for (let i = 0; i < count; i++) {
      v0 = (v0 + v1) | 0;
      v1 = (v1 << 5) | (v1 >>> 27);
      v1 ^= v0;
      v0 = (v0 << 16) | (v0 >>> 16);
      v2 = (v2 + v3) | 0;
      v3 = (v3 << 8) | (v3 >>> 24);
      v3 ^= v2;
      v0 = (v0 + v3) | 0;
      v3 = (v3 << 7) | (v3 >>> 25);
      v3 ^= v0;
      v2 = (v2 + v1) | 0;
      v1 = (v1 << 13) | (v1 >>> 19);
      v1 ^= v2;
      v2 = (v2 << 16) | (v2 >>> 16);
    }
    this.#v0 = v0;
    this.#v1 = v1;
    this.#v2 = v2;
    this.#v3 = v3;
  }
}

function wordAt(bytes: Uint8Array, at: number): number {
  return (
    (bytes[at] as number) |
    ((bytes[at + 1] as number) << 8) |
    ((bytes[at + 2] as number) << 16) |
    ((bytes[at + 3] as number) << 24)
  );
}
