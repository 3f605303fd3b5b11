import { openProbe } from "@/lib/collect/open-probe";
import { findTopics } from "@/lib/collect/topics-loop";
import { nearest } from "@/lib/config/nearest";
import type { ClusterSettings } from "@/lib/config/settings";
import { type ConnectorConfig, typeOf } from "@/lib/debezium/config";
import { type ConnectorType, isDebezium } from "@/lib/debezium/connector-type";
import { openKafka } from "@/lib/kafka/connection";
import { listTopics } from "@/lib/kafka/list-topics";
import type { LogReader, TopicPartition } from "@/lib/kafka/log/log-reader";
import { openLogReader } from "@/lib/kafka/log/open-log-reader";
import { openRegistry, type SchemaRegistry } from "@/lib/kafka/registry";
import type { Failure, Look } from "@/lib/observed/observation";
import { CannotLookError } from "./cannot-look";
import { type DuplicatesArguments, UsageError } from "./duplicates-arguments";
import { bisectTopic } from "./duplicates-bisect";
import type { Asked, DuplicatesReport, MeasuredRange } from "./duplicates-report";
import { scanWholeTopic } from "./duplicates-scan";
import type { ProgressBar } from "./progress-bar";
import { cannot } from "./replay-look";

/** How long a read tries again while leaders move or brokers start again, milliseconds. */
const PATIENCE_MS = 15_000;

/** What the methods need: who is asked, about whose records, and who watches. */
export interface TopicLook {
  log: LogReader;
  topic: string;
  topicId: string | null;
  /** By partition: the first offset that is still there. */
  earliest: ReadonlyMap<number, number>;
  ranges: MeasuredRange[];
  /** Of the connector that writes the topic, where Connect was asked and one alone does. */
  config: ConnectorConfig | null;
  type: ConnectorType | null;
  registry: SchemaRegistry | null;
  bar: ProgressBar;
  signal: AbortSignal;
}

/** Who is asked. */
interface TopicSource {
  log: LogReader;
  listTopics(): Promise<Look<string[]>>;
  /** The configuration of the connector that writes the topic; null where Connect is not asked, or not one alone does. */
  connectorOf(topic: string): Promise<ConnectorConfig | null>;
  registry: SchemaRegistry | null;
}

type Watching = Pick<TopicLook, "bar" | "signal">;

/**
 * Measures a topic over its brokers. Opens and closes its own connections.
 * @throws CannotLookError where nothing can be said; UsageError for a partition that there is not
 */
export async function lookAtTopic(
  { cluster, connect }: { cluster: ClusterSettings; connect: "must" | "may" | "none" },
  args: DuplicatesArguments,
  watching: Watching,
): Promise<DuplicatesReport> {
  const kafka = openKafka(cluster);
  const registry = cluster.schemaRegistry ? openRegistry(cluster.schemaRegistry) : null;
  try {
    return await measureTopic(
      {
        log: openLogReader(kafka, PATIENCE_MS),
        listTopics: () => listTopics(kafka),
        connectorOf: async (topic) =>
          connect === "none" ? null : connectorOf(cluster, topic, connect === "must"),
        registry,
      },
      args,
      watching,
    );
  } finally {
    await Promise.all([kafka.close(), registry?.close()]);
  }
}

/** As {@link lookAtTopic}, over connections that are open. */
async function measureTopic(
  source: TopicSource,
  args: DuplicatesArguments,
  { bar, signal }: Watching,
): Promise<DuplicatesReport> {
  const began = performance.now();
  const topic = args.topic ?? "";
  bar.stage("asking the brokers");
  const { partitions, topicId } = await described(source, topic);
  const [one] = partitions.filter((partition) => partition === args.partition);
  if (args.partition !== null && one === undefined)
    throw new UsageError(
      `topic ${topic} has partitions ${partitions[0]} to ${partitions.at(-1)}, and none with number ${args.partition}.`,
    );
  const { ranges, earliest } = await rangesOf(
    source.log,
    topic,
    one === undefined ? partitions : [one],
    args,
  );
  const config = await source.connectorOf(topic);
  const look: TopicLook = {
    log: source.log,
    topic,
    topicId,
    earliest,
    ranges,
    config,
    type: args.type ?? (config && typeOf(config)),
    registry: source.registry,
    bar,
    signal,
  };
  const iso = (at: number | null) => (at === null ? null : new Date(at).toISOString());
  const asked = (failed: Asked["failed"]): Asked => ({
    topic,
    from: iso(args.from),
    to: iso(args.to),
    partitions: ranges,
    interrupted: signal.aborted,
    seconds: (performance.now() - began) / 1_000,
    failed,
  });
  return args.method === "bisect" ? bisectTopic(look, asked) : scanWholeTopic(look, asked);
}

async function described(
  { log, listTopics: list }: TopicSource,
  topic: string,
): Promise<{ partitions: number[]; topicId: string | null }> {
  const look = await log.describe([topic]);
  if (look.failure !== undefined) throw cannot(look.failure);
  const found = look.value.get(topic);
  if (found && "topic" in found) {
    const partitions = found.partitions.map(({ partition }) => partition).sort((a, b) => a - b);
    return { partitions, topicId: found.topicId };
  }
  if (found && found.kind !== "not-found") throw cannot(found);
  const names = (await list()).value ?? [];
  const meant = nearest(topic, names);
  throw new CannotLookError(`there is no topic "${topic}"${meant ? `; did you mean "${meant}"?` : "."}`);
}

async function rangesOf(
  log: LogReader,
  topic: string,
  numbers: readonly number[],
  { from, to }: Pick<DuplicatesArguments, "from" | "to">,
): Promise<{ ranges: MeasuredRange[]; earliest: Map<number, number> }> {
  const partitions = numbers.map((partition) => ({ topic, partition }));
  const [firsts, ends] = await Promise.all([
    log.ends(partitions, "earliest"),
    // What lies behind an open transaction was not delivered yet.
    log.ends(partitions, "last-stable"),
  ]);
  const [froms, tos] = [await offsetsAt(log, partitions, from), await offsetsAt(log, partitions, to)];
  const earliest = new Map<number, number>();
  const ranges = numbers.map((partition, i): MeasuredRange => {
    const [first, end] = [offsetOf(firsts[i]), offsetOf(ends[i])];
    const within = (offset: number) => Math.min(Math.max(offset, first), end);
    // No record at or after the time: it is the end.
    const start = from === null ? first : within(froms[i] ?? end);
    const stop = to === null ? end : within(tos[i] ?? end);
    earliest.set(partition, first);
    return { partition, from: start, to: Math.max(start, stop), measuredTo: start };
  });
  return { ranges, earliest };
}

async function offsetsAt(
  log: LogReader,
  partitions: readonly TopicPartition[],
  timestamp: number | null,
): Promise<(number | null)[]> {
  if (timestamp === null) return [];
  const answers = await log.offsetsForTime(partitions.map((one) => ({ ...one, timestamp })));
  return answers.map((answer) => {
    if (answer === null) return null;
    if (!("offset" in answer)) throw cannot(answer);
    return answer.offset;
  });
}

function offsetOf(answer: number | Failure | undefined): number {
  if (typeof answer === "number") return answer;
  throw answer ? cannot(answer) : new CannotLookError("the brokers left a partition out of their answer.");
}

/** Null too where several write it: each is measured apart then, as the records tell. @throws CannotLookError */
async function connectorOf(
  cluster: ClusterSettings,
  topic: string,
  must: boolean,
): Promise<ConnectorConfig | null> {
  const probe = openProbe(cluster);
  try {
    const list = await probe.listConnectors();
    if (list.failure !== undefined) {
      if (must) throw cannot(list.failure);
      return null;
    }
    const ours = list.value.filter((r) => r.type !== "sink" && isDebezium(r.config?.["connector.class"]));
    const writers: ConnectorConfig[] = [];
    for (const { name, config } of ours) {
      const { value } = await findTopics(probe, name, config ?? {});
      if (config && value?.topics.includes(topic)) writers.push(config);
    }
    const [one, another] = writers;
    return one && !another ? one : null;
  } finally {
    await probe.close();
  }
}
