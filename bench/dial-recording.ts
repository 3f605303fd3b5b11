// A busy hour of one connector, record by record, the same each time.

/** Numbers in [0, 1), the same for the same seed (mulberry32). */
export function dice(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** An hour, after five minutes in which the longest flush interval of the dial begins. */
export const leadMs = 300_000;
export const hourMs = 3_600_000;

/** A time between two ends, each order of magnitude as likely. */
function spread(random: () => number, least: number, most: number): number {
  return least * (most / least) ** random();
}

/** Records at a rate a second from a moment on, by chance. */
function stream(random: () => number, from: number, lengthMs: number, perSecond: number): number[] {
  const times: number[] = [];
  for (let at = from; ; ) {
    at += (-Math.log(1 - random()) / perSecond) * 1_000;
    if (at >= from + lengthMs) return times;
    times.push(at);
  }
}

/** A transaction or an import: from 0.2 s to 60 s, some dozen to some thousand records a second, not quite steady. */
function burst(random: () => number): number[] {
  const lengthMs = spread(random, 200, 60_000);
  const perSecond = spread(random, 50, 6_000) / Math.max(1, (lengthMs / 1_000) ** 0.5);
  const from = random() * (leadMs + hourMs - lengthMs);
  const parts = 4;
  return Array.from({ length: parts }, (_, i) =>
    stream(random, from + (i * lengthMs) / parts, lengthMs / parts, perSecond * (0.7 + 0.6 * random())),
  ).flat();
}

/** A nightly job of eight minutes: chunks of 1.6 s, then 0.9 s of rest. */
function batchJob(random: () => number): number[] {
  const times: number[] = [];
  for (let at = leadMs + 1_900_000; at < leadMs + 2_380_000; at += 2_500)
    times.push(...stream(random, at, 1_600, 450));
  return times;
}

/** When each record was produced, in milliseconds from the beginning, ascending: a quiet base, 110 bursts, a batch job. */
export function recording(seed: number): Float64Array {
  const random = dice(seed);
  const base = stream(random, 0, leadMs + hourMs, 4);
  const bursts = Array.from({ length: 110 }, () => burst(random)).flat();
  return Float64Array.from([...base, ...bursts, ...batchJob(random)]).sort();
}

/** When the broker's acknowledgement of each record was back: 10 to 60 ms later as a rule, and never before an earlier record's. */
export function acknowledged(produced: Float64Array, seed: number): Float64Array {
  const random = dice(seed + 1);
  const acks = new Float64Array(produced.length);
  let last = 0;
  let until = 0;
  let delay = 30;
  produced.forEach((at, i) => {
    if (at >= until) {
      delay = random() < 0.02 ? 150 : 10 + 50 * random();
      until = at + 1_000 * random();
    }
    last = Math.max(last, at + delay);
    acks[i] = last;
  });
  return acks;
}
