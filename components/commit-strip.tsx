import type { CommitLine } from "@/lib/views/commit-lines";
import { commitStrip, type StripGap, type StripTick, withRoom } from "@/lib/views/commit-strip";
import { formatDuration } from "@/lib/views/format";
import { isOdd, moveName } from "./commit-moves";
import { Moment } from "./moment";
import { utcText } from "./utc-text";

/** The base line of the ticks, and where what is named begins, in pixels from above. */
const base = 36;
const top = 18;
/** Part of the strip's width that a name needs, in percent, by the class that shows it. */
const nameRooms = [
  { room: 9, className: "max-md:hidden" },
  { room: 28, className: "md:hidden" },
];

function Tick({ tick: { x, line } }: { tick: StripTick }) {
  const at = `${x}%`;
  const title = `${utcText(line.at)}: ${line.position ?? "deleted"}${line.progress ? ` (${line.progress})` : ""}`;
  return (
    <g className={toneOf(line)}>
      <title>{title}</title>
      <line x1={at} x2={at} y1={heightOf(line)} y2={base} stroke="currentColor" strokeWidth="2" />
      {/* Wider than the tick, to point at. */}
      <line x1={at} x2={at} y1={top} y2={base} stroke="transparent" strokeWidth="7" />
    </g>
  );
}

function heightOf(line: CommitLine): number {
  if (isOdd(line)) return top;
  return line.move === "unchanged" ? base - 8 : top + 6;
}

function toneOf(line: CommitLine): string {
  if (line.move === "back" || line.move === "deleted") return "text-warning";
  if (isOdd(line)) return "text-unknown";
  return line.snapshot ? "text-info" : "text-accent";
}

function anchorOf(x: number): "start" | "middle" | "end" {
  if (x < 8) return "start";
  return x > 92 ? "end" : "middle";
}

function Name({ tick: { x, line } }: { tick: StripTick }) {
  return (
    <text
      x={`${x}%`}
      y={top - 5}
      textAnchor={anchorOf(x)}
      className={`fill-current text-xs font-semibold ${toneOf(line)}`}
    >
      {moveName(line)}
    </text>
  );
}

/** A time without a commit, drawn short: its true length stands in it. */
function Gap({ gap: { from, to, ms, open } }: { gap: StripGap }) {
  const middle = `${(from + to) / 2}%`;
  const length = formatDuration(ms);
  return (
    <g className="text-text-3">
      <line
        x1={`${from}%`}
        x2={`${to}%`}
        y1={base}
        y2={base}
        stroke="var(--surface)"
        strokeWidth="3"
        strokeDasharray="3 4"
      />
      <text x={middle} y={base - 6} textAnchor="middle" className="fill-current text-xs max-md:hidden">
        {open ? `none for ${length}` : `${length} without`}
      </text>
      <text x={middle} y={base - 6} textAnchor="middle" className="fill-current text-xs md:hidden">
        {length}
      </text>
    </g>
  );
}

/** Commits as ticks on a line of time. What it shows stands in a table too; `label` is read out in its place. */
export function CommitStrip({
  lines,
  until,
  label,
}: {
  lines: readonly CommitLine[];
  /** When the offset topic was last read, ISO 8601. */
  until: string;
  label: string;
}) {
  const { ticks, gaps } = commitStrip(lines, Date.parse(until));
  const odd = ticks.filter((tick) => isOdd(tick.line));
  const [first] = lines;
  if (!first) return null;
  return (
    <>
      <svg role="img" aria-label={label} className="mt-1 block h-11 w-full overflow-visible">
        <line x1="0" x2="100%" y1={base} y2={base} stroke="var(--line-strong)" strokeWidth="1" />
        {gaps.map((gap) => (
          <Gap key={gap.from} gap={gap} />
        ))}
        {ticks.map((tick) => (
          <Tick key={tickKey(tick.line)} tick={tick} />
        ))}
        {nameRooms.map(({ room, className }) => (
          <g key={room} className={className}>
            {withRoom(odd, room).map((tick) => (
              <Name key={tickKey(tick.line)} tick={tick} />
            ))}
          </g>
        ))}
      </svg>
      <div className="flex justify-between text-xs text-text-3">
        <Moment at={first.at} />
        <Moment at={until} />
      </div>
    </>
  );
}

function tickKey({ readFrom }: CommitLine): string {
  return `${readFrom.topic} ${readFrom.partition} ${readFrom.offset}`;
}
