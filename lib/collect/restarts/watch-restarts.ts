import { type ConnectorConfig, topicRole } from "@/lib/debezium/config";
import type { ConnectorType } from "@/lib/debezium/connector-type";
import { runStart } from "@/lib/debezium/events/run-context";
import type { LogReader } from "@/lib/kafka/log/log-reader";
import type { SchemaRegistry } from "@/lib/kafka/registry";
import type { InForce } from "@/lib/measure/replay-window/in-force";
import type { CommitHistory } from "@/lib/observed/commits";
import type { ReplayWindow } from "@/lib/observed/replay-window";
import type { Restart } from "@/lib/observed/window-series";
import type { Database } from "@/lib/store/database";
import { readOpenRestarts, readRestarts } from "@/lib/store/restarts";
import type { TopicLook } from "../replay-window/fleet-look";
import { KnownRuns } from "./known-runs";
import { mayHeal, PartitionLog, RecordsGone } from "./partition-log";
import type { KnownMark } from "./reached";
import { factsReader } from "./record-facts";
import {
  type ConnectorLook,
  nameOf,
  type PartitionEnd,
  RestartMeasure,
  type RestartSources,
} from "./restart-measure";
import { ShownWindows } from "./shown-windows";
import { type SeenTask, TaskStarts } from "./task-starts";

/** How far back restarts are read that tell which runs are known, milliseconds. */
const KNOWN_MS = 48 * 3_600_000;
/** Partitions that are asked which run wrote before the watch began. */
const ASKED_AT_FIRST = 8;
/** Starts that are measured at a time; older ones of them are given up. */
const MOST_OPEN = 8;
/** A connector that was not looked at for so long is gone, milliseconds. */
const FORGOTTEN_MS = 3_600_000;

export interface RestartLook {
  connector: string;
  type: ConnectorType;
  config: ConnectorConfig;
  inForce: InForce;
  history: CommitHistory | null;
  /** The newest look at the ends, by topic. */
  looks: ReadonlyMap<string, TopicLook>;
  /** By `topic/partition` the run id of the newest record that was read, null where it bears none. */
  runIds: ReadonlyMap<string, string | null>;
  /** As Connect reported them; absent or null: not known. They tell starts where records bear no run id. */
  tasks?: readonly SeenTask[] | null;
  /** The window as the poll before told it. */
  shown: ReplayWindow | null;
  now: Date;
}

/** Notices that a new run of a connector's task began, and measures what the end of the one before cost. */
export interface RestartWatch {
  /** Returns the restarts that are new or changed, to be stored. @throws DatabaseUnavailable */
  look(input: RestartLook): Promise<Restart[]>;
}

/** @param registry for values with a schema's id in front; null: they cannot be measured */
export function openRestartWatch(
  cluster: string,
  log: LogReader,
  db: Database,
  registry: SchemaRegistry | null = null,
): RestartWatch {
  const connectors = new Map<string, ConnectorRestarts>();
  let stored: Promise<Restart[]> | null = null;
  let sweptAt = Number.NEGATIVE_INFINITY;
  return {
    async look(input) {
      // Asked again where the database did not answer.
      stored ??= readOpenRestarts(db, cluster).catch((error) => {
        stored = null;
        throw error;
      });
      const open = (await stored).filter(({ connector }) => connector === input.connector);
      const known =
        connectors.get(input.connector) ?? new ConnectorRestarts(cluster, { log, db, registry }, open);
      connectors.set(input.connector, known);
      if (input.now.getTime() - sweptAt > FORGOTTEN_MS) {
        sweptAt = input.now.getTime();
        for (const [name, { lookedAt }] of connectors)
          if (sweptAt - lookedAt > FORGOTTEN_MS) connectors.delete(name);
      }
      return known.look(input);
    },
  };
}

/** What is known of one connector's runs. */
class ConnectorRestarts {
  /** Milliseconds since 1970. */
  lookedAt = Number.POSITIVE_INFINITY;
  readonly #runs = new KnownRuns();
  /** When the newest run began that was known before the last new ones: those between were missed. */
  #knownUntil = Number.POSITIVE_INFINITY;
  /** Restarts that were given to be stored, or came from the store. */
  readonly #told = new Set<string>();
  readonly #shown = new ShownWindows();
  readonly #marks = new Map<string, KnownMark>();
  /** Oldest first. Closed ones stay while an older one is open: they tell where it ended. */
  #measures: RestartMeasure[] | null = null;
  readonly #tasks = new TaskStarts();
  /** Next offsets at the last look, by partition. */
  #ends: ReadonlyMap<string, number> | null = null;
  /** Next offsets when the watch began, by partition. */
  #firstEnds: Map<string, number> | null = null;

  constructor(
    private readonly cluster: string,
    private readonly sources: RestartSources,
    private readonly openBefore: readonly Restart[],
  ) {}

  async look(input: RestartLook): Promise<Restart[]> {
    this.lookedAt = input.now.getTime();
    this.#shown.add(input.shown);
    const seen = lookOf(this.cluster, input);
    this.#firstEnds ??= new Map(seen.partitions.map((p) => [nameOf(p), p.end]));
    this.#measures ??= await this.#restored(seen);
    for (const runId of await this.#newRuns(input, seen)) this.#begin(runId, seen);
    this.#lookAtTasks(input, seen);
    if (this.#measures.length === 0) return [];
    const before = new Map(this.#measures.map(({ restart }) => [restart.id, restart]));
    await this.#measure(seen);
    const { length } = this.#measures;
    for (const measure of this.#measures.slice(0, Math.max(0, length - MOST_OPEN)))
      if (measure.open) measure.giveUp(`${MOST_OPEN} newer starts are being measured.`);
    const changed = this.#measures.filter((measure) => this.#isToTell(measure, before));
    this.#close();
    return changed.map(({ restart }) => restart);
  }

  /** A first start has nothing before it that could be replayed: it is no restart. */
  #isToTell({ restart, hasBefore }: RestartMeasure, measured: ReadonlyMap<string, Restart>): boolean {
    const before = measured.get(restart.id);
    if (before && before.state !== "measuring") return false;
    if (!hasBefore && restart.state !== "not-measurable") return false;
    const isNew = !this.#told.has(restart.id);
    this.#told.add(restart.id);
    return isNew || JSON.stringify(before) !== JSON.stringify(restart);
  }

  /** What was being measured when the collector last ran, and what began after it. */
  async #restored({ connector, now }: ConnectorLook): Promise<RestartMeasure[]> {
    const [oldest] = this.openBefore;
    if (!oldest) return [];
    const range = { from: new Date(oldest.at), to: new Date(now.getTime() + 60_000) };
    const restarts = await readRestarts(this.sources.db, { cluster: this.cluster, connector }, range);
    return restarts.flatMap((restart) => {
      if (restart.runAfter !== null) this.#runs.add(restart.runAfter);
      this.#told.add(restart.id);
      return [new RestartMeasure(restart, this.sources, this.#marks)];
    });
  }

  async #newRuns({ runIds }: RestartLook, seen: ConnectorLook): Promise<string[]> {
    if (![...runIds.values()].some((id) => id !== null)) return [];
    if (this.#runs.empty) for (const runId of await this.#runsBefore(runIds, seen)) this.#runs.add(runId);
    if (this.#runs.empty) {
      this.#runs.take(runIds);
      return [];
    }
    const { newestStart } = this.#runs;
    const fresh = this.#runs.take(runIds);
    if (fresh.length > 0) this.#knownUntil = newestStart;
    return fresh;
  }

  /** Runs of before the watch began: of the restarts that are stored, else of the records that lay there. */
  async #runsBefore(
    runIds: RestartLook["runIds"],
    { connector, now, partitions, type, config }: ConnectorLook,
  ): Promise<string[]> {
    const of = { cluster: this.cluster, connector };
    const range = { from: new Date(now.getTime() - KNOWN_MS), to: new Date(now.getTime() + 60_000) };
    const stored = (await readRestarts(this.sources.db, of, range)).flatMap(({ runAfter }) => runAfter ?? []);
    if (stored.length > 0) return stored;
    const { log, registry } = this.sources;
    const found: string[] = [];
    const moved = partitions.filter((p) => runIds.has(nameOf(p)));
    for (const { end: _, ...where } of moved.slice(0, ASKED_AT_FIRST)) {
      const partition = new PartitionLog(log, factsReader(type, config, registry), where);
      const end = this.#firstEnds?.get(nameOf(where)) ?? 0;
      const last = await partition.lastBefore(0, end, ({ runId }) => runId !== null).catch(noneFound);
      if (last?.found.runId) found.push(last.found.runId);
    }
    return found;
  }

  /** Records of Debezium before 3.4 bear no run id: what Connect tells of the tasks has to do. */
  #lookAtTasks({ tasks = null, runIds }: RestartLook, seen: ConnectorLook): void {
    const ends = new Map(seen.partitions.map((p) => [nameOf(p), p.end]));
    const lived = this.#tasks.take(tasks, ends);
    const bearsNone = runIds.size > 0 && this.#runs.empty;
    if (lived !== null && bearsNone) this.#measureFrom(seen, { at: seen.now.getTime(), runId: null, lived });
    this.#ends = ends;
  }

  #begin(runId: string, seen: ConnectorLook): void {
    this.#runs.add(runId);
    const at = runStart(runId);
    // An id that tells no time: it began since the last look.
    if (at === null) this.#measureFrom(seen, { at: seen.now.getTime(), runId, lived: this.#ends });
    else this.#measureFrom(seen, { at, runId, lived: null });
  }

  #measureFrom(
    { connector, now }: ConnectorLook,
    { at, runId, lived }: { at: number; runId: string | null; lived: ReadonlyMap<string, number> | null },
  ): void {
    const restart: Restart = {
      id: runId ?? `without run id, ${now.toISOString()}`,
      cluster: this.cluster,
      connector,
      at: new Date(at).toISOString(),
      noticedAt: now.toISOString(),
      runBefore: null,
      runAfter: runId,
      shown: null,
      recomputed: null,
      replayed: null,
      state: "measuring",
      why: null,
      partitions: [],
    };
    const measure = new RestartMeasure(restart, this.sources, this.#marks, lived);
    this.#measures = [...(this.#measures ?? []), measure].sort((a, b) =>
      a.restart.at < b.restart.at ? -1 : 1,
    );
  }

  /** The newest first: where it begins, the one before it ends. */
  async #measure(seen: ConnectorLook): Promise<void> {
    const done = new Set<RestartMeasure>();
    for (;;) {
      const measures = this.#measures ?? [];
      const at = measures.findLastIndex((measure) => !done.has(measure));
      const measure = measures[at];
      if (!measure) return;
      done.add(measure);
      await measure.look(seen, measures[at + 1] ?? null);
      this.#showBefore(measure);
      for (const runId of this.#missed(measure)) this.#begin(runId, seen);
    }
  }

  #showBefore(measure: RestartMeasure): void {
    const { restart, parts } = measure;
    if (restart.shown !== null) return;
    const lasts = [...parts.values()].map(({ reached }) => reached?.last.timestamp ?? -1);
    const shown = this.#shown.before(Math.max(-1, ...lasts), Date.parse(restart.at));
    measure.restart = { ...restart, shown };
  }

  /** Runs that began and ended between two polls: found behind one that is measured. */
  #missed({ parts }: RestartMeasure): string[] {
    const runs = [...parts.values()].flatMap(({ reached }) => reached?.runs ?? []);
    const isMissed = (runId: string) =>
      !this.#runs.has(runId) && (runStart(runId) ?? Number.NEGATIVE_INFINITY) > this.#knownUntil;
    return [...new Set(runs.map(({ runId }) => runId))].filter(isMissed);
  }

  /** Drops what is closed, and remembers how far all runs before the newest had got. */
  #close(): void {
    const measures = (this.#measures ?? []).filter(({ hasBefore }) => hasBefore !== false);
    for (const { restart, parts } of measures)
      for (const [name, { log, reached, first }] of parts)
        if (reached && first && restart.runAfter !== null) {
          const { topicId } = log.where;
          this.#marks.set(name, { runId: restart.runAfter, topicId, mark: reached.mark });
        }
    const firstOpen = measures.findIndex(({ open }) => open);
    this.#measures = firstOpen < 0 ? [] : measures.slice(firstOpen).slice(-MOST_OPEN);
  }
}

function noneFound(error: unknown): null {
  if (error instanceof RecordsGone || mayHeal(error)) return null;
  throw error;
}

function lookOf(cluster: string, input: RestartLook): ConnectorLook {
  const { connector, type, config, inForce, history, now } = input;
  const partitions: PartitionEnd[] = [];
  for (const [topic, look] of input.looks) {
    const role = topicRole(config, topic);
    if ((role !== "table" && role !== "other") || "failure" in look) continue;
    for (const { partition, topicId, end } of look.partitions)
      partitions.push({ topic, partition, topicId, end });
  }
  return { cluster, connector, type, config, inForce, history, partitions, now };
}
