import { type DeliveredRecord, deliveredOrder } from "@/lib/debezium/events/delivered-record";
import { runStart } from "@/lib/debezium/events/run-context";
import { partFrom, type RunPart } from "@/lib/measure/duplicates/run-parts";
import { firstWhere, type Guess, runSteps } from "@/lib/measure/duplicates/run-steps";
import { NothingNear } from "./partition-reader";
import type { WriterLog } from "./writer-log";

/** A range of so few offsets is read whole: a bisection would read as much. */
const WHOLE = 512;
/** Samples over a larger range: they show a run that writes again after a later one. */
const SAMPLE_EVERY = 2_048;
const MOST_SAMPLES = 48;
/** Without run ids the samples are all that shows a start. */
const MOST_FALL_SAMPLES = 256;
/** Read on from a known start to where positions fall, without run ids. */
const START_BYTES = 4 * 1024 * 1024;

/** Records before a start that are looked at one by one. */
const BESIDE = 256;
/** Searches that are under way at a time: each waits for the broker most of the time. */
const AT_ONCE = 8;

export interface FoundParts {
  /** In order. Where the first is not known to be a start: the range begins inside it. */
  parts: RunPart[];
  /** Offsets between two samples where these are all that tells; null where run ids do. */
  spacing: number | null;
}

/** What is known before runs are looked for. */
export interface PartsKnown {
  /** Offsets at or after which a start is known to lie; used without run ids. */
  starts: readonly number[];
  /** Up to here every record is looked at. */
  wholeTo: number;
}

/**
 * The parts of a partition that one run after the other wrote. By run ids every one is found, as long as they rise; without
 * them those whose start is known, and those that produced again more than lies between two samples.
 * @throws LogReadError, RecordsGone, NothingNear
 */
export async function findParts(
  log: WriterLog,
  from: number,
  to: number,
  known: PartsKnown,
): Promise<FoundParts> {
  const whole = to - from <= WHOLE ? to : Math.min(to, Math.max(from, known.wholeTo));
  const starts: DeliveredRecord[] = [];
  const top = new Map<string, DeliveredRecord>();
  let last: DeliveredRecord | null = null;
  let withoutIds = false;
  const look = (record: DeliveredRecord) => {
    if (!log.bearsRun(record)) return;
    if (record.runId === null) withoutIds = true;
    if (last === null || last.runId !== record.runId || falls(record, top)) {
      starts.push(record);
      top.clear();
    }
    if (record.kind === "change") top.set(record.lane, record);
    last = record;
  };
  await log.reader.walk(from, whole, Number.POSITIVE_INFINITY, look, { wanted: () => whole });
  const begun = last as DeliveredRecord | null;
  const sampled = await samples(log, whole, to, MOST_SAMPLES, SAMPLE_EVERY);
  const [first] = sampled;
  if (first && (begun === null || begun.runId !== first.runId)) starts.push(first);
  starts.push(...(await startsBetween(log, whole, sampled)));
  const parts = partsOf(starts, to);
  const bare = parts.filter(({ runId, end }) => runId === null && end > whole);
  if (bare.length === 0) return { parts, spacing: withoutIds ? 1 : null };
  let spacing = 1;
  for (const part of bare) {
    const found = await fallsIn(log, part, Math.max(whole, part.first), known);
    spacing = Math.max(spacing, found.spacing);
    starts.push(...found.starts);
  }
  return { parts: partsOf(starts, to), spacing };
}

/** Where runs begin between samples. */
async function startsBetween(
  log: WriterLog,
  bottom: number,
  sampled: readonly DeliveredRecord[],
): Promise<DeliveredRecord[]> {
  const steps = sampled.flatMap((high, i) => {
    const low = sampled[i - 1];
    return low && low.runId !== high.runId ? [{ low, high }] : [];
  });
  const probe = (a: number, b: number) => log.reader.first(a, b, log.bearsRun);
  const guess = beginningsByTime(log);
  const find = async ({ low, high }: { low: DeliveredRecord; high: DeliveredRecord }) => {
    const found: DeliveredRecord[] = [];
    for (const start of await runSteps(low, high, probe, high.offset, guess))
      found.push(...(await around(log, bottom, start)), start);
    return found;
  };
  const starts: DeliveredRecord[] = [];
  for (let i = 0; i < steps.length; i += AT_ONCE)
    starts.push(...(await Promise.all(steps.slice(i, i + AT_ONCE).map(find))).flat());
  return starts;
}

/** Run ids tell when a run began: its first record is seldom far from the first one that is not older. */
function beginningsByTime(log: WriterLog): Guess<DeliveredRecord> {
  const known = new Map<string, Promise<number | null>>();
  return async ({ runId }) => {
    const at = runId === null ? null : runStart(runId);
    if (runId === null || at === null) return null;
    const asked = known.get(runId) ?? log.reader.offsetAt(at);
    known.set(runId, asked);
    return asked;
  };
}

/**
 * Where the run before still wrote when the next one began, a bisection may hit upon any of the turns they took: the first
 * record of each turn, as far back as the later run wrote.
 */
async function around(log: WriterLog, bottom: number, start: DeliveredRecord): Promise<DeliveredRecord[]> {
  for (let size = BESIDE; ; size *= 4) {
    const from = Math.max(bottom, start.offset - size);
    const turns: DeliveredRecord[] = [];
    let last: DeliveredRecord | null = null;
    const look = (record: DeliveredRecord) => {
      if (!log.bearsRun(record)) return;
      if (last?.runId !== record.runId) turns.push(record);
      last = record;
    };
    await log.reader.walk(from, start.offset, Number.POSITIVE_INFINITY, look, { wanted: () => start.offset });
    // What lies at the beginning of the range is no turn that begins there.
    const [, ...begun] = turns;
    const own = turns.findIndex(({ runId }) => runId === start.runId);
    if (own < 0) return begun;
    if (from === bottom) return turns;
    if (own > 0 && (turns[own] as DeliveredRecord).offset > from + size / 2) return begun;
  }
}

function partsOf(starts: readonly DeliveredRecord[], to: number): RunPart[] {
  const sorted = [...new Map(starts.map((start) => [start.offset, start])).values()].sort(
    (a, b) => a.offset - b.offset,
  );
  const begun = sorted.filter((start, i) => start.runId === null || sorted[i - 1]?.runId !== start.runId);
  return begun.map((start, i) => partFrom(start, begun[i + 1]?.offset ?? to));
}

/** Without run ids: a change that does not stand above those of its lane before it. */
function falls(record: DeliveredRecord, top: ReadonlyMap<string, DeliveredRecord>): boolean {
  if (record.runId !== null || record.kind !== "change") return false;
  const before = top.get(record.lane);
  if (before === undefined) return false;
  const { order } = deliveredOrder(record.type)(record.position, before.position);
  // Several changes can share a position, but not of one row.
  const again = order === "equal" && record.identity === before.identity && record.rowKey !== null;
  return order === "before" || again;
}

/** The first and the last record of a range, and some between at even distances. */
async function samples(
  log: WriterLog,
  from: number,
  to: number,
  most: number,
  every: number,
  wanted = log.bearsRun,
): Promise<DeliveredRecord[]> {
  if (from >= to) return [];
  const count = Math.min(most, Math.floor((to - from) / every) + 1);
  const found: DeliveredRecord[] = [];
  const places = Array.from({ length: count }, (_, i) => from + Math.floor(((to - from) * i) / count));
  for (let [i, together] = [0, 1]; i < count; ) {
    const begun = (found.at(-1)?.offset ?? -1) + 1;
    const asked = places.slice(i, i + together);
    const looks = asked
      .filter((at) => at >= begun)
      .map((at) => nearOr(() => log.reader.first(at, to, wanted), at === from));
    for (const record of await Promise.all(looks))
      if (record && record.offset >= (found.at(-1)?.offset ?? -1) + 1) found.push(record);
    i += asked.length;
    // Where records that matter lie far from each other, two samples would look through the same stretch.
    const isNear = (found.at(-1)?.offset ?? to) < (places[i] ?? to);
    together = isNear ? Math.min(AT_ONCE, together * 2) : 1;
  }
  const [first] = found;
  if (!first) return [];
  // Closer and closer to the end: a run that was taken for dead may have written last.
  for (let back = 4 ** 8; back >= 16; back /= 4) {
    const at = to - back;
    if (at <= (found.at(-1)?.offset ?? -1)) continue;
    const record = await nearOr(() => log.reader.first(at, to, wanted), false);
    if (record) found.push(record);
  }
  const last = await log.reader.last(first.offset, to, wanted);
  return last && last.offset > (found.at(-1)?.offset ?? -1) ? [...found, last] : found;
}

/** One sample more or less: where nothing lies near, the others stand. */
async function nearOr<T>(look: () => Promise<T>, needed: boolean): Promise<T | null> {
  try {
    return await look();
  } catch (error) {
    if (needed || !(error instanceof NothingNear)) throw error;
    return null;
  }
}

/** Where positions fall in a part without run ids: between two samples, and soon after the known starts. */
async function fallsIn(
  log: WriterLog,
  part: RunPart,
  from: number,
  known: PartsKnown,
): Promise<{ starts: DeliveredRecord[]; spacing: number }> {
  const wanted = log.changeOf(part);
  const starts: DeliveredRecord[] = [];
  const taken = await samples(log, from, part.end, MOST_FALL_SAMPLES, SAMPLE_EVERY, wanted);
  for (let i = 1; i < taken.length; i++) {
    const [low, high] = [taken[i - 1], taken[i]];
    if (!low || !high || low.lane !== high.lane || !isBelow(high, low)) continue;
    const probe = (a: number, b: number) => log.reader.first(a, b, log.changeOf(part, low.lane));
    starts.push(await firstWhere(low, high, probe, (record) => isBelow(record, low)));
  }
  for (const start of known.starts) {
    if (start < from || start >= part.end) continue;
    const found = await fallAfter(log, part, start);
    if (found) starts.push(found);
  }
  return { starts, spacing: Math.ceil((part.end - from) / Math.max(1, taken.length - 1)) };
}

const isBelow = (record: DeliveredRecord, than: DeliveredRecord) =>
  deliveredOrder(record.type)(record.position, than.position).order === "before";

/** The first change from a known start on that does not stand above the one before it. */
async function fallAfter(log: WriterLog, part: RunPart, start: number): Promise<DeliveredRecord | null> {
  const wanted = log.changeOf(part);
  const top = new Map<string, DeliveredRecord>();
  const before = await log.lastChange(part, part.first, start);
  if (before) top.set(before.lane, before);
  let found: DeliveredRecord | null = null;
  await log.reader.walk(start, part.end, START_BYTES, (record) => {
    if (!wanted(record)) return true;
    if (falls(record, top)) {
      found = record;
      return false;
    }
    top.set(record.lane, record);
    return true;
  });
  return found;
}
