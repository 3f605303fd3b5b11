import type { LogReader, TopicPartition } from "@/lib/kafka/log/log-reader";
import { whereToRefine } from "@/lib/measure/replay-window/refine";
import type { WindowPoint } from "@/lib/observed/window-series";
import { type Measured, tablePartitions } from "./measured";
import type { WindowMemory } from "./window-memory";

/** Connectors whose series is looked into in one poll, those that grew most; and of those, how many are asked about. */
const LOOKED_INTO = 32;
const CONNECTORS = 8;
/** Times asked about at once for a connector, and rounds: each halves the stretches that the one before left. */
const TIMES = 6;
const ROUNDS = 3;

type Row = { connector: string; point: WindowPoint };

/** A time to ask about, and where the count of produced records stood at the newest poll. */
interface Wanted {
  measured: Measured;
  at: number;
  produced: number;
}

/**
 * Sees bursts between two polls in detail, for the few connectors that have them: asks for offsets at times that have passed,
 * and gives the count of produced records at them. The requests are as many for eight connectors as for one.
 */
export async function refineBursts(log: LogReader, measured: readonly Measured[]): Promise<Row[]> {
  const grown = measured
    .map((one) => ({ one, growth: growthOf(one.memory) }))
    .filter(({ growth }) => growth > 0)
    .sort((a, b) => b.growth - a.growth)
    .slice(0, LOOKED_INTO);
  const found: Row[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const wanted = grown.map(({ one }) => wantedOf(one)).filter((times) => times.length > 0);
    if (wanted.length === 0) break;
    const rows = await ask(log, wanted.slice(0, CONNECTORS));
    if (rows.length === 0) break;
    found.push(...rows);
  }
  return found;
}

/** Records between the two newest polls. */
function growthOf({ points }: WindowMemory): number {
  const polls = points.filter((p) => !p.between && p.produced !== null).slice(-2);
  return (polls[1]?.produced ?? 0) - (polls[0]?.produced ?? 0);
}

function wantedOf(measured: Measured): Wanted[] {
  const { points } = measured.memory;
  const newest = points.findLast((p) => !p.between);
  // Only what the newest ends are known for can be counted back from them.
  if (newest?.produced == null) return [];
  const { produced } = newest;
  return whereToRefine(points, TIMES).map(({ from, to }) => ({
    measured,
    at: Math.round((from + to) / 2),
    produced,
  }));
}

/** One request a leader for the first time of each connector, one for the second, and so on. */
async function ask(log: LogReader, wanted: readonly (readonly Wanted[])[]): Promise<Row[]> {
  const rows: Row[] = [];
  for (let turn = 0; turn < TIMES; turn++) {
    const turns = wanted.flatMap((times) => times[turn] ?? []);
    if (turns.length === 0) break;
    rows.push(...(await askOnce(log, turns)));
  }
  return rows;
}

async function askOnce(log: LogReader, turns: readonly Wanted[]): Promise<Row[]> {
  const asked = new Map<string, TopicPartition & { timestamp: number }>();
  for (const { measured, at } of turns)
    for (const { topic, partition } of tablePartitions(measured)) {
      const name = `${topic}/${partition}`;
      // A request names a partition once: the second connector that writes to it is asked about another time.
      if (!asked.has(name)) asked.set(name, { topic, partition, timestamp: at });
    }
  const answers = await log.offsetsForTime([...asked.values()]);
  const offsets = new Map([...asked.keys()].map((name, i) => [name, answers[i]]));
  return turns.flatMap((wanted) => rowOf(wanted, asked, offsets));
}

function rowOf(
  { measured, at, produced }: Wanted,
  asked: ReadonlyMap<string, { timestamp: number }>,
  offsets: ReadonlyMap<string, Awaited<ReturnType<LogReader["offsetsForTime"]>>[number] | undefined>,
): Row[] {
  const { memory, target } = measured;
  let since = 0;
  for (const { topic, partition, end } of tablePartitions(measured)) {
    const name = `${topic}/${partition}`;
    const answer = offsets.get(name);
    if (asked.get(name)?.timestamp !== at) return [];
    if (answer === undefined || (answer !== null && "kind" in answer)) return [];
    since += Math.max(0, end - (answer?.offset ?? end));
  }
  const point: WindowPoint = {
    at,
    between: true,
    produced: between(memory.points, at, produced - since),
    events: null,
    low: null,
    high: null,
    by: null,
    committedAt: null,
  };
  memory.points.push(point);
  return [{ connector: target.known.connector, point }];
}

/** A record's own time and the time at which it lay in the log differ a little: the count never falls for that. */
function between(points: readonly WindowPoint[], at: number, produced: number): number {
  let [least, most] = [0, Number.POSITIVE_INFINITY];
  for (const p of points) {
    if (p.produced === null) continue;
    if (p.at <= at) least = Math.max(least, p.produced);
    else most = Math.min(most, p.produced);
  }
  return Math.min(Math.max(least, produced), most);
}
