import type { PartitionTruth, Stretch } from "@/lab/deliveries";
import { WRITTEN_TABLES } from "@/lab/tables";
import type { FoundReplay, PartitionDuplicates } from "@/lib/observed/duplicates";

/** What was found in a partition, beside the truth about it. */
export interface Compared {
  truth: PartitionTruth;
  found: Pick<PartitionDuplicates, "to" | "replays" | "falls" | "notMeasurable">;
}

/**
 * Where what was found differs from the truth, a sentence each. Every copy must be in one replay, of the run that wrote it, and
 * each replay must begin and end where a stretch of copies does.
 */
export function differences({ truth, found }: Compared): string[] {
  const name = `${truth.topic}/${truth.partition}`;
  const told: string[] = [];
  const say = (sentence: string) => told.push(`${name}: ${sentence}`);
  if (found.to !== truth.end) say(`measured to ${found.to} instead of ${truth.end}`);
  const sum = found.replays.reduce((all, { count }) => all + count, 0);
  if (sum !== truth.copies.length)
    say(`${sum} found in ${found.replays.length} replays, ${truth.copies.length} are there`);
  const rest = new Set(truth.stretches);
  for (const replay of found.replays) {
    const own = truth.stretches.filter((stretch) => isOf(replay, stretch));
    for (const stretch of own) rest.delete(stretch);
    for (const sentence of ofReplay(replay, own, truth)) say(sentence);
  }
  for (const stretch of rest) say(`not found: ${sayStretch(stretch)}`);
  for (const fall of found.falls) say(`a fall that is none at ${fall.offset}: ${fall.sentence}`);
  for (const one of found.notMeasurable) say(`not measurable, ${one.slug}: ${one.reason}`);
  return told;
}

/** Whether a stretch lies in a replay. */
function isOf(replay: FoundReplay, stretch: Stretch): boolean {
  const sameRun = replay.runAfter === null || replay.runAfter === stretch.run;
  return sameRun && stretch.firstOffset >= replay.firstOffset && stretch.lastOffset <= replay.lastOffset;
}

function* ofReplay(
  replay: FoundReplay,
  own: readonly Stretch[],
  { topic, copies }: PartitionTruth,
): Generator<string> {
  // Without a key two changes could share what tells them apart: the count is right here, and still said with care.
  const keyless = WRITTEN_TABLES.some((table) => table.topic === topic && !table.keyed);
  const said = sayReplay(replay);
  const count = own.reduce((sum, stretch) => sum + stretch.count, 0);
  const [first, last] = [own.at(0), own.at(-1)];
  if (!first || !last) {
    yield `${said} is none`;
    return;
  }
  if (own.length > 1) yield `${said} is ${own.length}: ${own.map(sayStretch).join("; ")}`;
  if (replay.bound !== "exact" && !(keyless && replay.bound === "at-most"))
    yield `${said} is ${replay.bound}`;
  if (count !== replay.count) yield `${said} has ${count}`;
  if (first.firstOffset !== replay.firstOffset) yield `${said} begins at ${first.firstOffset}`;
  if (last.lastOffset !== replay.lastOffset) yield `${said} ends at ${last.lastOffset}`;
  for (const [of, at, told] of [
    ["first", replay.firstOffset, replay.firstCopyOf],
    ["last", replay.lastOffset, replay.lastCopyOf],
  ] as const) {
    const copy = copies.find(({ offset }) => offset === at);
    if (copy && told !== null && told !== copy.first)
      yield `${said}: its ${of} lay first at ${copy.first}, not at ${told}`;
  }
}

function sayReplay({ count, firstOffset, lastOffset, evidence, runAfter }: FoundReplay): string {
  return `the replay of ${count} from ${firstOffset} to ${lastOffset} (${evidence}, run ${runAfter ?? "unknown"})`;
}

function sayStretch({ count, firstOffset, lastOffset, run }: Stretch): string {
  return `${count} from ${firstOffset} to ${lastOffset}, run ${run ?? "unknown"}`;
}
