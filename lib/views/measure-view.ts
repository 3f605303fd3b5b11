import type { JudgedConnector, KnownCluster } from "@/lib/checks/judged";
import type { Measurement, Replay } from "@/lib/observed/duplicates";
import { foundLines } from "./duplicates-replays";
import { brokersOf } from "./duplicates-view";
import { countOf, formatBytes, formatCount, formatDuration, formatInterval } from "./format";
import { whyNoValue } from "./freshness";
import { measuredSummary, measuredTopic } from "./measure-result";
import type { MeasurementLine, MeasurementsView, MeasurementView, TopicsView } from "./measure-schema";
import { newestChange } from "./newest-change";
import { measurementPath } from "./paths";
import type { Surroundings } from "./surroundings";
import { type Watch, watch } from "./watch";

/** Replays that one answer lists at most. */
const listedReplays = 1_000;
/** Before this a rate says more of the start than of the work, in milliseconds. */
const settledMs = 1_500;
/** Topics that one answer lists at most. */
const listedTopics = 30;

const marks: Readonly<Record<Measurement["state"], MeasurementView["mark"]>> = {
  waiting: { outcome: "info", words: "waiting" },
  running: { outcome: "info", words: "measuring" },
  done: { outcome: "ok", words: "done" },
  failed: { outcome: "critical", words: "failed" },
  cancelled: { outcome: "not-applicable", words: "cancelled" },
};

type Listed = Omit<Measurement, "result"> & { replays: number | null; duplicates: number | null };

function measurementLine(listed: Listed): MeasurementLine {
  return { ...listed, path: measurementPath(listed.id), mark: marks[listed.state] };
}

function progress(measurement: Measurement, now: Date): MeasurementView["progress"] {
  const { state, done, total, bytesRead, startedAt, endedAt } = measurement;
  if (startedAt === null || state === "waiting") return null;
  const elapsedMs = (endedAt ? Date.parse(endedAt) : now.getTime()) - Date.parse(startedAt);
  const perMs = elapsedMs >= settledMs ? done / elapsedMs : null;
  const share = total === null ? null : total === 0 ? 1 : Math.min(1, done / total);
  const leftMs = perMs && total !== null && state === "running" ? (total - done) / perMs : null;
  return {
    share,
    done: total === null ? countOf(done, "offset") : `${formatCount(done)} of ${countOf(total, "offset")}`,
    read: `${formatBytes(bytesRead)} read`,
    rate:
      state !== "running"
        ? `took ${formatInterval(elapsedMs)}`
        : perMs === null
          ? null
          : `${formatCount(Math.round(perMs * 1_000))}\u00a0offsets/s, ${formatBytes((bytesRead / elapsedMs) * 1_000)}/s`,
    left: leftMs === null || leftMs < 0 ? null : `about ${formatDuration(leftMs + 999)} to go`,
  };
}

function momentsOf({ askedAt, startedAt, endedAt }: Omit<Measurement, "result">): (Date | null)[] {
  return [askedAt, startedAt, endedAt].map((at) => (at === null ? null : new Date(at)));
}

function stuck(
  { state, cluster }: Pick<Measurement, "state" | "cluster">,
  { collector, clusters }: Watch,
): string | null {
  if (state !== "waiting" && state !== "running") return null;
  if (collector.state !== "alive")
    return "No collector runs: it goes on when one does. Start Tidemark's collector.";
  if (clusters.some(({ name }) => name === cluster)) return null;
  return `No collector watches cluster ${cluster}: it goes on when one has it in its settings again. Else cancel it.`;
}

/**
 * One measurement, as its page and GET /api/v1/measurements/{id} say it.
 * @param input `stored`: replays of its topic that the watch of a connector found
 */
export function measurementView(
  input: Surroundings & { measurement: Measurement; stored?: readonly Replay[] },
): MeasurementView {
  const { clusters, now } = input;
  const { result, ...measurement } = input.measurement;
  const seen = watch(input);
  const topic = measuredTopic(input.measurement);
  const found = result?.partitions.flatMap((p) => p.replays) ?? [];
  const replays = foundLines(found, measurement.cluster, input.stored);
  return {
    watch: seen,
    changedAt: newestChange(momentsOf(measurement)),
    measurement,
    mark: marks[measurement.state],
    progress: progress(input.measurement, now),
    stuck: stuck(measurement, seen),
    summary: topic && measuredSummary(topic),
    topic,
    replays: replays.slice(0, listedReplays),
    more: replays.length > listedReplays,
    partitions: result?.partitions.map(({ replays: _, ...partition }) => partition) ?? [],
    scan: result?.scan ?? null,
    brokers: brokersOf(clusters, measurement.cluster),
  };
}

function whyNot(cluster: KnownCluster): string | null {
  if (!cluster.hasBrokers)
    return `No Kafka brokers are configured for ${cluster.name}: set kafka.brokers of this cluster.`;
  return whyNoValue(cluster.kafka, `Kafka of ${cluster.name}`);
}

/** What can be measured and what was, as the Measure page and GET /api/v1/measurements say it. */
export function measurementsView(
  input: Surroundings & { measurements: readonly Listed[] },
): MeasurementsView {
  return {
    watch: watch(input),
    changedAt: newestChange(input.measurements.flatMap(momentsOf)),
    clusters: input.clusters.map((cluster) => ({ name: cluster.name, whyNot: whyNot(cluster) })),
    measurements: input.measurements.map(measurementLine),
  };
}

/** Table topics of a cluster's connectors whose names hold `text`, those that begin with it first. */
export function topicsView(
  connectors: readonly JudgedConnector[],
  { cluster, text }: { cluster: string; text: string },
): TopicsView {
  const wanted = text.trim().toLowerCase();
  const found = new Map<string, string>();
  for (const connector of connectors) {
    if (connector.cluster !== cluster || connector.report.value?.type === "sink") continue;
    for (const topic of tableTopics(connector))
      if (topic.toLowerCase().includes(wanted) && !found.has(topic)) found.set(topic, connector.connector);
  }
  const rank = (topic: string) => (topic.toLowerCase().startsWith(wanted) ? 0 : 1);
  const topics = [...found]
    .map(([topic, connector]) => ({ topic, connector }))
    .sort((a, b) => rank(a.topic) - rank(b.topic) || (a.topic < b.topic ? -1 : 1));
  return { cluster, topics: topics.slice(0, listedTopics), more: topics.length > listedTopics };
}

/** Change events lie in the topics of tables; where roles are not known yet, in any. */
function tableTopics({ ends, topics }: JudgedConnector): string[] {
  const known = ends?.value?.topics;
  return known ? known.filter((t) => t.role === "table").map((t) => t.topic) : (topics?.value?.topics ?? []);
}
