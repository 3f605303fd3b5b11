import type { FoundReplay, Measurement, Replay } from "@/lib/observed/duplicates";
import { readClusters } from "@/lib/store/clusters";
import { readConnectors } from "@/lib/store/connectors";
import type { Database } from "@/lib/store/database";
import {
  askMeasurement,
  cancelMeasurement,
  readMeasurement,
  readMeasurements,
  TooManyMeasurements,
} from "@/lib/store/measurements";
import { readReplays } from "@/lib/store/replays";
import { foundLines } from "@/lib/views/duplicates-replays";
import type { ReplayLine } from "@/lib/views/duplicates-schema";
import type { AnswerError } from "@/lib/views/error-answer";
import type {
  MeasurementsView,
  MeasurementView,
  MeasureRequest,
  TopicsView,
} from "@/lib/views/measure-schema";
import { mostWaiting } from "@/lib/views/measure-schema";
import { measurementsView, measurementView, topicsView } from "@/lib/views/measure-view";
import type { Answer } from "./answer";
import { answer, surroundings } from "./answers";

const recent = 50;
/** Among so many of the newest those that wait are counted. */
const countedAmong = 500;

const unknownMeasurement: AnswerError = {
  kind: "not-found",
  sentence: "There is no such measurement.",
  remedy: "Measurements are kept for 30 days; ask for it again.",
};

function unknownCluster(cluster: string): AnswerError {
  return {
    kind: "not-found",
    sentence: `No cluster is named “${cluster}”.`,
    remedy: "GET /api/v1/measurements lists those that are known.",
  };
}

const tooMany: AnswerError = {
  kind: "too-many",
  sentence: `${mostWaiting} measurements of this cluster wait for their turn already.`,
  remedy: "Cancel one, or ask again when some have ended.",
};

const beganEarlierMs = 3_600_000;
/** Replays that are held against those of a measurement at most. */
const mostStored = 10_000;

const foundIn = ({ result }: Measurement): FoundReplay[] =>
  result?.partitions.flatMap((p) => p.replays) ?? [];

/** What the watch of the topic's connector stored of the time in which a measurement found replays. */
async function storedBeside(db: Database, measurement: Measurement): Promise<Replay[]> {
  const times = foundIn(measurement).flatMap(({ at, until }) => [Date.parse(at), Date.parse(until)]);
  if (times.length === 0) return [];
  const [from, to] = times.reduce(([least, most], at) => [Math.min(least, at), Math.max(most, at)], [
    Number.POSITIVE_INFINITY,
    0,
  ] as [number, number]);
  // One that was measured from its middle on began earlier.
  const range = { from: new Date(Math.max(0, from - beganEarlierMs)), to: new Date(to + 1) };
  const { cluster, topic } = measurement;
  return readReplays(db, { cluster, topic }, range, mostStored);
}

async function viewOf(db: Database, measurement: Measurement): Promise<MeasurementView> {
  const [around, stored] = await Promise.all([surroundings(db), storedBeside(db, measurement)]);
  return measurementView({ ...around, measurement, stored });
}

export function measurementsAnswer(): Promise<Answer<MeasurementsView>> {
  return answer(async (db) => {
    const [around, measurements] = await Promise.all([surroundings(db), readMeasurements(db, recent)]);
    return measurementsView({ ...around, measurements });
  });
}

export function measurementAnswer(id: string): Promise<Answer<MeasurementView>> {
  return answer(async (db) => {
    const measurement = await readMeasurement(db, id);
    return measurement ? viewOf(db, measurement) : unknownMeasurement;
  });
}

/** Every replay that a measurement found, for a file. */
export function measuredReplaysAnswer(id: string): Promise<Answer<{ replays: ReplayLine[] }>> {
  return answer(async (db) => {
    const measurement = await readMeasurement(db, id);
    if (!measurement) return unknownMeasurement;
    const stored = await storedBeside(db, measurement);
    return { replays: foundLines(foundIn(measurement), measurement.cluster, stored) };
  });
}

/** Asks for a measurement. The collector of its cluster makes it: a page never asks a broker. */
export function measureAnswer(request: MeasureRequest): Promise<Answer<MeasurementView>> {
  const { cluster, topic, method, from, to } = request;
  return answer(async (db) => {
    const [around, known] = await Promise.all([surroundings(db), readMeasurements(db, countedAmong)]);
    const target = measurementsView({ ...around, measurements: [] }).clusters.find((c) => c.name === cluster);
    if (!target) return unknownCluster(cluster);
    if (!around.clusters.find((c) => c.name === cluster)?.hasBrokers)
      return {
        kind: "bad-request",
        sentence: target.whyNot ?? "No Kafka brokers are configured.",
        remedy: null,
      };
    const waiting = known.filter((m) => m.cluster === cluster && m.state === "waiting");
    if (waiting.length >= mostWaiting) return tooMany;
    const asked = { cluster, topic, method, from: dateOf(from), to: dateOf(to) };
    try {
      return measurementView({ ...around, measurement: await askMeasurement(db, asked) });
    } catch (error) {
      if (error instanceof TooManyMeasurements) return tooMany;
      throw error;
    }
  });
}

function dateOf(text: string | null | undefined): Date | null {
  return text ? new Date(text) : null;
}

/** Cancels one that waits or runs; one that has ended stays as it is. */
export function cancelAnswer(id: string): Promise<Answer<MeasurementView>> {
  return answer(async (db) => {
    await cancelMeasurement(db, id);
    const measurement = await readMeasurement(db, id);
    return measurement ? viewOf(db, measurement) : unknownMeasurement;
  });
}

export function topicsAnswer(cluster: string, text: string): Promise<Answer<TopicsView>> {
  return answer(async (db) => {
    const [clusters, connectors] = await Promise.all([readClusters(db), readConnectors(db)]);
    if (!clusters.some(({ name }) => name === cluster)) return unknownCluster(cluster);
    return topicsView(connectors, { cluster, text });
  });
}
