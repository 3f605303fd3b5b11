import { lookAtEnds, type TopicEnds } from "@/lib/collect/duplicates/topic-watch";
import type { ConnectorConfig } from "@/lib/debezium/config";
import type { ConnectorType } from "@/lib/debezium/connector-type";
import type { Assignment, GroupMembership } from "@/lib/kafka/group-membership";
import { LogReadError, type LogReader } from "@/lib/kafka/log/log-reader";
import type { SchemaRegistry } from "@/lib/kafka/registry";
import { limitsOf, type SampleLimits, Samples, standardLimits } from "@/lib/measure/duplicates/samples";
import { StateUnreadable } from "@/lib/measure/duplicates/state-bytes";
import type { Failure } from "@/lib/observed/observation";
import type { Database } from "@/lib/store/database";
import {
  dropScanPartition,
  readScanPartitions,
  type ScanGroup,
  type ScanPartition,
  saveScanPartition,
  saveScanResult,
} from "@/lib/store/scans";
import { type ScanState, scanResult, scanTopic } from "./scan-topic";

/** A look ends after so long, so that it can be told how it went. */
const LOOK_MS = 20_000;
/** Samples and offset are kept so often, milliseconds: what is read since then is read again after a crash. */
const CHECKPOINT_MS = 10_000;
/** How often a topic's figures are put together, milliseconds: its states are read for it. */
const RESULT_MS = 30_000;
/** A partition read to its end rests so long, milliseconds, unless so many records came: its whole state is read and written. */
const REST_MS = 60_000;
const REST_RECORDS = 20_000;

/** One topic to be scanned as it grows. */
export interface ScannedTopic {
  topic: string;
  /** Null: taken from the events. */
  type: ConnectorType | null;
  /** Of the connector whose records count; null: those of every writer. */
  config: ConnectorConfig | null;
}

export interface ScanLoopOptions {
  cluster: string;
  log: LogReader;
  db: Database;
  registry: SchemaRegistry | null;
  membership: GroupMembership;
  /** Key of the hashes. */
  secret: ScanGroup["secret"];
  /** Bytes of the log that this collector reads a second at most; null: as fast as it goes. */
  maxBytesPerSecond: number | null;
  signal: AbortSignal;
  limits?: SampleLimits;
  lookMs?: number;
  checkpointMs?: number;
  restMs?: number;
  resultMs?: number;
}

interface ScannedEnds extends ScannedTopic {
  ends: TopicEnds;
}

interface Turn extends ScannedEnds {
  partition: number;
  end: number;
}

/** The scan of a cluster's topics, shared by all collectors that have one database. */
export interface ScanLoop {
  /** Reads on in those partitions that this collector has, for some seconds. @throws DatabaseUnavailable */
  look(topics: readonly ScannedTopic[]): Promise<Failure | null>;
  /** Bytes of the log to a record of a topic, as far as it was read; null: not read yet. */
  bytesPerRecord(topic: string): number | null;
  /** Leaves the group. */
  close(): Promise<void>;
}

/** How far this collector knows a partition to be, and since when. */
interface Reached {
  next: number;
  at: number;
}

/** Another collector keeps the partition's samples by now: it goes on with them. */
class TakenOver extends Error {
  override readonly name = "TakenOver";
}

/**
 * Kafka's group protocol says which collector reads which partition, and nothing else of it is used. What counts is in the
 * database: a partition's samples and the offset up to which they are change together, and only from where the scan
 * went on. So a collector that was killed loses what it read since its last checkpoint, one that lost a partition and does not
 * know it yet changes nothing any more, and the figures are those of one scan in one go.
 */
export function openScanLoop(options: ScanLoopOptions): ScanLoop {
  return new SharedScan(options);
}

class SharedScan implements ScanLoop {
  /** Where it stopped last time: the partitions take turns. */
  #last = "";
  /** Of the assignment at hand. */
  #reached = new Map<string, Reached>();
  #generation = -1;
  /** Topics whose figures are older than their samples, and when figures were put together last. */
  readonly #changed = new Map<string, ScannedEnds>();
  readonly #told = new Map<string, number>();
  readonly #sizes = new Map<string, number>();

  constructor(private readonly options: ScanLoopOptions) {}

  async look(topics: readonly ScannedTopic[]): Promise<Failure | null> {
    const { log, membership } = this.options;
    const ends = await lookAtEnds(
      log,
      topics.map(({ topic }) => topic),
    );
    if (ends.failure) return ends.failure;
    const there = topics.flatMap((topic) => {
      const found = ends.value.get(topic.topic);
      return found === undefined || "kind" in found ? [] : [{ ...topic, ends: found }];
    });
    const assignment = await membership.assignment(there.map(({ topic }) => topic));
    if (assignment === null) return membership.failure;
    if (assignment.generation !== this.#generation) this.#reached = new Map();
    this.#generation = assignment.generation;
    const turns = turnsOf(there, assignment);
    const from = turns.findIndex((turn) => nameOf(turn) > this.#last);
    return this.#inTurn(from < 0 ? turns : [...turns.slice(from), ...turns.slice(0, from)], assignment);
  }

  async #inTurn(turns: readonly Turn[], assignment: Assignment): Promise<Failure | null> {
    const { lookMs = LOOK_MS, signal, membership } = this.options;
    const until = performance.now() + lookMs;
    const isOver = () => performance.now() >= until || signal.aborted || !membership.holds(assignment);
    let failure: Failure | null = null;
    for (const turn of turns) {
      if (isOver()) break;
      this.#last = nameOf(turn);
      if (this.#rests(turn)) continue;
      failure = (await this.#scan(turn, isOver).catch(asFailure)) ?? failure;
    }
    for (const topic of [...this.#changed.values()]) if (this.#isDue(topic.topic)) await this.#tell(topic);
    return failure;
  }

  /** Nothing came since it was read, or too little so soon. */
  #rests(turn: Turn): boolean {
    const reached = this.#reached.get(nameOf(turn));
    if (!reached) return false;
    const behind = turn.end - reached.next;
    const since = performance.now() - reached.at;
    return behind <= 0 || (behind < REST_RECORDS && since < (this.options.restMs ?? REST_MS));
  }

  /** Reads on in one partition until its end, or until the time is over. */
  async #scan(turn: Turn, isOver: () => boolean): Promise<Failure | null> {
    const { db, cluster, log } = this.options;
    const { topic, partition, ends } = turn;
    let [kept = null]: (ScanPartition | null)[] = await readScanPartitions(db, { cluster, topic, partition });
    if (kept !== null && kept.topicId !== ends.topicId) {
      await dropScanPartition(db, cluster, kept);
      kept = null;
    }
    const [first] = kept === null ? await log.ends([{ topic, partition }], "earliest") : [kept.next];
    if (typeof first !== "number") return first ?? null;
    if (first < turn.end) return this.#read(turn, kept, first, isOver);
    this.#reached.set(nameOf(turn), { next: first, at: performance.now() });
    return null;
  }

  async #read(turn: Turn, before: ScanPartition | null, first: number, isOver: () => boolean) {
    const { db, cluster, log, registry, secret, signal } = this.options;
    const { topic, partition, ends } = turn;
    let kept = before;
    const stop = new AbortController();
    const keep = async (state: ScanState) => {
      const next = { ...state, topic };
      if (!(await saveScanPartition(db, cluster, kept, next, new Date()))) throw new TakenOver();
      kept = next;
      this.#reached.set(nameOf(turn), { next: next.next, at: performance.now() });
      this.#changed.set(topic, turn);
      this.#sizes.set(topic, next.bytes / Math.max(1, next.next - next.from));
    };
    try {
      const { why } = await scanTopic(log, {
        ...{ topic, type: turn.type, config: turn.config, registry, secret },
        topicId: ends.topicId,
        partitions: [{ partition, from: kept?.from ?? first, to: turn.end }],
        limits: limitsOf(ends.partitions.length, this.options.limits),
        maxBytesPerSecond: this.options.maxBytesPerSecond,
        resume: kept && [kept],
        signal: AbortSignal.any([signal, stop.signal]),
        progress: () => isOver() && stop.abort(),
        checkpointMs: this.options.checkpointMs ?? CHECKPOINT_MS,
        checkpoint: keep,
      });
      if (why === "recreated" && kept) await dropScanPartition(db, cluster, kept);
    } catch (error) {
      // Of another version, or damaged: it begins anew.
      if (!(error instanceof StateUnreadable) || !kept) throw error;
      await dropScanPartition(db, cluster, kept);
    }
    return null;
  }

  #isDue(topic: string): boolean {
    const since = performance.now() - (this.#told.get(topic) ?? Number.NEGATIVE_INFINITY);
    return since >= (this.options.resultMs ?? RESULT_MS);
  }

  /** Puts the figures of a topic together, of all its partitions as far as any collector has read them. */
  async #tell({ topic, ends }: ScannedEnds): Promise<void> {
    const { db, cluster, secret } = this.options;
    const rows = await readScanPartitions(db, { cluster, topic });
    const parts = rows
      .filter(({ topicId }) => topicId === ends.topicId)
      .flatMap((row) => {
        const samples = samplesIn(row, secret);
        return samples === null ? [] : [{ ...row, samples }];
      });
    const bytes = parts.reduce((sum, part) => sum + part.bytes, 0);
    await saveScanResult(db, cluster, scanResult(topic, parts, bytes), new Date());
    this.#changed.delete(topic);
    this.#told.set(topic, performance.now());
  }

  bytesPerRecord(topic: string): number | null {
    return this.#sizes.get(topic) ?? null;
  }

  close(): Promise<void> {
    return this.options.membership.close();
  }
}

/** Null for a state of another version: whoever has the partition begins it anew. */
function samplesIn({ samples }: ScanPartition, secret: Uint8Array): Samples | null {
  try {
    return Samples.fromState(samples, { ...standardLimits, secret });
  } catch (error) {
    if (error instanceof StateUnreadable) return null;
    throw error;
  }
}

function turnsOf(topics: readonly ScannedEnds[], { partitions }: Assignment): Turn[] {
  return topics
    .flatMap((scanned) => {
      const own = partitions.get(scanned.topic) ?? [];
      const there = scanned.ends.partitions.filter(({ partition }) => own.includes(partition));
      return there.map(({ partition, end }) => ({ ...scanned, partition, end }));
    })
    .sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
}

const nameOf = ({ topic, partition }: Pick<Turn, "topic" | "partition">) =>
  `${topic}/${String(partition).padStart(6, "0")}`;

/** One partition's trouble leaves the others alone. */
function asFailure(error: unknown): Failure | null {
  if (error instanceof TakenOver) return null;
  if (error instanceof LogReadError) return error.failure;
  throw error;
}
