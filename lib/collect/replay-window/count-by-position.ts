import type { ConnectorConfig } from "@/lib/debezium/config";
import type { ConnectorType } from "@/lib/debezium/connector-type";
import type { Isolation, LogReader } from "@/lib/kafka/log/log-reader";
import type { SchemaRegistry } from "@/lib/kafka/registry";
import { coverageOf } from "@/lib/measure/replay-window/coverage";
import type { InForce } from "@/lib/measure/replay-window/in-force";
import { WindowCount } from "@/lib/measure/replay-window/window-count";
import type { Failure, Look } from "@/lib/observed/observation";
import type { ByPosition } from "@/lib/observed/replay-window";
import { inTurn } from "../in-turn";
import { ReadingFacts } from "./count-by-position-facts";
import { type CountedPartition, type Counting, PartitionReading } from "./count-by-position-partition";

export interface PositionRequest {
  type: ConnectorType;
  config: ConnectorConfig;
  inForce: InForce;
  isolation: Isolation;
  /**
   * Those of its table topics. The search begins at `from`: `trusted` when all that the commit does not cover is certain to
   * lie from there on (the place of the time inside the offset). `guess`: the place by the commit's time. `to`: the end.
   */
  partitions: readonly CountedPartition[];
  /** Read at most in all, probes among them, give or take a batch for each partition read at a time. */
  maxBytes: number;
  /** For values in a registry's form; without, they are not measurable. */
  registry?: SchemaRegistry | null;
  signal?: AbortSignal;
}

export interface PositionCount {
  count: Omit<ByPosition, "at">;
  /** Of the newest batch of data that was read; null: none was. */
  transactional: boolean | null;
  /** Topics whose batches carry the broker's time. */
  appendTime: string[];
  /** By `topic/partition`, the run id of the newest record read; null where it does not tell. */
  runIds: Map<string, string | null>;
  /** Bytes a record takes in the log, over all that was read. */
  bytesPerRecord: number | null;
}

/** Partitions read at a time: each holds two fetches in memory. */
const atOnce = 4;

/**
 * Counts by reading what a restart would send again: from the first record that the commits in force do not cover to the
 * end, in each partition. Nothing is consumed: no group, no commit. A failure says why there is no figure; never 0 for what
 * could not be read.
 */
export async function countByPosition(
  log: LogReader,
  request: PositionRequest,
): Promise<Look<PositionCount>> {
  const { type, config, inForce, isolation, signal, registry = null } = request;
  if (inForce.kind !== "streaming") return notMeasurable(inForce.why ?? "No offset is in force.");
  const { coverage, why } = coverageOf(type, config, inForce.commits);
  if (coverage === undefined) return notMeasurable(why);
  const window = new WindowCount(coverage);
  const facts = new ReadingFacts(request.maxBytes);
  const counting: Counting = { log, config, registry, isolation, signal, coverage, window, facts };
  const readings = request.partitions
    .filter(({ from, to }) => from < to)
    .map((range) => {
      const rises = !coverage.several || inForce.forTopic(range.topic).commit !== null;
      return new PartitionReading(range, counting, rises);
    });
  const failure = (await readAll(readings)) ?? whyNone(readings);
  if (failure !== null) return { failure };
  if (facts.transactional === null) await lookAtNewest(request, counting);
  return { value: resultOf(window, facts) };
}

/** Places first, since they tell how much there is to read; then the smallest, so that most are read whole. */
async function readAll(readings: readonly PartitionReading[]): Promise<Failure | null> {
  const fatal = () => readings.find((reading) => reading.fatal !== null)?.fatal ?? null;
  await inTurn(readings, atOnce, async (reading) => {
    if (fatal() === null) await reading.search();
  });
  const smallest = readings.toSorted((a, b) => a.size - b.size);
  await inTurn(smallest, atOnce, async (reading) => {
    if (fatal() === null) await reading.count();
  });
  return fatal();
}

/** Where nothing at all could be placed: the first reason. */
function whyNone(readings: readonly PartitionReading[]): Failure | null {
  if (readings.some(({ judged }) => judged > 0)) return null;
  const told = readings.find(({ failure, notMeasurable }) => failure !== null || notMeasurable !== null);
  if (told === undefined) return null;
  if (told.failure !== null) return told.failure;
  const { text, remedy } = told.notMeasurable ?? { text: "", remedy: null };
  return { kind: "not-supported", sentence: `topic ${told.range.topic}: ${text}`, remedy };
}

/** Nothing was to be counted: the last batch of the longest partition tells whether transactions write it. */
async function lookAtNewest(request: PositionRequest, counting: Counting): Promise<void> {
  const [longest] = request.partitions.filter(({ to }) => to > 0).toSorted((a, b) => b.to - a.to);
  if (longest === undefined) return;
  const range = { ...longest, from: Math.max(0, longest.to - 1), trusted: true };
  const reading = new PartitionReading(range, counting, true);
  await reading.lookAtEnd();
}

function resultOf(window: WindowCount, facts: ReadingFacts): PositionCount {
  const { bytesPerRecord, transactional, appendTime, runIds, partitions, probes, bytesRead } = facts;
  const counted = window.result(bytesPerRecord);
  return {
    count: { ...counted, partitions: partitions.size, probes, bytesRead },
    transactional,
    appendTime: [...appendTime],
    runIds,
    bytesPerRecord,
  };
}

function notMeasurable(sentence: string): { failure: Failure } {
  return { failure: { kind: "not-supported", sentence, remedy: null } };
}
