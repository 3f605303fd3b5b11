import { useId } from "react";
import { usePlotArea, useXAxisScale, useYAxisScale, ZIndexLayer } from "recharts";
import type { Restart } from "@/lib/observed/window-series";
import { formatCount } from "@/lib/views/format";
import type { ReplayHistoryView } from "@/lib/views/replay-window-schema";
import { Hatch } from "./hatch";
import { restartInShort } from "./restart-words";
import type { SawToothShape } from "./saw-tooth-shape";

/** A stretch is named when it is so wide, in pixels. */
const namedPx = 64;
/** What the name of a restart needs, in pixels. */
const nameRoomPx = 150;

interface Plot {
  x: number;
  y: number;
  width: number;
  height: number;
}

function Unknown({
  plot,
  from,
  to,
  hatch,
  name,
}: {
  plot: Plot;
  from: number;
  to: number;
  hatch: string;
  name: string;
}) {
  const width = Math.max(1, to - from);
  return (
    <g>
      <rect x={from} y={plot.y} width={width} height={plot.height} fill={`url(#${hatch})`} />
      {width >= namedPx ? (
        <text
          x={from + width / 2}
          y={plot.y + plot.height / 2}
          textAnchor="middle"
          className="text-xs"
          fill="var(--unknown)"
          stroke="var(--surface)"
          strokeWidth={4}
          paintOrder="stroke"
        >
          {name}
        </text>
      ) : null}
    </g>
  );
}

function RestartLine({ plot, x, name }: { plot: Plot; x: number; name: string | null }) {
  const toLeft = namedToLeft(plot, x);
  return (
    <g>
      <line
        x1={x}
        x2={x}
        y1={plot.y - 6}
        y2={plot.y + plot.height}
        stroke="var(--warning)"
        strokeWidth={1.5}
      />
      {name ? (
        <text
          x={toLeft ? x - 5 : x + 5}
          y={plot.y - 8}
          textAnchor={toLeft ? "end" : "start"}
          className="text-xs font-semibold"
          fill="var(--warning)"
        >
          {name}
        </text>
      ) : null}
    </g>
  );
}

function Limit({ plot, y, limit }: { plot: Plot; y: number; limit: number }) {
  return (
    <g>
      <line
        x1={plot.x}
        x2={plot.x + plot.width}
        y1={y}
        y2={y}
        stroke="var(--warning)"
        strokeDasharray="4 3"
        strokeWidth={1}
      />
      <text
        x={plot.x + plot.width}
        y={y - 4}
        textAnchor="end"
        className="text-xs"
        fill="var(--warning)"
        stroke="var(--surface)"
        strokeWidth={3}
        paintOrder="stroke"
      >
        limit {formatCount(limit)}
      </text>
    </g>
  );
}

interface RestartPlace {
  restart: Restart;
  x: number;
}

/** A name stands to the right of its line in the left half of the plot, and the other way round. */
function namedToLeft(plot: Plot, x: number): boolean {
  return x > plot.x + plot.width / 2;
}

/** Restarts that have room for their name, those that replayed most first; the others stand without one. */
function named(plot: Plot, places: readonly RestartPlace[]): Set<string> {
  const taken: { id: string; from: number }[] = [];
  const byCost = [...places].sort((a, b) => (b.restart.replayed ?? 0) - (a.restart.replayed ?? 0));
  for (const { restart, x } of byCost) {
    const from = namedToLeft(plot, x) ? x - nameRoomPx : x;
    if (!taken.some((t) => Math.abs(t.from - from) < nameRoomPx)) taken.push({ id: restart.id, from });
  }
  return new Set(taken.map((t) => t.id));
}

/** Over the lines, which Recharts draws at 400. */
const overLines = 1_200;

/** What is drawn with the saw-tooth: unknown stretches, commits as ticks, restarts and the limit. */
export function SawToothMarks({
  history,
  unknown,
  limit,
  top,
}: {
  history: ReplayHistoryView;
  unknown: SawToothShape["unknown"];
  limit: number | null;
  /** The highest figure; null: none is known. */
  top: number | null;
}) {
  const hatch = useId();
  const plot = usePlotArea();
  const xOf = useXAxisScale();
  const yOf = useYAxisScale();
  if (!plot || !xOf || !yOf) return null;
  const place = (at: number) => Math.min(plot.x + plot.width, Math.max(plot.x, xOf(at) ?? plot.x));
  const base = plot.y + plot.height;
  const restarts = history.restarts.map((restart) => ({ restart, x: place(Date.parse(restart.at)) }));
  const names = named(plot, restarts);
  return (
    <>
      <Hatch id={hatch} />
      {unknown.map(({ from, to, before }) => (
        <Unknown
          key={from}
          plot={plot}
          from={place(from)}
          to={place(to)}
          hatch={hatch}
          name={before ? "nothing recorded" : "not known"}
        />
      ))}
      {history.commits.map((at) => {
        const x = place(Date.parse(at));
        return <line key={at} x1={x} x2={x} y1={base} y2={base + 6} stroke="var(--text-3)" strokeWidth={1} />;
      })}
      <ZIndexLayer zIndex={overLines}>
        {limit === null ? null : <Limit plot={plot} y={yOf(limit) ?? plot.y} limit={limit} />}
        {top === 0 ? (
          <text x={plot.x + 8} y={base - 10} className="text-xs" fill="var(--accent)">
            0 at every look
          </text>
        ) : null}
        {restarts.map(({ restart, x }) => (
          <RestartLine
            key={restart.id}
            plot={plot}
            x={x}
            name={names.has(restart.id) ? restartInShort(restart) : null}
          />
        ))}
      </ZIndexLayer>
    </>
  );
}
