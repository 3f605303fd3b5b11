import { type DialPoint, dialOf } from "@/lib/measure/replay-window/dial";
import { statisticsOf, type WindowStatistics } from "@/lib/measure/replay-window/statistics";
import { pollsWithin, watched } from "./dial-polls";
import { acknowledged, leadMs, recording } from "./dial-recording";
import { type Recorded, recorded, simulated } from "./dial-simulation";
import { say, writeLastRun } from "./last-run";

const SEED = 1;
const IN_FORCE_MS = 60_000;
/** So far the dial may be off. */
const MOST_OFF = 0.05;

interface Row {
  point: DialPoint;
  truth: { mean: number; worst: number };
  /** The worst by the polls alone. */
  unrefined: number;
}

const off = (value: number | null, truth: number) => (value ?? 0) / truth - 1;
const percent = (part: number) => `${part >= 0 ? "+" : "−"}${Math.abs(100 * part).toFixed(1)} %`;
const count = (value: number) => Math.round(value).toLocaleString("en");

function rows(hour: Recorded, points: readonly DialPoint[], unrefined: readonly DialPoint[]): Row[] {
  return points.map((point, i) => {
    const truth = simulated(hour, point.intervalMs);
    say(
      `${point.intervalMs / 1_000} s: expected ${count(point.expected ?? 0)}, simulated ${count(truth.mean)}`,
    );
    return { point, truth, unrefined: unrefined[i]?.worst ?? 0 };
  });
}

/** What must hold, or the bench fails. */
function hold(all: readonly Row[], seen: WindowStatistics): void {
  for (const { point, truth } of all) {
    const name = `${point.intervalMs / 1_000} s`;
    if (point.inForce && (point.worst ?? 0) < (seen.worst ?? Number.POSITIVE_INFINITY))
      throw new Error(`${name}: a larger window was seen than the worst of the dial`);
    if (point.inForce && Math.abs(off(point.expected, seen.mean ?? 0)) > MOST_OFF)
      throw new Error(`${name}: expected is not the mean of the polls`);
    const most = Math.max(Math.abs(off(point.expected, truth.mean)), Math.abs(off(point.worst, truth.worst)));
    if (most > MOST_OFF) throw new Error(`${name}: ${percent(most)} beside the simulation`);
  }
}

function line({ point, truth, unrefined }: Row): string {
  const cells = [
    `${point.intervalMs / 1_000} s${point.inForce ? ", in force" : ""}`,
    count(point.expected ?? 0),
    count(truth.mean),
    percent(off(point.expected, truth.mean)),
    count(point.worst ?? 0),
    count(truth.worst),
    `**${percent(off(point.worst, truth.worst))}**`,
    percent(off(unrefined, truth.worst)),
  ];
  return `| ${cells.join(" | ")} |`;
}

/** The dial of a recorded hour beside a simulation of the same hour, record by record. */
export async function benchDial(): Promise<void> {
  const produced = recording(SEED);
  const hour = recorded(produced, acknowledged(produced, SEED));
  say(`an hour of ${count(produced.length)} records`);
  const seen = watched(hour, IN_FORCE_MS, true);
  const polls = watched(hour, IN_FORCE_MS, false);
  const dialFrom = (points: typeof seen.points) => dialOf(points, IN_FORCE_MS, { from: leadMs }).points;
  const all = rows(hour, dialFrom(seen.points), dialFrom(polls.points));
  const statistics = statisticsOf(pollsWithin(seen.points));
  hold(all, statistics);
  // Without a known interval in force the dial goes by its own mean over all phases.
  const phased = dialOf(seen.points, null, { from: leadMs }).points.find((p) => p.intervalMs === IN_FORCE_MS);
  const mean = statistics.mean ?? 0;
  const luck = off(phased?.expected ?? null, mean);
  if (Math.abs(luck) > MOST_OFF)
    throw new Error(`the mean over all phases is ${percent(luck)} beside that of the polls`);
  const table = [
    "| flush interval | expected | simulated | off | worst | simulated | off | worst by polls alone, off |",
    "|---|---|---|---|---|---|---|---|",
    ...all.map(line),
    "",
    `${statistics.polls} polls: mean ${count(mean)} (the dial's own mean over all phases: ${count(phased?.expected ?? 0)}, ${percent(luck)}), largest window seen ${count(statistics.worst ?? 0)}. ${seen.asked} times were asked for between them, at most ${seen.mostAsked} at a poll.`,
  ];
  writeLastRun("last dial run", table.join("\n"));
}
