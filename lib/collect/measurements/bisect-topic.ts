import type { LogReader } from "@/lib/kafka/log/log-reader";
import type { SchemaRegistry } from "@/lib/kafka/registry";
import type { NotMeasurable, PartitionDuplicates } from "@/lib/observed/duplicates";
import type { Carried, MeasuredPartition } from "../duplicates/measure-partition";
import type { Instruments } from "./instruments";
import { joinFound } from "./join-found";
import type { PartitionRange, TopicRange } from "./topic-range";
import type { TopicWriter } from "./topic-writer";
import { tryAgain } from "./try-again";

/** Bytes that one call reads at most; the next one goes on from there. */
const BYTES_A_STRETCH = 64 * 1024 * 1024;

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

  /** Goes on until the end, or as long as it gets anywhere. */
  async run(): Promise<{ joined: PartitionDuplicates; bytes: number }> {
    const { from, to } = this.part;
    let last = await this.#stretch(from, null);
    const found: [PartitionDuplicates, ...PartitionDuplicates[]] = [last.found];
    while (last.found.to < to && !this.of.signal.aborted) {
      const at = last.found.to;
      last = await this.#stretch(at, last.carried);
      if (last.found.to <= at) break;
      found.push(last.found);
    }
    const joined = joinFound(found);
    const notes = joined.to < to && !this.of.signal.aborted ? [notToTheEnd(joined.to, to)] : [];
    return { joined: { ...joined, notMeasurable: [...joined.notMeasurable, ...notes] }, bytes: this.#bytes };
  }

  async #stretch(from: number, carried: Carried | null): Promise<MeasuredPartition> {
    const { topic, range, writer, starts, registry, signal, report, pauseMs } = this.of;
    const { partition, to } = this.part;
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

function notToTheEnd(at: number, to: number): NotMeasurable {
  return {
    slug: "budget",
    reason: `Offsets ${at} to ${to - 1} were not measured: they cannot be told within the bytes that one step may read.`,
    count: null,
    remedy: "Measure it by a scan, which reads everything.",
  };
}
