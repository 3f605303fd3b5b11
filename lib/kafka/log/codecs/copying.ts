// Below these many bytes a loop is faster than a call (measured on JSON; literals are short, and a call costs more).
const SHORT_RUN = 24;
const SHORT_MATCH = 32;

/** Copies from one buffer to another. */
export function copyBytes(from: Buffer, start: number, to: Buffer, at: number, count: number): void {
  if (count > SHORT_RUN) from.copy(to, at, start, start + count);
  else for (let i = 0; i < count; i++) to[at + i] = from[start + i] ?? 0;
}

/** Copies what lies `distance` bytes back; where that is less than `count`, what was copied is copied again. */
export function copyMatch(out: Buffer, at: number, distance: number, count: number): void {
  const from = at - distance;
  if (count > SHORT_MATCH && distance >= count) out.copyWithin(at, from, from + count);
  else for (let i = 0; i < count; i++) out[at + i] = out[from + i] ?? 0;
}
