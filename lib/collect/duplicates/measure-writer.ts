import type { WriterState } from "@/lib/measure/duplicates/carried";
import type { WalkedReplay } from "@/lib/measure/duplicates/open-replay";
import { keptParts, type RunPart, restoredParts } from "@/lib/measure/duplicates/run-parts";
import type { Fall, FoundReplay, RunSeen } from "@/lib/observed/duplicates";
import { recordTime } from "@/lib/observed/record-time";
import { type CountedByPosition, countByPosition } from "./count-by-position";
import { Episode } from "./episode";
import { fallOf } from "./fall-of";
import { findParts } from "./find-parts";
import { comesAgain, fallsAt } from "./goes-on";
import type { LaneStart } from "./lane-start";
import { partsBefore } from "./parts-before";
import { searchBytesOf } from "./search-bytes";
import type { Unreadables } from "./unreadables";
import { cutAt, withTurns } from "./with-turns";
import type { WriterLog } from "./writer-log";

/** Records behind a start that was not known, which are looked at one by one. */
const LOOKED_AT = 2_048;
/** Bytes before a range of which nothing is known that are read whole: a run that was taken for dead may have written there. */
const NEAR = 1024 * 1024;

export interface WriterLimits {
  identityBytes: number;
  /** Offsets at or after which a start is known to lie. */
  starts: readonly number[];
  /** Up to here every record is looked at, since it is at hand. */
  wholeTo: number;
}

interface TooMuch {
  lanes: readonly LaneStart[];
  searchBytes: number;
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
  #from = 0;
  /** Copies before it lie before the range. */
  #countFrom = 0;
  /** What lies before it was counted by position. */
  #countedTo = 0;
  /** The rest of a run that had begun before. */
  #rest: RunPart | null = null;

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

  /**
   * Where nothing is known of what lies before `from`, a replay that had begun there is told from `from` on.
   * @throws LogReadError, RecordsGone, NothingNear
   */
  async measure(from: number, to: number, state: WriterState | null): Promise<void> {
    this.to = to;
    this.#from = from;
    const begin = state ? from : this.#near(from);
    this.#countFrom = begin < from ? from : 0;
    this.#parts = state ? restoredParts(state.runs) : await partsBefore(this.log, begin);
    for (const { ends } of this.#parts) for (const lane of ends?.keys() ?? []) this.log.lanes.add(lane);
    const { open = null } = state ?? {};
    const again = open ? this.#parts.filter(({ first }) => first >= open.from) : [];
    this.#parts = open ? this.#parts.filter(({ first }) => first < open.from) : this.#parts;
    // A search that the last look began goes on.
    const searched = state?.search ? Math.min(to, from + this.#offsetsOf(state.search.bytes)) : from;
    const wholeTo = Math.min(to, Math.max(searched, this.limits.wholeTo));
    const found = await findParts(this.log, begin, to, { starts: this.limits.starts, wholeTo });
    this.spacing = found.spacing;
    const queue = await this.#joined(again, found.parts, state === null || open !== null);
    const [first] = queue;
    // Of what retention removed nothing is known.
    if (first && this.#parts.length === 0) first.cut = this.log.reader.earliest > 0;
    await this.#starts(queue, to);
    for (const part of this.#parts) await this.log.endsOf(part);
    if (this.#search === null && state?.search) this.#search = this.#left(state.search, found.parts);
  }

  /** Where to begin, so that runs which take turns before the range are known. */
  #near(from: number): number {
    const { reader } = this.log;
    const bytes = Math.min(NEAR, this.request.maxBytes / 4);
    return Math.max(Math.min(from, reader.earliest), from - this.#offsetsOf(bytes));
  }

  get writer(): string | null {
    return this.log.writer;
  }

  state(): WriterState {
    const open = this.#open && { from: Math.min(this.#open.from, this.to) };
    return {
      writer: this.log.writer,
      runs: keptParts(this.#parts, open?.from ?? null),
      open,
      search: this.#search,
    };
  }

  /**
   * Puts what goes on with the last part to it; what is left are starts.
   * @param unknown the last run may have been producing again: then the rest of it is looked at as a start is
   */
  async #joined(again: readonly RunPart[], parts: readonly RunPart[], unknown: boolean): Promise<RunPart[]> {
    const [first, ...others] = parts;
    const [last] = [...(again.length > 0 ? again : this.#parts)].sort(
      (a, b) => b.end - a.end || b.first - a.first,
    );
    const all = [...again, ...parts];
    if (!first || !last || first.runId !== last.runId || (await fallsAt(this.log, first, last))) return all;
    if (again.length === 0 && (await comesAgain(this.log, this.#parts, first, unknown))) {
      this.#rest = first;
      return all;
    }
    last.end = first.end;
    return [...again, ...others];
  }

  /** Goes through the parts; from each start on all is read that can have come again. */
  async #starts(queue: RunPart[], to: number): Promise<void> {
    let episode: Episode | null = null;
    for (let i = 0; i < queue.length; i++) {
      const part = queue[i] as RunPart;
      const walked: boolean = part.first < Math.max(episode?.reached ?? 0, this.#countedTo);
      const begins = this.#parts.length > 0 && !walked;
      if (begins && episode?.newRun?.offset !== part.first) {
        await this.#close(episode);
        episode = null;
        if (i > 0 && part.first > this.#from && this.log.reader.bytes > this.request.maxBytes) {
          this.to = part.first;
          return;
        }
      }
      if (begins) episode = await this.#begin(episode, part, queue, i, to);
      this.#seen(part);
      this.#parts.push(part);
      if (begins && episode?.exhausted) {
        await this.#exhausted(episode, queue.slice(i + 1));
        return;
      }
      const offset = Math.max(this.#from, part.first, episode?.reached ?? 0);
      this.request.progress?.({ offset, bytes: this.log.reader.bytes });
    }
    await this.#close(episode);
  }

  /** More can come again than a look may read, as where records of several runs take turns: the next one goes on from there. */
  async #exhausted(episode: Episode, following: readonly RunPart[]): Promise<void> {
    const to = episode.reached;
    await this.#close(episode);
    for (const part of following) {
      if (part.first >= to) continue;
      this.#seen(part);
      this.#parts.push(part);
    }
    this.#parts = this.#parts.filter(({ first }) => first < to).sort((a, b) => a.first - b.first);
    for (const part of this.#parts) {
      if (part.end > to) cutAt(part, to);
    }
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
      countFrom: this.#countFrom,
    };
    const before = [...this.#parts, ...(episode?.within ?? [])].sort((a, b) => a.first - b.first);
    const last = queue.findLast(({ runId }, j) => j >= i && runId !== null && runId === part.runId) ?? part;
    episode ??= new Episode(this.log, limits);
    const tooMuch = await episode.begin(part, before, last);
    if (tooMuch) {
      if (going === episode) await this.#close(episode);
      await this.#byPosition(queue, i, before, { lanes: tooMuch, searchBytes: limits.searchBytes });
      return null;
    }
    if (this.#begun < 0 || going !== episode) this.#begun = part.first;
    // What lies before the range was read before, and is no progress.
    const nextStart = queue[i + 1]?.first ?? Number.POSITIVE_INFINITY;
    do await episode.walk(to, this.#walkBytes() + limits.searchBytes, nextStart);
    while (episode.exhausted && episode.reached <= this.#from);
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
    for (const fall of found.falls)
      if (fall.record.offset >= this.#countFrom)
        this.falls.push(await fallOf(this.log, this.request.topic, fall));
    const fall = found.falls.at(-1);
    // What was reached before a fall belongs to another history.
    if (fall) this.#parts = this.#parts.filter(({ first }) => first >= fall.part.first);
    this.#parts = [...this.#parts, ...found.within].sort((a, b) => a.first - b.first);
    // It is measured again as a whole with what follows, where that can be read; else the rest of it by itself.
    const { reached, exhausted } = episode;
    const large = this.log.reader.bytesOf(2 * (reached - this.#begun)) > this.request.maxBytes;
    this.#open = found.open ? { from: exhausted || large ? reached : this.#begun } : this.#openAtEnd();
    this.#search = found.search;
  }

  /** Too much to be read from both sides. Runs that take turns are looked for at its beginning, and behind what came again. */
  async #byPosition(queue: RunPart[], i: number, before: readonly RunPart[], of: TooMuch): Promise<void> {
    const part = queue[i] as RunPart;
    await this.#findTurns(queue, i, part.first, of.searchBytes);
    let lanes = of.lanes;
    let counted: CountedByPosition;
    for (let known = 0; ; ) {
      const end =
        queue.findLast(({ runId }, j) => j >= i && runId !== null && runId === part.runId)?.end ?? part.end;
      counted = await countByPosition(this.log, { ...part, end }, before, lanes, this.#countFrom);
      const turns = queue.filter(
        ({ first, runId }, j) => j > i && first < counted.to && runId !== part.runId,
      );
      if (turns.length === known) break;
      // What others wrote meanwhile can come again too.
      known = turns.length;
      const marks = (lane: string) => this.log.marksOf([...before, ...turns], lane);
      lanes = await Promise.all(lanes.map(async (one) => ({ ...one, marks: await marks(one.lane) })));
    }
    if (counted.replay) this.#found(counted.replay);
    // What others wrote behind its last copy was not counted with it, also where the run itself passed all only later.
    this.#countedTo = counted.replay ? counted.replay.lastOffset + 1 : part.first;
    this.#open = counted.to >= this.to ? { from: counted.to } : this.#openAtEnd();
    this.#search = null;
    if (counted.to < this.to) await this.#findTurns(queue, i, counted.to, of.searchBytes);
  }

  /** Reads on whole from a place: runs that were not known to write there take turns with those that were. */
  async #findTurns(queue: RunPart[], i: number, at: number, bytes: number): Promise<void> {
    const end = Math.min(this.to, at + this.#offsetsOf(bytes));
    const { parts } = await findParts(this.log, at, end, { starts: [], wholeTo: end });
    queue.splice(i, queue.length, ...withTurns(queue.slice(i), at, end, parts));
  }

  /** What was counted by position up to the end may go on there, whatever others wrote behind its last copy. */
  #openAtEnd(): WriterState["open"] {
    return this.#open && this.#open.from >= this.to ? this.#open : null;
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
    cutAt(of, at);
    queue.splice((within < 0 ? i : within) + 1, 0, ...parts);
  }

  #evidence({ runBefore, runAfter }: WalkedReplay): FoundReplay["evidence"] {
    if (runAfter === null) return this.limits.starts.length > 0 ? "restart-time" : "samples";
    return runBefore !== runAfter ? "run-id" : "whole";
  }

  #seen(part: RunPart): void {
    const { runId, taskId, first, at } = part;
    if (part === this.#rest || first < this.#countFrom) return;
    if (runId !== null && this.#parts.some((other) => other.runId === runId)) return;
    this.runs.push({ runId, taskId, firstOffset: first, at: recordTime(at) });
  }

  /** What one walk may read: the look's own bytes, and a replay both times. */
  #walkBytes(): number {
    return Math.max(0, this.request.maxBytes - this.log.reader.bytes) + 2 * this.limits.identityBytes;
  }

  #searchBytes(to: number, starts: number): number {
    const { reader } = this.log;
    const [{ first } = { first: 0 }] = this.#parts;
    return searchBytesOf(reader.bytesOf(to - first), starts);
  }

  #offsetsOf(bytes: number): number {
    return Math.ceil(bytes / Math.max(1, this.log.reader.bytesOf(1_000) / 1_000));
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
