/** A time in UTC to the second, with its date where that is another one than now's: `06:21:30 UTC`, `2026-09-13 06:21:30 UTC`. @param at ISO time in UTC */
export function clock(at: string, now: Date): string {
  const [day, time] = [at.slice(0, 10), `${at.slice(11, 19)} UTC`];
  return day === now.toISOString().slice(0, 10) ? time : `${day} ${time}`;
}
