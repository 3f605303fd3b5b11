"use client";

import { Area, CartesianGrid, ComposedChart, Line, Tooltip, XAxis, YAxis } from "recharts";
import { formatCount } from "@/lib/views/format";
import type { ReplayHistoryView } from "@/lib/views/replay-window-schema";
import { countAxis } from "./count-axis";
import { Moment } from "./moment";
import { SawToothMarks } from "./saw-tooth-marks";
import { type SawToothRow, sawToothShape } from "./saw-tooth-shape";
import { timeAxis } from "./time-axis";
import { useNarrow } from "./use-narrow";

/** A limit is drawn when the figures come near it; else it would press them flat. */
const limitTimes = 1.6;

const dayText = { weekday: "short", day: "numeric" } as const;

function Told({ active, payload }: { active?: boolean; payload?: readonly { payload?: SawToothRow }[] }) {
  const row = payload?.[0]?.payload;
  if (!active || !row) return null;
  const { most, band } = row;
  return (
    <div className="rounded-card border border-line-strong bg-surface px-2.5 py-1.5 text-xs shadow-card">
      <div className="font-semibold">
        {most === null
          ? "unknown"
          : band
            ? `${formatCount(band[0])} to ${formatCount(most)}`
            : formatCount(most)}
        {most === null ? null : <span className="font-normal text-text-3"> events</span>}
      </div>
      <div className="text-text-3">
        <Moment at={new Date(row.at).toISOString()} />
      </div>
    </div>
  );
}

/** The window over time: a saw-tooth that falls at each commit. What it shows stands in a table too. */
export function SawToothChart({
  history,
  limit,
  label,
}: {
  history: ReplayHistoryView;
  /** Of replay-window-large, in events. */
  limit: number | null;
  label: string;
}) {
  const narrow = useNarrow();
  const { rows, unknown, top } = sawToothShape(history);
  const near = limit !== null && top !== null && limit <= top * limitTimes ? limit : null;
  const highest = Math.max(top ?? 0, near ?? 0);
  const [from, to] = [Date.parse(history.from), Date.parse(history.to)];
  const line = { dataKey: "most", dot: false, connectNulls: false, isAnimationActive: false } as const;
  return (
    <ComposedChart
      responsive
      data={rows}
      title={label}
      margin={{ top: 22, right: 22, bottom: 4, left: 0 }}
      className="h-full w-full"
    >
      <CartesianGrid vertical={false} stroke="var(--line)" />
      <XAxis {...timeAxis(from, to, { narrow, day: dayText })} tickMargin={10} />
      <YAxis {...countAxis(highest)} />
      <Tooltip content={<Told />} isAnimationActive={false} cursor={{ stroke: "var(--line-strong)" }} />
      <Area
        {...line}
        type="linear"
        fill="var(--accent-soft)"
        fillOpacity={1}
        stroke="none"
        activeDot={false}
      />
      <Area
        {...line}
        dataKey="band"
        type="linear"
        fill="var(--accent)"
        fillOpacity={0.28}
        stroke="none"
        activeDot={false}
      />
      <Line {...line} type="linear" stroke="var(--accent)" strokeWidth={1.6} />
      <SawToothMarks history={history} unknown={unknown} limit={near} top={top} />
    </ComposedChart>
  );
}
