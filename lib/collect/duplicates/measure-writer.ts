import { deliveredOrder } from "@/lib/debezium/events/delivered-record";
import type { WriterState } from "@/lib/measure/duplicates/carried";
import type { WalkedReplay } from "@/lib/measure/duplicates/open-replay";
import { keptParts, type RunPart, restoredParts } from "@/lib/measure/duplicates/run-parts";
import type { Fall, FoundReplay, RunSeen } from "@/lib/observed/duplicates";
import { countByPosition } from "./count-by-position";
import { Episode } from "./episode";
import { fallOf } from "./fall-of";
import { findParts } from "./find-parts";
import type { LaneStart } from "./lane-start";
import { partsBefore } from "./parts-before";
import type { Unreadables } from "./unreadables";
import type { WriterLog } from "./writer-log";

/** Records behind a start that was not known, which are looked at one by one. */
const LOOKED_AT = 2_048;
/** Bytes looked through after each start for records of an earlier run, at most and at least. */
const MOST_SEARCH = 8 * 1024 * 1024;
const LEAST_SEARCH = 256 * 1024;
/** All starts together: this, or 1/256 of what the range holds. */
const ALL_SEARCHES = 8 * 1024 * 1024;

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
  /** Around the starts. */
  uncommittedCopies = 0;
  spacing: number | null = null;
  /** Where a next look begins. */
  to = 0;
  #parts: RunPart[] = [];
  #open: WriterState["open"] = null;
  #search: WriterState["search"] = null;
  /** Where the episode at hand began. */
  #begun = -1;

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
    const { open = null } = state ?? {};
    const again = open ? this.#parts.filter(({ first }) => first >= open.from) : [];
    this.#parts = open ? this.#parts.filter(({ first }) => first < open.from) : this.#parts;
    const known = {
      starts: this.limits.starts,
      wholeTo: state?.search ? await this.#searched(from, to, state.search) : from,
    };
    const found = await findParts(this.log, from, to, known);
    this.spacing = found.spacing;
    const queue = await this.#joined(again, found.parts);
    const [first] = queue;
    // Of what retention removed nothing is known.
    if (first && this.#parts.length === 0) first.cut = this.log.reader.earliest > 0;
    await this.#starts(queue, to);
    for (const part of this.#parts) await this.log.endsOf(part);
    if (this.#search === null && state?.search) this.#search = this.#left(state.search, found.parts);
  }

  get writer(): string | null {
    return this.log.writer;
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
  async #joined(again: readonly RunPart[], parts: readonly RunPart[]): Promise<RunPart[]> {
    const [first, ...others] = parts;
    const last = again.at(-1) ?? this.#parts.at(-1);
    const all = [...again, ...parts];
    if (!first || !last || first.runId !== last.runId || (await this.#fallsAt(first, last))) return all;
    last.end = first.end;
    return [...again, ...others];
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

  /** Goes through the parts; from each start on all is read that can have come again. */
  async #starts(queue: RunPart[], to: number): Promise<void> {
    let episode: Episode | null = null;
    for (let i = 0; i < queue.length; i++) {
      const part = queue[i] as RunPart;
      const known = part.runId !== null && this.#parts.some(({ runId }) => runId === part.runId);
      const walked: boolean = episode !== null && part.first < episode.reached;
      const begins = this.#parts.length > 0 && !walked;
      if (begins && episode?.newRun?.offset !== part.first) {
        await this.#close(episode);
        episode = null;
        if (i > 0 && this.log.reader.bytes > this.request.maxBytes) {
          this.to = part.first;
          return;
        }
      }
      if (begins) episode = await this.#begin(episode, part, queue, i, to);
      this.#parts.push(part);
      if (!known) this.#seen(part);
      if (begins && episode?.exhausted) {
        await this.#exhausted(episode, queue.slice(i + 1));
        return;
      }
      const offset = Math.max(part.first, episode?.reached ?? 0);
      this.request.progress?.({ offset, bytes: this.log.reader.bytes });
    }
    await this.#close(episode);
  }

  /** Records of several runs take turns for longer than a look may read: the next one goes on from there. */
  async #exhausted(episode: Episode, following: readonly RunPart[]): Promise<void> {
    const to = episode.reached;
    await this.#close(episode);
    this.#parts = [...this.#parts, ...following].filter(({ first }) => first < to);
    for (const part of this.#parts) {
      if (part.end <= to) continue;
      part.end = to;
      part.ends = undefined;
      part.endsAt = undefined;
    }
    this.#open = null;
    this.#search = null;
    this.to = to;
  }

  async #begin(
    going: Episode | null,
    part: RunPart,
    queue: RunPart[],
    i: number,
    to: number,
  ): Promise<Episode | null> {
    let episode = going;
    if (episode && !episode.hasRoom) {
      await this.#close(episode);
      episode = null;
    }
    const limits = {
      identityBytes: this.limits.identityBytes,
      searchBytes: this.#searchBytes(to, queue.length),
    };
    const before = [...this.#parts, ...(episode?.within ?? [])].sort((a, b) => a.first - b.first);
    const last = queue.findLast(({ runId }, j) => j >= i && runId !== null && runId === part.runId) ?? part;
    episode ??= new Episode(this.log, limits);
    const tooMuch = await episode.begin(part, before, last);
    if (tooMuch) {
      if (going === episode) await this.#close(episode);
      await this.#byPosition(part, before, tooMuch);
      return null;
    }
    if (this.#begun < 0 || going !== episode) this.#begun = part.first;
    await episode.walk(to, this.#walkBytes());
    const { newRun } = episode;
    if (newRun && !queue.some(({ first }) => first === newRun.offset))
      await this.#insert(queue, i, newRun.offset);
    return episode;
  }

  async #close(episode: Episode | null): Promise<void> {
    if (episode === null) return;
    const found = episode.told();
    for (const record of found.unreadable) this.unreadable.record(record);
    for (const replay of found.replays) this.#found(replay);
    this.uncommittedCopies += found.uncommittedCopies;
    for (const fall of found.falls) this.falls.push(await fallOf(this.log, this.request.topic, fall));
    const fall = found.falls.at(-1);
    // What was reached before a fall belongs to another history.
    if (fall) this.#parts = this.#parts.filter(({ first }) => first >= fall.part.first);
    this.#parts = [...this.#parts, ...found.within].sort((a, b) => a.first - b.first);
    this.#open = found.open ? { from: this.#begun } : null;
    this.#search = found.search;
  }

  async #byPosition(part: RunPart, before: readonly RunPart[], lanes: readonly LaneStart[]): Promise<void> {
    const replay = await countByPosition(this.log, part, before, lanes);
    if (replay) this.#found(replay);
    this.#open = null;
    this.#search = null;
  }

  #found(replay: WalkedReplay): void {
    const { topic, topicId } = this.request;
    this.replays.push({ topic, topicId, ...replay, evidence: this.#evidence(replay) });
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

  #evidence({ runBefore, runAfter }: WalkedReplay): FoundReplay["evidence"] {
    if (runAfter === null) return this.limits.starts.length > 0 ? "restart-time" : "samples";
    return runBefore !== runAfter ? "run-id" : "whole";
  }

  #seen({ runId, taskId, first, at }: RunPart): void {
    this.runs.push({ runId, taskId, firstOffset: first, at: new Date(Math.max(0, at)).toISOString() });
  }

  /** What one walk may read: the look's own bytes, and a replay both times. */
  #walkBytes(): number {
    return Math.max(0, this.request.maxBytes - this.log.reader.bytes) + 2 * this.limits.identityBytes;
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
