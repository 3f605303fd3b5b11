import type { ClusterWatch } from "@/lib/collect/cluster-watch";
import { ClusterDuplicates } from "@/lib/collect/duplicates/cluster-duplicates";
import { measurePartition } from "@/lib/collect/duplicates/measure-partition";
import { lookAtDuplicates } from "@/lib/collect/duplicates-loop";
import { Measurements } from "@/lib/collect/measurements-loop";
import { connector } from "@/lib/collect/replay-window/testing/known-connector";
import { scanTopic } from "@/lib/collect/scan/scan-topic";
import type { FetchedBatch, LogReader, ReadEnd } from "@/lib/kafka/log/log-reader";
import type { Measurement, Replay, TopicDuplicates } from "@/lib/observed/duplicates";
import type { Failure } from "@/lib/observed/observation";
import { readConnector, saveReports } from "@/lib/store/connectors";
import type { Database } from "@/lib/store/database";
import { askMeasurement, readMeasurement } from "@/lib/store/measurements";
import { readReplays } from "@/lib/store/replays";

/** Of one fetch: what is read ahead when something happens is little. */
const FETCH_BYTES = 16 * 1024;

/** Holds several readers where each was told to stop, until all of them are there; then something happens, and all go on. */
export class Meeting {
  readonly #happened: Promise<void>;
  #begin: () => void = () => {};
  #awaited: number;

  constructor(readers: number, act: () => Promise<unknown>) {
    this.#awaited = readers;
    this.#happened = new Promise<void>((resolve) => {
      this.#begin = resolve;
    }).then(async () => void (await act()));
    this.#happened.catch(() => {}); // told to the readers
  }

  /** @throws what the act throws */
  join(): Promise<void> {
    this.#awaited -= 1;
    if (this.#awaited === 0) this.#begin();
    return this.#happened;
  }
}

/** Counts what one reader asks for, and stops it once: all that it reads side by side. */
export class Steps {
  taken = 0;
  #held: Promise<void> | undefined;

  /** @param at before which step it stops, from 1; 0: never. Fewer: it never comes there */
  constructor(
    private readonly at = 0,
    private readonly meeting: Meeting | null = null,
  ) {}

  async step(): Promise<void> {
    this.taken += 1;
    if (this.at === 0 || this.taken < this.at) return;
    this.#held ??= this.meeting?.join();
    await this.#held;
  }
}

/** A log whose reads take small fetches, each batch asked for being a step. */
export function steppedLog(log: LogReader, steps: Steps): LogReader {
  return {
    ...log,
    async *read(range): AsyncGenerator<FetchedBatch, ReadEnd> {
      const reading = log.read({ ...range, fetchBytes: FETCH_BYTES });
      for (;;) {
        await steps.step();
        const step = await reading.next();
        if (step.done) return step.value;
        yield step.value;
      }
    },
  };
}

const CONNECTOR = "shop-cdc";
/** The two instruments, and the loop. */
export const instruments = ["bisect", "scan", "loop"] as const;
/** Batches that each asked for. */
export type StepsTaken = Record<(typeof instruments)[number], number>;

/** Where each stops, and for what. */
export interface Midway {
  meeting: Meeting;
  at: StepsTaken;
}

/** What the loop over duplicates shows of the topic. */
export interface Shown {
  /** Of the look. */
  failure: Failure | null;
  part: TopicDuplicates | null;
  /** As they are stored, by partition and offset. */
  replays: Replay[];
}

export interface Outcome extends Shown {
  bisect: Measurement;
  scan: Measurement;
  steps: StepsTaken;
}

export interface MeasuredOf {
  db: Database;
  topic: string;
  log: LogReader;
  /** Between the first two tries of a step, milliseconds. */
  pauseMs: number;
}

/** All that measures one topic: both instruments, as people ask for them, and the loop that watches it. Its cluster is named for it. */
export class Measured {
  readonly #duplicates: ClusterDuplicates;
  readonly #connectors: ClusterWatch["connectors"];

  constructor(private readonly of: MeasuredOf) {
    this.#duplicates = new ClusterDuplicates({
      ...{ cluster: of.topic, registry: null, bytesPerLook: 64 * 1024 * 1024 },
      signal: new AbortController().signal,
    });
    const known = { ...connector(CONNECTOR, "shop", [of.topic]), cluster: of.topic };
    this.#connectors = new Map([[CONNECTOR, known]]);
  }

  /** Measures with each at once. */
  async all(midway?: Midway): Promise<Outcome> {
    const of = (name: keyof StepsTaken) => new Steps(midway?.at[name], midway?.meeting);
    const steps = { bisect: of("bisect"), scan: of("scan"), loop: of("loop") };
    const [asked, shown] = await Promise.all([this.#asked(steps), this.look(steps.loop)]);
    const taken = { bisect: steps.bisect.taken, scan: steps.scan.taken, loop: steps.loop.taken };
    return { ...asked, ...shown, steps: taken };
  }

  /** One look of the loop. */
  async look(steps = new Steps()): Promise<Shown> {
    const { db, topic, log } = this.of;
    await saveReports(db, topic, [...this.#connectors.values()]);
    const failure = await lookAtDuplicates(this.#watch(steppedLog(log, steps)), this.#duplicates, db);
    const { duplicates } = (await readConnector(db, topic, CONNECTOR)) ?? {};
    const part = duplicates?.value?.topics.find((one) => one.topic === topic) ?? null;
    const ever = { from: new Date(0), to: new Date(Date.now() + 3_600_000) };
    const replays = await readReplays(db, { cluster: topic, topic }, ever);
    replays.sort((a, b) => a.partition - b.partition || a.firstOffset - b.firstOffset);
    return { failure, part, replays };
  }

  async #asked(steps: Record<"bisect" | "scan", Steps>) {
    const { db, topic, log, pauseMs } = this.of;
    const loop = new Measurements({
      ...{ db, watches: [this.#watch(log)], registryOf: () => null, pauseMs },
      signal: new AbortController().signal,
      maxBytesPerSecond: 1024 * 1024 * 1024,
      instruments: {
        bisect: (read, request) =>
          measurePartition(steppedLog(read, steps.bisect), { ...request, wholeBytes: 0 }),
        scan: (read, request) => scanTopic(steppedLog(read, steps.scan), request),
      },
    });
    const ask = (method: Measurement["method"]) =>
      askMeasurement(db, { cluster: topic, topic, method, from: null, to: null });
    const asked = [await ask("bisect"), await ask("scan")];
    await loop.look();
    await loop.ended();
    const [bisect, scan] = await Promise.all(asked.map(({ id }) => readMeasurement(db, id)));
    if (!bisect || !scan) throw new Error("a measurement is gone");
    return { bisect, scan };
  }

  #watch(log: LogReader): ClusterWatch {
    const failure: Failure = { kind: "internal", sentence: "not asked", remedy: null };
    const unasked = async () => ({ failure });
    const brokers = {
      ...{ describeCluster: unasked, listTopics: unasked, readTopicSettings: unasked },
      ...{ describeHistoryTopic: unasked, readTopicEnds: unasked, log },
    };
    const rest = { readRoot: unasked, listConnectors: unasked, readTopics: unasked, readOffsets: unasked };
    return {
      probe: { ...rest, brokers, close: async () => undefined },
      brokers: [],
      offsetTopic: null,
      cluster: { name: this.of.topic, connect: null, kafka: null, failingSince: null, hasBrokers: true },
      connectors: this.#connectors,
      followed: new Set(),
      deletedOldAt: 0,
    };
  }
}
