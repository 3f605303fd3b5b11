import { axisCount, countTicks } from "./saw-tooth-shape";

/** The axis of counts up to `top`, alike in all charts: from 0, without a line. */
export function countAxis(top: number) {
  const ticks = countTicks(top);
  return {
    domain: [0, ticks.at(-1) ?? 1],
    ticks: top === 0 ? [0] : ticks,
    tickFormatter: axisCount,
    tick: { fill: "var(--text-3)", fontSize: 12 },
    tickLine: false,
    axisLine: false,
    width: 44,
  };
}
