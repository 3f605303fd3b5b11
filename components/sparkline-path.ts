/** The viewport of a sparkline, in pixels. */
export const sparkSize = { width: 56, height: 20 };

/**
 * The path of a sparkline, from 0 at the foot to the highest value at the head; it breaks where a value is not known.
 * Empty without a known value.
 */
export function sparklinePath(values: readonly (number | null)[]): string {
  const { width, height } = sparkSize;
  const top = values.reduce<number>((most, v) => Math.max(most, v ?? 0), 0);
  const step = values.length > 1 ? width / (values.length - 1) : 0;
  // Half a line's width stays free at head and foot.
  const yOf = (value: number) => height - 1 - (top === 0 ? 0 : (value / top) * (height - 2));
  let path = "";
  let broken = true;
  values.forEach((value, i) => {
    if (value !== null) path += `${broken ? "M" : "L"}${round(i * step)} ${round(yOf(value))}`;
    broken = value === null;
  });
  return path;
}

function round(x: number): number {
  return Math.round(x * 10) / 10;
}
