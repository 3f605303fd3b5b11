import type { LogReader } from "@/lib/kafka/log/log-reader";
import type { SchemaRegistry } from "@/lib/kafka/registry";
import type { Carried } from "@/lib/measure/duplicates/carried";
import type { NotMeasurable, PartitionDuplicates } from "@/lib/observed/duplicates";
import type { Instruments } from "./instruments";
import { joinFound } from "./join-found";
import type { PartitionRange, TopicRange } from "./topic-range";
import type { TopicWriter } from "./topic-writer";
import { tryAgain } from "./try-again";

/** Bytes that one call reads at most; the next one goes on from there. */
const BYTES_A_STRETCH = 64 * 1024 * 1024;
/** Bytes that may be read of what lies before the range, for the positions that were reached there. */
const BYTES_BEFORE = 256 * 1024 * 1024;

/** Offsets of the range that are done, over all partitions, and bytes fetched. */
export type Report = (done: number, bytes: number) => void;

export interface BisectOf {
  topic: string;
  range: TopicRange;
  writer: TopicWriter;
  starts: readonly number[];
  registry: SchemaRegistry | null;
  signal: AbortSignal;
  report: Report;
  pauseMs?: number;
}

/** Measures the partitions of a topic one after the other. @throws MeasurementFailed */
export async function bisectTopic(
  bisect: Instruments["bisect"],
  log: LogReader,
  of: BisectOf,
): Promise<PartitionDuplicates[]> {
  const all: PartitionDuplicates[] = [];
  let done = 0;
  let bytes = 0;
  for (const part of of.range.partitions) {
    const report: Report = (offsets, read) => of.report(done + offsets, bytes + read);
    const found = await new PartitionBisection(bisect, log, { ...of, report }, part).run();
    if (of.signal.aborted) return all;
    all.push(found.joined);
    done += part.to - part.from;
    bytes += found.bytes;
    of.report(done, bytes);
  }
  return all;
}

/** One partition, in stretches that the byte budget of one call allows. */
class PartitionBisection {
  #bytes = 0;

  constructor(
    private readonly bisect: Instruments["bisect"],
    private readonly log: LogReader,
    private readonly of: BisectOf,
    private readonly part: PartitionRange,
  ) {}

  async run(): Promise<{ joined: PartitionDuplicates; bytes: number }> {
    const { from, to, earliest } = this.part;
    const before = earliest < from ? await this.#walk(earliest, from, null, BYTES_BEFORE) : null;
    // Not all the way: what it leaves would be of another place.
    const carried = before?.at === from ? before.carried : null;
    const { found, at } = await this.#walk(from, to, carried, Number.POSITIVE_INFINITY);
    const joined = joinFound(found);
    const notes: NotMeasurable[] = [];
    if (before && before.at < from) notes.push(unknownBefore(from));
    if (at < to && !this.of.signal.aborted) notes.push(notToTheEnd(at, to));
    return {
      joined: { ...joined, notMeasurable: [...joined.notMeasurable, ...notes] },
      bytes: this.#bytes,
    };
  }

  /** Goes on until `to`, until `budget` bytes are read, or as long as it gets anywhere. */
  async #walk(from: number, to: number, carried: Carried | null, budget: number) {
    const first = await this.#stretch(from, to, carried);
    const found: [PartitionDuplicates, ...PartitionDuplicates[]] = [first.found];
    const start = this.#bytes - first.found.bytesRead;
    let last = first;
    while (last.found.to < to && this.#bytes - start < budget && !this.of.signal.aborted) {
      const at = last.found.to;
      last = await this.#stretch(at, to, last.carried);
      if (last.found.to <= at) break;
      found.push(last.found);
    }
    return { found, carried: last.carried, at: last.found.to };
  }

  async #stretch(from: number, to: number, carried: Carried | null) {
    const { topic, range, writer, starts, registry, signal, report, pauseMs } = this.of;
    const { partition } = this.part;
    const ahead = (offset: number) => Math.max(0, Math.min(offset, this.part.to) - this.part.from);
    const measured = await tryAgain(
      () =>
        this.bisect(this.log, {
          ...{ topic, partition, topicId: range.topicId, from, to, carried, starts, registry, signal },
          type: writer.type,
          config: writer.config,
          maxBytes: BYTES_A_STRETCH,
          progress: ({ offset, bytes }) => report(ahead(offset), this.#bytes + bytes),
        }),
      { topic, signal, pauseMs },
    );
    this.#bytes += measured.found.bytesRead;
    report(ahead(measured.found.to), this.#bytes);
    return measured;
  }
}

function unknownBefore(from: number): NotMeasurable {
  return {
    slug: "budget",
    reason: `So much lies before offset ${from}, where the range begins, that it was not looked at: a replay at the very start of the range may be missing, or larger.`,
    count: null,
    remedy: "Measure a range that begins a little earlier.",
  };
}

function notToTheEnd(at: number, to: number): NotMeasurable {
  return {
    slug: "budget",
    reason: `Offsets ${at} to ${to - 1} were not measured: they cannot be told within the bytes that one step may read.`,
    count: null,
    remedy: "Measure it by a scan, which reads everything.",
  };
}
