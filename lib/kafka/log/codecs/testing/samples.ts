/** Numbers from 0 up to 2^32 that are the same in every run (xorshift32). */
export function chance(seed: number): () => number {
  let state = seed | 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
}

const make = {
  /** What change events look like: much of each in the ones before. */
  events: (next: () => number) => {
    const id = next() % 100_000;
    return Buffer.from(
      `{"before":null,"after":{"id":${id},"state":"${["new", "paid", "sent"][id % 3]}","total":${next() % 10_000}},` +
        `"source":{"version":"3.5.0.Final","connector":"postgresql","name":"shop","lsn":${next()},"txId":${next() % 5000}},` +
        `"op":"${"cud"[id % 3]}","ts_ms":${1_789_367_380_000 + (next() % 1_000_000)}}`,
    );
  },
  /** Nothing to be found twice, but some bytes come more often. */
  skewed: (next: () => number) => Buffer.from([Math.floor(((next() % 1000) / 1000) ** 4 * 256)]),
  /** Nothing that any codec makes smaller. */
  noise: (next: () => number) => Buffer.from([next() & 0xff]),
  /** One byte, again and again. */
  zeros: () => Buffer.alloc(64),
};

export type Sample = keyof typeof make;

/** So many bytes of a kind. */
export function sample(kind: Sample, size: number, seed = 1): Buffer {
  const next = chance(seed);
  const parts: Buffer[] = [];
  for (let length = 0; length < size; ) {
    const part = make[kind](next);
    parts.push(part);
    length += part.length;
  }
  return Buffer.concat(parts).subarray(0, size);
}
