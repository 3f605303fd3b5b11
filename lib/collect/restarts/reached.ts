import type { PositionKind } from "@/lib/debezium/positions/position";
import type { Mark } from "@/lib/measure/replay-window/replay-count";
import { type PartitionLog, RecordsGone } from "./partition-log";
import type { RecordFacts } from "./record-facts";
import { firstOfRun } from "./run-start";

/** How many runs are looked at behind the one before: each could have died in the middle of a replay. */
const RUNS_BACK = 4;
const MOST_AT_MARK = 32_768;

/** How far all runs before an offset had got in a partition. */
export interface Reached {
  mark: Mark;
  /** The last change of the run before: whose it was. */
  last: RecordFacts;
  /** The runs that were found behind one another, newest first, where each begins; the oldest may not be known. */
  runs: { runId: string; first: number }[];
}

/** A mark that is known already: where the runs before `runId` had got to. */
export interface KnownMark {
  runId: string;
  /** Of this topic: one that was made again under its name holds none of it. */
  topicId: string | null;
  mark: Mark;
}

/**
 * The highest position of all runs before `boundary`; null when no change lies there.
 * @param startOf the first offset of this partition with a timestamp at or after a run's start; null when it cannot be told
 * @throws LogReadError, RecordsGone
 */
export async function reachedBefore(
  log: PartitionLog,
  kind: PositionKind<unknown>,
  boundary: number,
  startOf: (runId: string) => Promise<number | null>,
  known: KnownMark | null,
): Promise<Reached | null> {
  const last = await lastChange(log, boundary);
  if (last === null) return null;
  const runs: Reached["runs"] = [];
  let best: RecordFacts | Mark = last;
  let run = last;
  let end = boundary;
  for (let back = 0; back < RUNS_BACK && run.runId !== null; back++) {
    if (known?.runId === run.runId) {
      best = higher(kind, best, known.mark);
      break;
    }
    const from = await startOf(run.runId);
    const first = from === null ? null : await firstOfRun(log, run.runId, from, end);
    if (first === null) break;
    runs.push({ runId: run.runId, first: first.offset });
    const before = await lastChange(log, first.offset);
    if (before === null) break;
    best = higher(kind, best, before);
    run = before;
    end = first.offset;
  }
  const mark = "atMark" in best ? best : await markAt(log, kind, best);
  return { mark, last, runs };
}

async function lastChange(log: PartitionLog, before: number): Promise<RecordFacts | null> {
  const look = await log.lastBefore(0, before, ({ kind }) => kind === "change" || kind === "unreadable");
  if (look?.found.kind === "unreadable")
    throw new RecordsGone(
      `Record ${look.found.offset} of ${log.name} cannot be measured: ${look.found.why ?? "it is no event."}`,
    );
  return look?.found ?? null;
}

function higher<A extends { position: unknown }, B extends { position: unknown }>(
  kind: PositionKind<unknown>,
  a: A,
  b: B,
): A | B {
  const { order, why } = kind.order(a.position, b.position);
  if (order === "unordered") throw new RecordsGone(`The runs before cannot be compared: ${why}`);
  return order === "before" ? b : a;
}

/** What else the same run wrote at exactly this position: it lies right before. */
export async function markAt(
  log: PartitionLog,
  kind: PositionKind<unknown>,
  record: RecordFacts,
): Promise<Mark> {
  for (let size = 64; ; size *= 8) {
    const from = Math.max(0, record.offset - size);
    const before = await log.between(from, record.offset + 1);
    const atMark = new Map<string, number>();
    let ended = from === 0;
    for (const facts of before.reverse()) {
      if (facts.kind !== "change") continue;
      if (facts.runId !== record.runId || kind.order(facts.position, record.position).order !== "equal") {
        ended = true;
        break;
      }
      atMark.set(facts.identity, (atMark.get(facts.identity) ?? 0) + 1);
    }
    if (ended || size >= MOST_AT_MARK) return { position: record.position, offset: record.offset, atMark };
  }
}
