"use client";

import { useId } from "react";
import {
  Bar,
  CartesianGrid,
  ComposedChart,
  Tooltip,
  usePlotArea,
  useXAxisScale,
  XAxis,
  YAxis,
  ZIndexLayer,
} from "recharts";
import { formatCount } from "@/lib/views/format";
import type { ReplayGroup } from "@/lib/views/replay-groups";
import { countAxis } from "./count-axis";
import { Hatch } from "./hatch";
import { Moment } from "./moment";
import { barCount, barName, type TimelineBar, timelineBars } from "./replay-timeline-shape";
import { timeAxis } from "./time-axis";
import { useNarrow } from "./use-narrow";

/** What the name of a bar needs, in pixels: so much a letter. */
const letterPx = 6.6;
/** A stretch is named when it is so wide, in pixels. */
const namedPx = 110;
/** Over the bars. */
const overBars = 1_200;

const dayText = { day: "numeric", month: "short" } as const;

function Told({ active, payload }: { active?: boolean; payload?: readonly { payload?: TimelineBar }[] }) {
  const bar = payload?.[0]?.payload;
  if (!active || !bar) return null;
  return (
    <div className="rounded-card border border-line-strong bg-surface px-2.5 py-1.5 text-xs shadow-card">
      {bar.groups.slice(0, 5).map((group) => (
        <div key={group.id}>
          <span className="font-semibold">{formatCount(group.count)}</span> {group.causeName}{" "}
          <span className="text-text-3">
            <Moment at={group.at} />
          </span>
        </div>
      ))}
      {bar.groups.length > 5 ? <div className="text-text-3">and {bar.groups.length - 5} more</div> : null}
    </div>
  );
}

interface Placed {
  bar: TimelineBar;
  name: string;
  from: number;
  to: number;
  lane: number;
  /** Of the bar. */
  at: number;
  anchor: "start" | "end";
}

/** Rows of names above the plot, and how far apart, in pixels. */
const lanes = 2;
const lanePx = 16;

/** Names that have room, of the largest bars first; of others the count, or nothing. */
function placed(
  bars: readonly TimelineBar[],
  xOf: (at: number) => number,
  plot: { x: number; width: number },
): Placed[] {
  const taken: Placed[] = [];
  for (const bar of [...bars].sort((a, b) => b.count - a.count)) {
    const at = xOf(bar.at);
    const place = [barName(bar), barCount(bar)].flatMap((name) => roomFor(name, at, plot, taken) ?? [])[0];
    if (place) taken.push({ bar, at, ...place });
  }
  return taken;
}

/** Where a name stands beside its bar without touching what is `taken`; null: it has no room. */
function roomFor(
  name: string,
  at: number,
  plot: { x: number; width: number },
  taken: readonly Placed[],
): Omit<Placed, "bar" | "at"> | null {
  const width = name.length * letterPx + 12;
  const toLeft = at + width > plot.x + plot.width;
  const from = toLeft ? at - width : at;
  if (from < 0) return null;
  const to = from + width;
  const lane = Array.from({ length: lanes }, (_, n) => n).find(
    (n) => !taken.some((t) => t.lane === n && from < t.to && to > t.from),
  );
  return lane === undefined ? null : { name, from, to, lane, anchor: toLeft ? "end" : "start" };
}

/** The stretch before anything is known, and the names of bars. */
function Marks({
  bars,
  from,
  since,
  unknown,
}: {
  bars: readonly TimelineBar[];
  from: number;
  since: number;
  unknown: string;
}) {
  const hatch = useId();
  const plot = usePlotArea();
  const scale = useXAxisScale();
  if (!plot || !scale) return null;
  const xOf = (at: number) => Math.min(plot.x + plot.width, Math.max(plot.x, scale(at) ?? plot.x));
  const width = since > from ? xOf(since) - plot.x : 0;
  return (
    <>
      <Hatch id={hatch} />
      {width > 0 ? (
        <rect x={plot.x} y={plot.y} width={width} height={plot.height} fill={`url(#${hatch})`} />
      ) : null}
      {width >= namedPx ? (
        <text
          x={plot.x + width / 2}
          y={plot.y + plot.height / 2 + 4}
          textAnchor="middle"
          className="text-xs"
          fill="var(--unknown)"
          stroke="var(--surface)"
          strokeWidth={4}
          paintOrder="stroke"
        >
          {unknown}
        </text>
      ) : null}
      <ZIndexLayer zIndex={overBars}>
        {placed(bars, xOf, plot).map(({ bar, name, at, lane, anchor }) => {
          const y = plot.y - 6 - lane * lanePx;
          return (
            <g key={bar.at}>
              <line
                x1={at}
                x2={at}
                y1={y - 9}
                y2={plot.y + plot.height}
                stroke="var(--warning)"
                strokeOpacity={0.35}
              />
              <text
                x={anchor === "end" ? at - 5 : at + 5}
                y={y}
                textAnchor={anchor}
                className="text-xs font-semibold"
                fill="var(--warning)"
                stroke="var(--surface)"
                strokeWidth={3}
                paintOrder="stroke"
              >
                {name}
              </text>
            </g>
          );
        })}
      </ZIndexLayer>
    </>
  );
}

/** When changes came again, and how many. What it shows stands in the list below and in a table too. */
export function ReplayTimelineChart({
  groups,
  from,
  to,
  since,
  unknown,
  label,
}: {
  groups: readonly ReplayGroup[];
  from: number;
  to: number;
  /** Before it nothing is known; `from` or earlier: all of the time is. */
  since: number;
  /** Why: `not measured yet`. */
  unknown: string;
  label: string;
}) {
  const narrow = useNarrow();
  const bars = timelineBars(groups, from, to);
  const top = bars.reduce((most, b) => Math.max(most, b.count), 0);
  return (
    <ComposedChart
      responsive
      data={bars}
      title={label}
      margin={{ top: 38, right: 22, bottom: 4, left: 0 }}
      className="h-full w-full"
    >
      <CartesianGrid vertical={false} stroke="var(--line)" />
      <XAxis {...timeAxis(from, to, { narrow, day: dayText })} tickMargin={8} />
      <YAxis {...countAxis(top)} />
      <Tooltip content={<Told />} isAnimationActive={false} cursor={{ stroke: "var(--line-strong)" }} />
      <Bar
        dataKey="count"
        barSize={narrow ? 5 : 8}
        minPointSize={4}
        fill="var(--warning)"
        isAnimationActive={false}
      />
      <Marks bars={bars} from={from} since={since} unknown={unknown} />
    </ComposedChart>
  );
}
