import type { SchemaRegistry } from "@/lib/kafka/registry";
import type { Measurement, PartitionDuplicates } from "@/lib/observed/duplicates";
import type { Database } from "@/lib/store/database";
import type { MeasurementEnd } from "@/lib/store/measurements";
import { readRestarts } from "@/lib/store/restarts";
import type { BrokerProbe } from "../cluster-probe";
import type { ClusterWatch } from "../cluster-watch";
import { bisectTopic } from "./bisect-topic";
import type { Instruments } from "./instruments";
import { mustBeDebezium } from "./is-debezium";
import { bounded, totals } from "./join-found";
import type { Progress } from "./keep-progress";
import { MeasurementFailed } from "./measurement-failed";
import { type TopicRange, topicRange } from "./topic-range";
import { type TopicWriter, topicWriter } from "./topic-writer";
import { tryAgain } from "./try-again";
import { wholeScan } from "./whole-scan";

/** Restarts beyond a range may have begun what lies in it: clocks differ, and a record is older than its delivery. Milliseconds. */
const STARTS_AROUND_MS = 600_000;

export interface MeasureWith {
  db: Database;
  watch: ClusterWatch;
  registry: SchemaRegistry | null;
  instruments: Instruments;
  /** Of a scan. */
  maxBytesPerSecond: number;
  /** Between two tries of one step, milliseconds; a standard one unless told. */
  pauseMs?: number;
}

/**
 * Measures what a person asked for, to its end.
 * @param report how far it is, as often as it likes
 * @param signal ends it soon; what is returned then is worth nothing
 * @throws MeasurementFailed, DatabaseUnavailable
 */
export async function runMeasurement(
  measurement: Measurement,
  given: MeasureWith,
  report: (progress: Progress) => void,
  signal: AbortSignal,
): Promise<MeasurementEnd> {
  const { cluster, topic } = measurement;
  const { brokers } = given.watch.probe;
  if (!brokers)
    throw new MeasurementFailed(
      `No brokers are configured for cluster ${cluster}.`,
      "Name them in the settings: clusters[].kafka.brokers.",
    );
  const [from, to] = [timeOf(measurement.from), timeOf(measurement.to)];
  if (from !== null && to !== null && from >= to)
    throw new MeasurementFailed(
      "The range ends before it begins.",
      "Choose an end that lies after its start.",
    );
  const patience = { topic, signal, pauseMs: given.pauseMs };
  const range = await tryAgain(() => topicRange(brokers.log, topic, { from, to }), patience);
  const total = range.partitions.reduce((sum, part) => sum + part.to - part.from, 0);
  const tell = (done: number, bytesRead: number) =>
    report({ done: Math.min(Math.max(0, Math.floor(done)), total), total, bytesRead });
  tell(0, 0);
  const writer = topicWriter(given.watch, topic);
  const one = { measurement, brokers, range, writer, tell, signal };
  return measurement.method === "scan" ? scanned(one, given) : bisected(one, given);
}

interface One {
  measurement: Measurement;
  brokers: BrokerProbe;
  range: TopicRange;
  writer: TopicWriter;
  tell: (done: number, bytesRead: number) => void;
  signal: AbortSignal;
}

async function bisected(one: One, given: MeasureWith): Promise<MeasurementEnd> {
  const { topic } = one.measurement;
  const { signal, range } = one;
  const { registry, instruments, pauseMs } = given;
  const partitions = await bisectTopic(instruments.bisect, one.brokers.log, {
    ...{ topic, range, registry, signal, pauseMs },
    writer: one.writer,
    starts: await startsOf(one, given.db),
    report: one.tell,
  });
  if (!signal.aborted && one.writer.connector === null && partitions.every(foundNothing))
    await tryAgain(() => mustBeDebezium(one.brokers.log, topic, range, registry), { topic, signal, pauseMs });
  return { state: "done", result: { partitions: bounded(partitions), scan: null }, ...totals(partitions) };
}

async function scanned(one: One, given: MeasureWith): Promise<MeasurementEnd> {
  const { topic } = one.measurement;
  const { signal, range, writer } = one;
  const { registry, instruments, pauseMs, maxBytesPerSecond } = given;
  const result = await wholeScan(instruments.scan, one.brokers.log, {
    ...{ topic, range, writer, registry, maxBytesPerSecond, signal, pauseMs },
    report: one.tell,
  });
  if (!signal.aborted && writer.connector === null && result.events + result.reReads === 0)
    await tryAgain(() => mustBeDebezium(one.brokers.log, topic, range, registry), { topic, signal, pauseMs });
  return {
    state: "done",
    result: { partitions: [], scan: result },
    replays: null,
    duplicates: result.duplicates,
  };
}

/** Nothing that only a change log has. What cannot be measured may be no change log. */
const foundNothing = ({ replays, runs, falls }: PartitionDuplicates) =>
  replays.length + falls.length === 0 && runs.every(({ runId }) => runId === null);

/** When tasks of the connector that writes the topic were seen to start, milliseconds since 1970. */
async function startsOf({ measurement, writer }: One, db: Database): Promise<number[]> {
  const { connector } = writer;
  if (connector === null) return [];
  const [from, to] = [timeOf(measurement.from), timeOf(measurement.to)];
  const restarts = await readRestarts(
    db,
    { cluster: measurement.cluster, connector },
    {
      from: new Date(Math.max(0, (from ?? 0) - STARTS_AROUND_MS)),
      to: new Date(to === null ? Date.UTC(9000, 0) : to + STARTS_AROUND_MS),
    },
  );
  return restarts.map(({ at }) => Date.parse(at));
}

const timeOf = (text: string | null) => (text === null ? null : Date.parse(text));
