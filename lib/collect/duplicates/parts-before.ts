import type { RunPart } from "@/lib/measure/duplicates/run-parts";
import { partFrom } from "@/lib/measure/duplicates/run-parts";
import { firstWhereBack } from "@/lib/measure/duplicates/run-steps";
import { findParts } from "./find-parts";
import type { WriterLog } from "./writer-log";

/** How many runs are looked at behind one another: each could have died in the middle of a replay. */
const RUNS_BACK = 6;
/** Two that wrote side by side took turns: so many are looked at, at most. */
const MOST_TURNS = 256;

/**
 * The runs before an offset of which no earlier look has told, oldest first. Behind the oldest there may be more.
 * @throws LogReadError, RecordsGone, NothingNear
 */
export async function partsBefore(log: WriterLog, offset: number): Promise<RunPart[]> {
  const { earliest } = log.reader;
  const parts: RunPart[] = [];
  let end = offset;
  while (new Set(parts.map(({ runId }) => runId)).size < RUNS_BACK && end > earliest) {
    if (parts.length >= MOST_TURNS) break;
    const last = await log.reader.last(earliest, end, log.bearsRun);
    if (last === null) break;
    if (last.runId === null) return [...(await withoutIds(log, end)), ...parts];
    const probe = (a: number, b: number) => log.reader.first(a, b, log.bearsRun);
    const first = await firstWhereBack(earliest, last, probe, ({ runId }) => runId === last.runId);
    parts.unshift(partFrom(first, end));
    end = first.offset;
  }
  const [oldest] = parts;
  // Retention, or what was not looked at, may have part of it.
  if (oldest) oldest.cut = oldest.first > earliest ? end > earliest : earliest > 0;
  return parts;
}

async function withoutIds(log: WriterLog, end: number): Promise<RunPart[]> {
  const known = { starts: [], wholeTo: 0 };
  const { parts } = await findParts(log, log.reader.earliest, end, known);
  return parts;
}
