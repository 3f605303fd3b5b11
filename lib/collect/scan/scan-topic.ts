import type { ConnectorConfig } from "@/lib/debezium/config";
import type { ConnectorType } from "@/lib/debezium/connector-type";
import type { LogReader } from "@/lib/kafka/log/log-reader";
import type { SchemaRegistry } from "@/lib/kafka/registry";
import { limitsOf, type SampleLimits, Samples } from "@/lib/measure/duplicates/samples";
import { scanFigures } from "@/lib/measure/duplicates/scan-figures";
import type { ScanResult } from "@/lib/observed/duplicates";
import { recordTime } from "@/lib/observed/record-time";
import { BytePace } from "./byte-pace";
import { scanPartition } from "./scan-partition";

const CHECKPOINT_MS = 15_000;

/** How far one partition was scanned, and what its samples hold: hashes, positions and counts. */
export interface ScanState {
  partition: number;
  /** Another one: the topic was deleted and made again, and the state is worth nothing. */
  topicId: string | null;
  /** The first offset that was scanned, and the next one. */
  from: number;
  next: number;
  /** As Samples.toState wrote them. */
  samples: Uint8Array;
  /** Of the batches in the log. */
  bytes: number;
}

export interface ScanRequest {
  topic: string;
  /** Null before Kafka 2.8: then a topic that was made again is told only where its log is shorter. */
  topicId?: string | null;
  /** In which order they are read. `to`: the first offset not wanted. */
  partitions: readonly { partition: number; from: number; to: number }[];
  /** Null: taken from the events' `source.connector`. */
  type: ConnectorType | null;
  /** Of the connector whose records count; null: those of every writer. */
  config: ConnectorConfig | null;
  /** For values with a schema's id in front; null: they cannot be read. */
  registry: SchemaRegistry | null;
  /** 8 bytes; a scan that goes on from a state needs the same ones. */
  secret: Uint8Array;
  /** Most in memory; those of the whole topic are shared by its partitions unless told. */
  limits?: SampleLimits;
  /** Bytes of the log a second; absent or null: as fast as it goes. */
  maxBytesPerSecond?: number | null;
  signal?: AbortSignal | undefined;
  /** Offsets done of those asked for, and bytes of the log; at most ten times a second. */
  progress?: (done: { done: number; total: number; bytes: number }) => void;
  /** Where a scan before left off. Partitions that are not in it begin anew. @throws StateUnreadable */
  resume?: readonly ScanState[] | null;
  /** Called every 15 s or `checkpointMs`, and at each partition's end. Awaited: what it throws ends the scan. */
  checkpoint?: (state: ScanState) => Promise<void>;
  checkpointMs?: number;
}

export interface TopicScan {
  result: ScanResult;
  /** `cancelled`: the result is of what was read until then. `recreated`: the topic is another one by now; the result is of the old one. */
  why: "end" | "cancelled" | "recreated";
  /** By partition, as far as it came. */
  reached: { partition: number; next: number }[];
}

/**
 * Reads partitions whole and draws two samples of their records: duplicates with their interval, order, snapshots. One
 * partition after the other, so that memory is bounded by the samples and two fetches.
 * @throws LogReadError where a partition cannot be read; what was checkpointed goes on from there
 */
export async function scanTopic(log: LogReader, request: ScanRequest): Promise<TopicScan> {
  const scan = new RunningScan(log, request);
  for (const { partition } of request.partitions) {
    await scan.partition(partition);
    if (scan.why !== "end") break;
  }
  return scan.told();
}

interface Part extends Omit<ScanState, "samples" | "topicId"> {
  to: number;
  samples: Samples;
}

class RunningScan {
  why: TopicScan["why"] = "end";
  readonly #parts: Part[];
  readonly #pace: BytePace;
  readonly #total: number;
  #told = 0;
  #kept = performance.now();

  constructor(
    private readonly log: LogReader,
    private readonly request: ScanRequest,
  ) {
    const { partitions, secret, resume } = request;
    const options = { ...(request.limits ?? limitsOf(partitions.length)), secret };
    this.#pace = new BytePace(request.maxBytesPerSecond ?? null);
    this.#parts = partitions.map(({ partition, from, to }) => {
      const state = resume?.find((s) => s.partition === partition && s.topicId === (request.topicId ?? null));
      if (!state) return { partition, from, to, next: from, bytes: 0, samples: new Samples(options) };
      const samples = Samples.fromState(state.samples, options);
      return { partition, from: state.from, to, next: state.next, bytes: state.bytes, samples };
    });
    this.#total = this.#parts.reduce((sum, { from, to }) => sum + Math.max(0, to - from), 0);
  }

  async partition(partition: number): Promise<void> {
    const part = this.#parts.find((p) => p.partition === partition);
    if (!part || part.next >= part.to) return;
    const { request } = this;
    const { why, next } = await scanPartition(this.log, part.samples, {
      ...request,
      ...{ partition, from: part.next, to: part.to, topicId: request.topicId ?? null },
      pace: this.#pace,
      maxBytesPerSecond: request.maxBytesPerSecond ?? null,
      passed: (to, bytes) => this.#passed(part, to, bytes),
    });
    if (why === "recreated") this.why = why;
    else {
      part.next = Math.max(part.next, next);
      if (why === "cancelled") this.why = why;
      await this.#keep(part);
    }
    this.#tell(true);
  }

  #passed(part: Part, next: number, bytes: number): Promise<void> | null {
    part.next = next;
    part.bytes += bytes;
    this.#tell(false);
    const due = performance.now() - this.#kept >= (this.request.checkpointMs ?? CHECKPOINT_MS);
    return due ? this.#keep(part) : null;
  }

  async #keep({ partition, from, next, bytes, samples }: Part): Promise<void> {
    const { checkpoint, topicId = null } = this.request;
    await checkpoint?.({ partition, topicId, from, next, bytes, samples: samples.toState() });
    this.#kept = performance.now();
  }

  #tell(last: boolean): void {
    const now = performance.now();
    if (!this.request.progress || (!last && now - this.#told < 100)) return;
    this.#told = now;
    const done = this.#parts.reduce((sum, { from, next, to }) => sum + Math.min(next, to) - from, 0);
    this.request.progress({ done, total: this.#total, bytes: this.#bytes });
  }

  get #bytes(): number {
    return this.#parts.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  told(): TopicScan {
    return {
      result: scanResult(this.request.topic, this.#parts, this.#bytes),
      why: this.why,
      reached: this.#parts.map(({ partition, next }) => ({ partition, next })),
    };
  }
}

/** The result of the samples of a topic's partitions. */
export function scanResult(
  topic: string,
  parts: readonly { partition: number; samples: Samples }[],
  bytesRead: number,
): ScanResult {
  const figures = scanFigures(parts.map(({ samples }) => samples));
  const iso = (time: number | null) => (time === null ? null : recordTime(time));
  return {
    ...figures,
    topic,
    from: iso(figures.from),
    to: iso(figures.to),
    violations: figures.violations.map(({ of, offset, after, position }) => ({
      ...{ partition: parts[of]?.partition ?? 0, offset, after, position },
    })),
    bytesRead,
  };
}
