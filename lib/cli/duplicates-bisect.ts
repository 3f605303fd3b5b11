import { measurePartition } from "@/lib/collect/duplicates/measure-partition";
import { inTurn } from "@/lib/collect/in-turn";
import { joinFound } from "@/lib/collect/measurements/join-found";
import { RecordsGone } from "@/lib/collect/restarts/partition-log";
import { LogReadError } from "@/lib/kafka/log/log-reader";
import type { Carried } from "@/lib/measure/duplicates/carried";
import type { PartitionDuplicates } from "@/lib/observed/duplicates";
import { formatBytes } from "@/lib/views/format";
import { notDebezium } from "./duplicates-debezium";
import type { TopicLook } from "./duplicates-look";
import { type Asked, bisectionReport, type DuplicatesReport, type MeasuredRange } from "./duplicates-report";

/** Partitions measured at a time. */
const AT_ONCE = 4;
/** After so many bytes what is known is kept: an interruption loses no more, and each slice begins its search anew. */
const SLICE_BYTES = 128 * 1024 * 1024;

/**
 * Each partition from its first record on, since a change of the range can have come before it; told of is what lies in the
 * range. `measuredTo` of the ranges follows.
 */
export async function bisectTopic(
  look: TopicLook,
  asked: (failed: Asked["failed"]) => Asked,
): Promise<DuplicatesReport> {
  const { bar, ranges } = look;
  bar.stage("looking for runs and what came again");
  const progress = new TopicProgress(look);
  const failed: Asked["failed"] = [];
  const parts = await inTurn(ranges, AT_ONCE, async (range) => {
    const { part, why } = await measure(look, range, progress);
    if (why !== null) failed.push({ ...why, count: null, partitions: [range.partition] });
    return part;
  });
  const found = parts.filter((part) => part !== null);
  if (!found.some(toldOfRuns) && failed.length === 0 && !look.signal.aborted)
    failed.push(...(await notDebezium(look)));
  return bisectionReport(asked(failed), found);
}

/** Something that only a log of changes has, or a reason of its own why nothing is told. */
const toldOfRuns = ({ replays, runs, falls, notMeasurable }: PartitionDuplicates) =>
  replays.length + falls.length + notMeasurable.length > 0 || runs.some(({ runId }) => runId !== null);

interface Measured {
  /** Null: not even a part of it. */
  part: PartitionDuplicates | null;
  why: { slug: string; reason: string; remedy: string | null } | null;
}

async function measure(look: TopicLook, range: MeasuredRange, progress: TopicProgress): Promise<Measured> {
  const { log, topic, topicId, type, config, registry, signal } = look;
  const { partition, to } = range;
  let from = look.earliest.get(partition) ?? 0;
  let carried: Carried | null = null;
  let part: PartitionDuplicates | null = null;
  try {
    while (from < to && !signal.aborted) {
      const slice = await measurePartition(log, {
        ...{ topic, partition, topicId, from, to, carried, type, config, registry, signal },
        starts: [],
        maxBytes: SLICE_BYTES,
        progress: (done) => progress.at(partition, done.offset, done.bytes),
      });
      part = part === null ? slice.found : joinFound([part, slice.found]);
      if (slice.found.to <= from)
        return {
          part: inRange(part, range),
          why: { slug: "budget", reason: stuck(topic, partition, from), remedy: null },
        };
      from = slice.found.to;
      carried = slice.carried;
      range.measuredTo = Math.max(range.from, Math.min(from, to));
      progress.kept(partition, from, slice.found);
    }
    return { part: part && inRange(part, range), why: null };
  } catch (error) {
    const kept = part && inRange(part, range);
    if (signal.aborted) return { part: kept, why: null };
    if (error instanceof RecordsGone)
      return { part: kept, why: { slug: "deleted", reason: error.message, remedy: "Measure it again." } };
    if (!(error instanceof LogReadError)) throw error;
    const { sentence, remedy } = error.failure;
    return { part: kept, why: { slug: "unread", reason: sentence, remedy } };
  }
}

const stuck = (topic: string, partition: number, offset: number) =>
  `${topic}-${partition} cannot be measured beyond offset ${offset} with ${formatBytes(SLICE_BYTES)}`;

/** A replay that began before the range and reaches into it is told of whole. */
function inRange(part: PartitionDuplicates, { from }: MeasuredRange): PartitionDuplicates {
  if (from <= part.from) return part;
  return {
    ...part,
    replays: part.replays.filter(({ lastOffset }) => lastOffset >= from),
    falls: part.falls.filter(({ offset }) => offset >= from),
    // Counted for all that was measured, of which the range is a part.
    uncommittedCopies: null,
  };
}

/** Sums up what the partitions tell. */
class TopicProgress {
  readonly #done = new Map<number, { offset: number; bytes: number; kept: number; replays: number }>();

  constructor(private readonly look: TopicLook) {}

  at(partition: number, offset: number, bytes: number): void {
    const known = this.#of(partition);
    this.#done.set(partition, { ...known, offset, bytes: known.kept + bytes });
    this.#show();
  }

  kept(partition: number, offset: number, { bytesRead, replays }: PartitionDuplicates): void {
    const known = this.#of(partition);
    const kept = known.kept + bytesRead;
    this.#done.set(partition, { offset, bytes: kept, kept, replays: known.replays + replays.length });
    this.#show();
  }

  #of(partition: number) {
    return this.#done.get(partition) ?? { offset: 0, bytes: 0, kept: 0, replays: 0 };
  }

  #show(): void {
    const { bar, ranges, earliest } = this.look;
    let [done, total, bytes, replays] = [0, 0, 0, 0];
    for (const { partition, to } of ranges) {
      const first = earliest.get(partition) ?? 0;
      const known = this.#of(partition);
      total += Math.max(0, to - first);
      done += Math.max(0, Math.min(known.offset, to) - first);
      bytes += known.bytes;
      replays += known.replays;
    }
    const found = replays === 0 ? "" : `, ${replays === 1 ? "1 replay" : `${replays} replays`} found`;
    bar.at({ done, total, beside: `${formatBytes(bytes)} read${found}`.replaceAll("\u00a0", " ") });
  }
}
