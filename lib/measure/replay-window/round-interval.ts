/** Intervals that people set, in milliseconds. */
const roundValues = [
  100, 200, 250, 500, 1_000, 1_500, 2_000, 2_500, 3_000, 4_000, 5_000, 6_000, 7_500, 8_000, 10_000, 12_000,
  15_000, 20_000, 25_000, 30_000, 40_000, 45_000, 50_000, 60_000, 90_000, 100_000, 120_000, 180_000, 240_000,
  300_000, 600_000, 900_000, 1_800_000, 3_600_000,
];
/** Gaps run over by what a flush takes, and hardly ever under. */
const over = 0.04;
const under = 0.015;

/** The interval that was likely set where gaps of `ms` are seen: a round value close below, else a whole second, else itself. */
export function snapped(ms: number): number {
  const near = roundValues.filter((round) => ms <= round * (1 + over) + 5 && ms >= round * (1 - under));
  const nearest = near.reduce<number | null>(
    (best, round) => (best === null || Math.abs(round - ms) < Math.abs(best - ms) ? round : best),
    null,
  );
  if (nearest !== null) return nearest;
  const second = Math.round(ms / 1_000) * 1_000;
  return second > 0 && Math.abs(second - ms) <= 0.015 * ms ? second : Math.max(1, Math.round(ms));
}
