import { deliveredOrder } from "@/lib/debezium/events/delivered-record";
import type { WriterState } from "@/lib/measure/duplicates/carried";
import { keptParts, type RunPart, restoredParts } from "@/lib/measure/duplicates/run-parts";
import type { Fall, FoundReplay, RunSeen } from "@/lib/observed/duplicates";
import { findParts } from "./find-parts";
import { type MeasuredStart, measureStart } from "./measure-start";
import { partsBefore } from "./parts-before";
import type { Unreadables } from "./unreadables";
import type { WriterLog } from "./writer-log";

/** Records behind a start that was not known, which are looked at one by one. */
const LOOKED_AT = 2_048;
/** Bytes looked through after each start for records of an earlier run, at most and at least. */
const MOST_SEARCH = 8 * 1024 * 1024;
const LEAST_SEARCH = 256 * 1024;
/** All starts together: this, or 1/256 of what the range holds. */
const ALL_SEARCHES = 16 * 1024 * 1024;

export interface WriterLimits {
  identityBytes: number;
  /** Offsets at or after which a start is known to lie. */
  starts: readonly number[];
}

/** What was found of one writer in one range of a partition. */
export class MeasuredWriter {
  readonly replays: FoundReplay[] = [];
  readonly falls: Fall[] = [];
  readonly runs: RunSeen[] = [];
  spacing: number | null = null;
  /** Where a next look begins. */
  to = 0;
  #parts: RunPart[] = [];
  #open: WriterState["open"] = null;
  #search: WriterState["search"] = null;

  constructor(
    private readonly log: WriterLog,
    private readonly request: {
      topic: string;
      topicId: string | null;
      partition: number;
      maxBytes: number;
      progress?: (done: { offset: number; bytes: number }) => void;
    },
    private readonly unreadable: Unreadables,
    private readonly limits: WriterLimits,
  ) {}

  /** @throws LogReadError, RecordsGone, NothingNear */
  async measure(from: number, to: number, state: WriterState | null): Promise<void> {
    this.to = to;
    this.#parts = state ? restoredParts(state.runs) : await partsBefore(this.log, from);
    for (const { ends } of this.#parts) for (const lane of ends?.keys() ?? []) this.log.lanes.add(lane);
    const again = state?.open ? (this.#parts.pop() ?? null) : null;
    const known = {
      starts: this.limits.starts,
      wholeTo: state?.search ? await this.#searched(from, to, state.search) : from,
    };
    const found = await findParts(this.log, from, to, known);
    this.spacing = found.spacing;
    const queue = await this.#joined(again, found.parts);
    await this.#starts(queue, to);
    if (this.#search === null && state?.search) this.#search = this.#left(state.search, found.parts);
  }

  state(): WriterState {
    return {
      writer: this.log.writer,
      runs: keptParts(this.#parts),
      open: this.#open,
      search: this.#search,
    };
  }

  /** Puts what goes on with the last part to it; what is left are starts. */
  async #joined(again: RunPart | null, parts: readonly RunPart[]): Promise<RunPart[]> {
    const [first, ...others] = parts;
    const last = again ?? this.#parts.at(-1);
    if (!first || !last) return again ? [again, ...parts] : [...parts];
    if (first.runId !== last.runId || (await this.#fallsAt(first, last)))
      return again ? [again, ...parts] : [...parts];
    last.end = first.end;
    return again ? [again, ...others] : others;
  }

  /** Without run ids: whether a part begins below where the one before ended, or with its last change again. */
  async #fallsAt(part: RunPart, last: RunPart): Promise<boolean> {
    if (part.runId !== null) return false;
    const first = await this.log.firstChange(part);
    const end = first && (await this.log.endsOf(last)).get(first.lane);
    if (!first || !end) return false;
    const { order } = deliveredOrder(first.type)(first.position, end.position);
    if (order !== "equal" || first.rowKey === null) return order === "before";
    const { earliest } = this.log.reader;
    if (end.offset < earliest) return false;
    const before = await this.log.reader.first(end.offset, end.offset + 1, this.log.changeOf(last));
    return before?.identity === first.identity;
  }

  async #starts(queue: RunPart[], to: number): Promise<void> {
    let walkedTo = 0;
    for (let i = 0; i < queue.length; i++) {
      const part = queue[i] as RunPart;
      const known = this.#parts.some(({ runId }) => runId === part.runId) && part.runId !== null;
      const begins = this.#parts.length > 0 && !(known && part.first < walkedTo);
      if (begins && i > 0 && this.log.reader.bytes > this.request.maxBytes) {
        this.to = part.first;
        return;
      }
      this.#parts.push(part);
      if (!known) this.#seen(part);
      if (begins) {
        const last = this.#lastOf(part, queue.slice(i + 1));
        const start = await this.#start(part, last, to, queue.length);
        walkedTo = Math.max(walkedTo, start.walkedTo);
        if (start.newRun && queue[i + 1]?.first !== start.newRun.offset)
          await this.#insert(queue, i, start.newRun.offset);
      }
      this.request.progress?.({ offset: Math.max(part.first, walkedTo), bytes: this.log.reader.bytes });
    }
    const last = this.#parts.at(-1);
    if (last) for (const part of this.#parts) await this.log.endsOf(part);
  }

  /** The last part of the same run, before a run begins that was not there before. */
  #lastOf(part: RunPart, following: readonly RunPart[]): RunPart {
    let last = part;
    if (part.runId === null) return last;
    for (const one of following) {
      if (!this.#parts.some(({ runId }) => runId === one.runId)) break;
      if (one.runId === part.runId) last = one;
    }
    return last;
  }

  async #start(part: RunPart, last: RunPart, to: number, starts: number): Promise<MeasuredStart> {
    const before = this.#parts.slice(0, -1);
    const start = await measureStart(this.log, part, before, last, to, {
      identityBytes: this.limits.identityBytes,
      searchBytes: this.#searchBytes(to, starts),
    });
    for (const record of start.unreadable) this.unreadable.record(record);
    const { topic, topicId } = this.request;
    for (const replay of start.replays)
      this.replays.push({ topic, topicId, ...replay, evidence: this.#evidence(part, replay) });
    if (start.fall) {
      const { record } = start.fall;
      this.falls.push({
        topic,
        partition: record.partition,
        offset: record.offset,
        at: new Date(Math.max(0, record.timestamp)).toISOString(),
        kind: "unknown",
        sentence: "Positions fall here, and the changes that follow had not been delivered before.",
      });
      // What was reached before belongs to another history.
      this.#parts = [part];
    }
    this.#parts.splice(this.#parts.indexOf(part), 0, ...start.within);
    this.#open = start.open ? { from: part.first } : null;
    this.#search = start.search;
    return start;
  }

  /** A run that shows only when its records are walked along: what follows is looked at one by one. */
  async #insert(queue: RunPart[], i: number, at: number): Promise<void> {
    const part = queue[i] as RunPart;
    const within = queue.findIndex(({ first, end }, j) => j >= i && first < at && at < end);
    const of = queue[within] ?? part;
    const known = { starts: [], wholeTo: at + LOOKED_AT };
    const { parts } = await findParts(this.log, at, of.end, known);
    of.end = at;
    of.endsAt = undefined;
    of.ends = undefined;
    queue.splice((within < 0 ? i : within) + 1, 0, ...parts);
  }

  #evidence(part: RunPart, { runBefore, runAfter }: Pick<FoundReplay, "runBefore" | "runAfter">) {
    if (runAfter === null) return this.limits.starts.length > 0 ? "restart-time" : "samples";
    return runAfter === part.runId && runBefore !== runAfter ? "run-id" : "whole";
  }

  #seen({ runId, taskId, first, at }: RunPart): void {
    this.runs.push({ runId, taskId, firstOffset: first, at: new Date(Math.max(0, at)).toISOString() });
  }

  #searchBytes(to: number, starts: number): number {
    const { reader } = this.log;
    const [{ first } = { first: 0 }] = this.#parts;
    const all = Math.max(ALL_SEARCHES, reader.bytesOf(to - first) / 256);
    return Math.min(MOST_SEARCH, Math.max(LEAST_SEARCH, all / starts));
  }

  /** Up to which offset a search that the last look began goes on. */
  async #searched(from: number, to: number, search: { until: number; bytes: number }): Promise<number> {
    const offsets = Math.ceil(search.bytes / Math.max(1, this.log.reader.bytesOf(1_000) / 1_000));
    return Math.min(to, from + offsets);
  }

  /** What of it is left behind this range. */
  #left(
    search: { until: number; bytes: number },
    parts: readonly RunPart[],
  ): { until: number; bytes: number } | null {
    const last = parts.at(-1);
    if (!last || last.at > search.until) return null;
    const bytes = Math.floor(search.bytes - this.log.reader.bytesOf(this.to - (parts[0]?.first ?? this.to)));
    return bytes > 0 ? { ...search, bytes } : null;
  }
}
