"use client";

import {
  CartesianGrid,
  Line,
  LineChart,
  Tooltip,
  usePlotArea,
  useXAxisScale,
  useYAxisScale,
  XAxis,
  YAxis,
} from "recharts";
import { flushIntervalText } from "@/lib/views/dial-words";
import { formatCount } from "@/lib/views/format";
import type { ReplayHistoryView } from "@/lib/views/replay-window-schema";
import { countAxis } from "./count-axis";
import { useNarrow } from "./use-narrow";

type DialPoint = ReplayHistoryView["dial"]["points"][number];

const tickIntervals = { wide: [1, 2, 5, 15, 30, 60, 120, 300], narrow: [1, 5, 20, 60, 300] };

function Told({ active, payload }: { active?: boolean; payload?: readonly { payload?: DialPoint }[] }) {
  const point = payload?.[0]?.payload;
  if (!active || !point) return null;
  const count = (value: number | null) => (value === null ? "unknown" : formatCount(value));
  return (
    <div className="rounded-card border border-line-strong bg-surface px-2.5 py-1.5 text-xs shadow-card">
      <div className="font-semibold">every {flushIntervalText(point.intervalMs)}</div>
      <div>worst {count(point.worst)} events</div>
      <div>expected {count(point.expected)} events</div>
      <div className="text-text-3">{formatCount(point.writesPerHour)} offset writes an hour</div>
    </div>
  );
}

/** Room that a name needs, in pixels. */
const nameHeight = 14;

interface EndName {
  name: string;
  y: number;
  color: string;
}

/** The names of the curves beside their ends, kept apart and above the axis, which lies at `foot`. */
function ends(worstY: number | null, expectedY: number | null, foot: number): EndName[] {
  const lower = Math.min(expectedY ?? foot, foot - 8);
  const upper = worstY === null ? null : Math.min(worstY, expectedY === null ? foot - 8 : lower - nameHeight);
  return [
    ...(upper === null ? [] : [{ name: "worst", y: upper, color: "var(--warning)" }]),
    ...(expectedY === null ? [] : [{ name: "expected", y: lower, color: "var(--accent)" }]),
  ];
}

/** Labels at the ends of both curves, and today's interval. */
function Marks({ points }: { points: readonly DialPoint[] }) {
  const plot = usePlotArea();
  const xOf = useXAxisScale("ms");
  const yOf = useYAxisScale();
  const last = points.at(-1);
  if (!plot || !xOf || !yOf || !last) return null;
  const today = points.find((p) => p.inForce);
  const end = plot.x + plot.width;
  const worstY = last.worst === null ? null : (yOf(last.worst) ?? null);
  const expectedY = last.expected === null ? null : (yOf(last.expected) ?? null);
  const todayX = today ? (xOf(today.intervalMs) ?? null) : null;
  const halo = { stroke: "var(--surface)", strokeWidth: 3, paintOrder: "stroke" } as const;
  return (
    <g className="text-xs">
      {todayX === null || !today ? null : (
        <>
          <line
            x1={todayX}
            x2={todayX}
            y1={plot.y}
            y2={plot.y + plot.height}
            stroke="var(--text-3)"
            strokeDasharray="3 3"
          />
          <text
            x={todayX > plot.x + plot.width / 2 ? todayX - 6 : todayX + 6}
            y={plot.y + 14}
            textAnchor={todayX > plot.x + plot.width / 2 ? "end" : "start"}
            fill="var(--text-2)"
            {...halo}
          >
            today, {flushIntervalText(today.intervalMs)}
          </text>
          {today.worst === null ? null : (
            <circle cx={todayX} cy={yOf(today.worst) ?? plot.y} r={3.5} fill="var(--warning)" />
          )}
          {today.expected === null ? null : (
            <circle cx={todayX} cy={yOf(today.expected) ?? plot.y} r={3.5} fill="var(--accent)" />
          )}
        </>
      )}
      {ends(worstY, expectedY, plot.y + plot.height).map(({ name, y, color }) => (
        <text key={name} x={end + 6} y={y + 4} fill={color}>
          {name}
        </text>
      ))}
    </g>
  );
}

/** What a crash would replay over the flush interval, on a scale of logarithms; above, the offset writes it costs. */
export function FlushDialChart({ dial, label }: { dial: ReplayHistoryView["dial"]; label: string }) {
  const narrow = useNarrow();
  const { points } = dial;
  const top = points.reduce((most, p) => Math.max(most, p.worst ?? 0, p.expected ?? 0), 0);
  const intervals = points.map((p) => p.intervalMs);
  const domain: [number, number] = [Math.min(...intervals), Math.max(...intervals)];
  const shown = tickIntervals[narrow ? "narrow" : "wide"].map((s) => s * 1_000);
  const inside = shown.filter((ms) => ms >= domain[0] && ms <= domain[1]);
  const writes = (ms: number) => {
    const known = points.find((p) => p.intervalMs === ms) ?? points[0];
    if (!known) return "";
    return formatCount(Math.round((known.writesPerHour * known.intervalMs) / ms));
  };
  const axis = {
    dataKey: "intervalMs",
    type: "number",
    scale: "log",
    domain,
    ticks: inside,
    tick: { fill: "var(--text-3)", fontSize: 12 },
    tickLine: false,
    interval: "preserveStartEnd",
  } as const;
  const curve = {
    dot: false,
    isAnimationActive: false,
    strokeWidth: 1.6,
    type: "linear",
    xAxisId: "ms",
  } as const;
  return (
    <LineChart
      responsive
      data={points}
      title={label}
      margin={{ top: 0, right: 62, bottom: 0, left: 0 }}
      className="h-full w-full"
    >
      <CartesianGrid vertical={false} stroke="var(--line)" xAxisId="ms" />
      <XAxis
        {...axis}
        xAxisId="ms"
        tickFormatter={flushIntervalText}
        axisLine={{ stroke: "var(--line-strong)" }}
      />
      <XAxis
        {...axis}
        xAxisId="writes"
        orientation="top"
        tickFormatter={writes}
        axisLine={{ stroke: "var(--line)" }}
      />
      <YAxis {...countAxis(top)} />
      <Tooltip content={<Told />} isAnimationActive={false} cursor={{ stroke: "var(--line-strong)" }} />
      <Line {...curve} dataKey="worst" stroke="var(--warning)" />
      <Line {...curve} dataKey="expected" stroke="var(--accent)" />
      <Marks points={points} />
    </LineChart>
  );
}
