import type { JudgedConnector } from "@/lib/checks/judged";
import { typeOf } from "@/lib/debezium/config";
import { LogReadError, type LogReader } from "@/lib/kafka/log/log-reader";
import type { Failure } from "@/lib/observed/observation";
import { storableTime } from "@/lib/observed/record-time";
import type { Database } from "@/lib/store/database";
import { replaysKeptMs } from "@/lib/store/replays";
import { readRestarts } from "@/lib/store/restarts";
import { inTurn } from "../in-turn";
import { RecordsGone } from "../restarts/partition-log";
import type { ClusterDuplicates } from "./cluster-duplicates";
import type { KeptPartition } from "./kept-partition";
import { type MeasuredBy, takeStep } from "./measure-step";
import { measuredRange, nextStep } from "./stretches";

/** Partitions that are measured at a time. */
const AT_ONCE = 2;
/** What a partition is expected to read, as a share of what it may: most read far less. */
const EXPECTED = 1 / 4;

/** A connector, with its partitions that can be measured. */
export interface Measurable {
  known: JudgedConnector;
  partitions: readonly KeptPartition[];
}

/** The partitions of which something is left to measure, those that waited longest first. */
function waiting(connectors: readonly Measurable[]): KeptPartition[] {
  return connectors
    .flatMap(({ partitions }) => partitions)
    .filter(({ progress, end, shortFor }) => shortFor === 0 && nextStep(progress, end) !== null)
    .sort((a, b) => a.servedAt - b.servedAt);
}

/**
 * Measures until the bytes of one look are used up: each partition in turn, so that none waits for ever behind a large one.
 * One that cannot be read fails alone.
 * @throws DatabaseUnavailable
 */
export async function measureAll(
  log: LogReader,
  duplicates: ClusterDuplicates,
  connectors: readonly Measurable[],
  db: Database,
): Promise<void> {
  const { bytesPerLook, registry, signal } = duplicates.options;
  const todo = waiting(connectors);
  const names = new Set(todo.map(({ connector }) => connector));
  const of = new Map<string, MeasuredBy>();
  for (const { known } of connectors) {
    if (!names.has(known.connector)) continue;
    const config = known.report.value?.config ?? {};
    const starts = await startsOf(known, db);
    of.set(known.connector, { log, type: typeOf(config), config, registry, starts, signal });
  }
  // What the look before read over its bytes is taken off: a step is never cut short, since what it counts would be the less sure.
  let left = bytesPerLook - duplicates.overdrawn;
  const expected = duplicates.stepBytes * EXPECTED;
  await inTurn(todo, AT_ONCE, async (kept) => {
    const by = of.get(kept.connector);
    if (!by || signal.aborted || left <= 0) return;
    left -= expected;
    kept.servedAt = duplicates.look;
    left += expected - (await measureOne(by, duplicates, kept));
  });
  duplicates.overdrawn = Math.max(0, -left);
}

/** Known starts of its tasks, as far back as replays are kept, milliseconds since 1970: they count where records bear no run id. */
async function startsOf({ cluster, connector }: JudgedConnector, db: Database): Promise<number[]> {
  const now = Date.now();
  const range = { from: new Date(now - replaysKeptMs), to: new Date(now + 60_000) };
  const restarts = await readRestarts(db, { cluster, connector }, range);
  return restarts.filter(({ runAfter }) => runAfter === null).map(({ at }) => Date.parse(at));
}

/** Takes one partition's steps until it has read what one may. Returns how many bytes it read. */
async function measureOne(
  by: MeasuredBy,
  duplicates: ClusterDuplicates,
  kept: KeptPartition,
): Promise<number> {
  const { stepBytes } = duplicates;
  let used = 0;
  try {
    for (;;) {
      const step = nextStep(kept.progress, kept.end);
      if (!step || used >= stepBytes) break;
      const at = { topic: kept.topic, partition: kept.partition, topicId: kept.progress.topicId };
      const taken = await takeStep(by, at, kept.progress, step, stepBytes);
      // What a stopped read brought is incomplete.
      if (by.signal.aborted) break;
      used += taken.bytes;
      kept.failure = null;
      kept.progress = taken.progress;
      const now = Date.now();
      await noteTimes(by.log, kept, now);
      duplicates.take(kept, taken, now);
    }
  } catch (error) {
    kept.failure = failureOf(error, kept.topic);
    // How much it had read is not told.
    return used + stepBytes * EXPECTED;
  }
  return used;
}

/** The timestamps of what lies at the ends of what was measured. What is measured to its end is so until now. */
async function noteTimes(log: LogReader, kept: KeptPartition, now: number): Promise<void> {
  const range = measuredRange(kept.progress);
  if (!range) return;
  const at = { topic: kept.topic, partition: kept.partition };
  const timeAt = async (offset: number) => {
    const record = await log.recordAt(at, offset, "read_committed").catch(() => null);
    return record && record.timestamp >= 0 ? storableTime(record.timestamp) : null;
  };
  if (range.from !== kept.fromOffset) {
    kept.fromAt = await timeAt(range.from);
    kept.fromOffset = range.from;
  }
  kept.toAt = range.to >= kept.end ? now : await timeAt(range.to);
}

function failureOf(error: unknown, topic: string): Failure {
  if (error instanceof LogReadError) return error.failure;
  if (error instanceof RecordsGone) {
    const sentence = `topic ${topic} was deleted, or made again, while it was read`;
    return { kind: "not-found", sentence, remedy: null };
  }
  const text = error instanceof Error ? error.message : String(error);
  return {
    kind: "internal",
    sentence: text.split("\n")[0]?.slice(0, 300) || "an error without a message",
    remedy: null,
  };
}
