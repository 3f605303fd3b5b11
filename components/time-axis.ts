import { timeTicks } from "./saw-tooth-shape";

type Format = Intl.DateTimeFormatOptions;

const clock: Format = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" };

/** The axis of time from `from` to `to`, alike in all charts. @param day how a tick is written where the axis is longer than two days */
export function timeAxis(from: number, to: number, { narrow, day }: { narrow: boolean; day: Format }) {
  const zoneMs = -new Date(to).getTimezoneOffset() * 60_000;
  const written = new Intl.DateTimeFormat(undefined, to - from > 48 * 3_600_000 ? day : clock);
  return {
    dataKey: "at",
    type: "number",
    scale: "time",
    domain: [from, to],
    allowDataOverflow: true,
    ticks: timeTicks(from, to, narrow ? 4 : 8, zoneMs),
    tickFormatter: (at: number) => written.format(at),
    tick: { fill: "var(--text-3)", fontSize: 12 },
    tickLine: false,
    axisLine: { stroke: "var(--line-strong)" },
    interval: 0,
  } as const;
}
