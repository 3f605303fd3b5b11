import type { DeliveredRecord } from "@/lib/debezium/events/delivered-record";
import { IdentityWalk, type Sighting } from "@/lib/measure/duplicates/identity-walk";
import type { Marks, Reached } from "@/lib/measure/duplicates/marks";
import type { WalkedReplay } from "@/lib/measure/duplicates/open-replay";
import type { RunPart } from "@/lib/measure/duplicates/run-parts";
import { SeenIdentities } from "@/lib/measure/duplicates/seen-identities";
import { EpisodeStart } from "./episode-start";
import { inOrder, type LaneStart, laneStart, type Stretch } from "./lane-start";
import type { WriterLog } from "./writer-log";

/** Records of a run that was taken for dead can follow for so long, by record time in milliseconds. */
const SEARCH_MS = 60_000;
/** Identities that one episode may remember: 60 MB. */
const MOST_IDENTITIES = 2_000_000;

export interface EpisodeLimits {
  /** Bytes that one start may take to be counted by identity, read from both sides. */
  identityBytes: number;
  /** Bytes after a start, or after what it produced again, that are looked through for records of earlier runs. */
  searchBytes: number;
  /** Copies before this offset are not counted: they lie before what is measured. */
  countFrom: number;
}

/** Where a search for records of earlier runs began, and how far it goes: by record time, and by offsets. */
interface Search {
  offset: number;
  until: number;
  offsets: number;
}

/** A start of which more came than its run was thought to have written, and at which offset. */
interface Lacking {
  start: EpisodeStart;
  at: number;
}

/** What one episode brought. */
export interface EpisodeFound {
  replays: WalkedReplay[];
  /** First changes that stand not above what was reached, and nothing of what follows them had been delivered before. */
  falls: { record: DeliveredRecord; before: Reached; part: RunPart }[];
  /** What the last start produces again may go on behind where the walk stopped. */
  open: boolean;
  /** What of the search for earlier runs is left behind it. */
  search: { until: number; bytes: number } | null;
  /** Parts of earlier runs that lie within. */
  within: RunPart[];
  unreadable: DeliveredRecord[];
  /** Changes of aborted transactions around the starts that were delivered as well, or aborted more than once. */
  uncommittedCopies: number;
}

/**
 * Starts of runs that follow closely upon one another, read whole: from the first start on, until the last run has passed all
 * that was reached before it, and on for a while, since a run that was taken for dead may still write. What came before is
 * read as far as the runs can have produced it again. Exact by identity.
 */
export class Episode {
  /** Every record from the first start up to here was looked at. */
  reached = 0;
  /** Where it stopped: the first record of a run that was not known to begin there. */
  newRun: DeliveredRecord | null = null;
  /** The bytes were used up before all that can have come again was seen. */
  exhausted = false;

  readonly #seen = new SeenIdentities(MOST_IDENTITIES);
  /** Of what lies before the first start, and shares what it has seen with the walk. */
  readonly #memory = new IdentityWalk(null, { ...remembers, seen: this.#seen });
  readonly #remembered: { from: number; to: number }[] = [];
  /** What was reached before the first start, by lane. */
  readonly #before = new Map<string, Marks>();
  readonly #known = new Set<string | null>();
  readonly #starts: EpisodeStart[] = [];
  readonly #within = new Map<string, RunPart>();
  readonly #unreadable: DeliveredRecord[] = [];
  /** Identities of aborted transactions, and how many changes they had. */
  readonly #aborted = new SeenIdentities(MOST_IDENTITIES / 2);
  #abortedChanges = 0;
  #walk: IdentityWalk | null = null;
  #search: Search | null = null;
  #to = 0;
  /** Nothing that follows can be part of it. */
  #over = false;

  constructor(
    private readonly log: WriterLog,
    private readonly limits: EpisodeLimits,
  ) {}

  /** Whether one more start finds room. */
  get hasRoom(): boolean {
    return this.#seen.size < MOST_IDENTITIES / 2;
  }

  /** Parts of earlier runs that were found within so far. */
  get within(): readonly RunPart[] {
    return [...this.#within.values()];
  }

  /**
   * A run begins: where it was last walked to, or where the episode does. What it can have produced again is read.
   * @param before all parts before it that are known, oldest first
   * @param last the last part of the same run: `part` itself, but where two that write side by side take turns
   * @returns where it begins in each lane; null when there is too much to be read: nothing was changed then
   * @throws LogReadError, RecordsGone, NothingNear
   */
  async begin(part: RunPart, before: readonly RunPart[], last: RunPart): Promise<LaneStart[] | null> {
    const lanes = await this.#lanes(part, before, last);
    const again = lanes.filter(({ standing }) => standing !== "above");
    const stretches = inOrder(again.flatMap(({ stretches: of }) => of));
    const offsets = stretches.reduce((sum, { from, to }) => sum + to - from, 0);
    if (this.log.reader.bytesOf(2 * offsets) > this.limits.identityBytes || offsets > MOST_IDENTITIES / 2)
      return again;
    for (const stretch of stretches) await this.#remember(stretch);
    const first = this.#walk === null;
    this.#walk ??= new IdentityWalk(null, {
      ...remembers,
      countFrom: this.#countFrom(part),
      seen: this.#seen,
    });
    if (first) {
      this.reached = part.first;
      // Where only the rest of a run is measured, the part before is its own.
      await this.#lastBefore(before.findLast(({ runId }) => runId !== part.runId) ?? before.at(-1) ?? null);
      for (const lane of this.log.lanes) this.#before.set(lane, await this.log.marksOf(before, lane));
      if (this.log.reader.transactional) await this.#abortedBefore(part.first);
    }
    for (const { runId } of before) this.#known.add(runId);
    this.#known.add(part.runId);
    this.#starts.push(new EpisodeStart(part, again, this.#countFrom(part)));
    this.newRun = null;
    this.#search = null;
    return null;
  }

  /** Walks on until a run begins that is not known, or all that can have come again was seen. @throws LogReadError, RecordsGone */
  async walk(to: number, maxBytes: number): Promise<void> {
    this.#to = to;
    const { reader } = this.log;
    const start = reader.bytes;
    for (;;) {
      let lacking: Lacking | null = null;
      const take = (record: DeliveredRecord) => {
        lacking = this.#lacking(record);
        return lacking === null && this.#take(record);
      };
      const left = Math.max(1, maxBytes - (reader.bytes - start));
      this.#over = false;
      const next = await reader.walk(this.reached, to, left, take, (record) => this.#abort(record));
      const more = lacking as Lacking | null;
      this.reached = more?.at ?? this.newRun?.offset ?? next;
      if (!more) {
        this.exhausted = next < to && this.newRun === null && !this.#over;
        return;
      }
      for (const stretch of inOrder(more.start.rests())) await this.#remember(stretch);
    }
  }

  told(): EpisodeFound {
    let replays = this.#walk?.replays() ?? [];
    for (const start of this.#starts) replays = start.withLost(replays);
    const last = this.#starts.at(-1);
    const stopped = this.exhausted || (this.reached >= this.#to && this.newRun === null);
    const search = stopped ? this.#search : null;
    const offsets = search && Math.max(0, search.offsets - (this.reached - search.offset));
    return {
      replays,
      falls: this.#starts.flatMap((start) => {
        const fall = start.fall(start !== last || this.newRun !== null);
        return fall ? [{ ...fall, part: start.part }] : [];
      }),
      open: stopped && last?.isOpen === true,
      search: search && { until: search.until, bytes: this.log.reader.bytesOf(offsets ?? 0) },
      within: [...this.#within.values()],
      unreadable: this.#unreadable,
      uncommittedCopies: this.#abortedChanges - this.#aborted.without(this.#seen),
    };
  }

  #countFrom({ first }: RunPart): number {
    return Math.max(first, this.limits.countFrom);
  }

  /** The lanes that the run writes and that were written before, each with where it begins. */
  async #lanes(part: RunPart, before: readonly RunPart[], last: RunPart): Promise<LaneStart[]> {
    const first = await this.log.firstChange(part);
    if (first === null) return [];
    const starts = [await laneStart(this.log, before, last, first)];
    for (const lane of this.log.lanes) {
      if (lane === first.lane) continue;
      const marks = await this.log.marksOf(before, lane);
      const of = marks.reached.length === 0 ? null : await this.log.firstChange(part, lane);
      if (of) starts.push(await laneStart(this.log, before, last, of));
    }
    return starts;
  }

  async #remember(stretch: Stretch): Promise<void> {
    const end = this.#walk === null ? stretch.to : Math.min(stretch.to, this.#begun());
    const parts = without({ from: stretch.from, to: end }, this.#remembered);
    for (const { from, to } of parts) {
      await this.log.reader.walk(from, to, Number.POSITIVE_INFINITY, (record) => {
        if (this.log.belongs(record)) this.#memory.add(record);
      });
      this.#remembered.push({ from, to });
    }
  }

  /** Where the walk began: what follows it has seen. */
  #begun(): number {
    return this.#starts[0]?.part.first ?? Number.POSITIVE_INFINITY;
  }

  /** The change right before the first start tells the walk which run that was. */
  async #lastBefore(part: RunPart | null): Promise<void> {
    if (!part) return;
    const ends = [...(await this.log.endsOf(part)).values()].sort((a, b) => a.offset - b.offset);
    for (const { offset } of ends) {
      if (offset < this.log.reader.earliest) continue;
      const record = await this.log.reader.first(offset, offset + 1, this.log.changeOf(part));
      if (record) this.#walk?.add(record);
    }
  }

  /** The run before died in a transaction: what it had sent of it lies right before the start. */
  async #abortedBefore(offset: number): Promise<void> {
    const { reader } = this.log;
    for (const record of await reader.abortedBefore(reader.earliest, offset)) this.#abort(record);
  }

  #abort(record: DeliveredRecord): void {
    const { kind, identity } = record;
    if (kind !== "change" || identity === null || !this.log.belongs(record)) return;
    if (record.offset < this.limits.countFrom) return;
    this.#abortedChanges += 1;
    this.#aborted.add(identity, record);
  }

  #lacking(record: DeliveredRecord): Lacking | null {
    if (record.kind !== "change" || !this.log.belongs(record)) return null;
    const start = this.#startOf(record);
    return start?.lacks(record) ? { start, at: record.offset } : null;
  }

  #take(record: DeliveredRecord): boolean {
    if (!this.log.belongs(record)) return true;
    if (this.#isNewRun(record)) {
      this.newRun = record;
      return false;
    }
    if (record.kind === "unreadable") this.#unreadable.push(record);
    const sighting = this.#walk?.add(record) ?? "none";
    if (record.kind === "change") this.#look(record, sighting);
    this.#over = this.#search !== null && this.#isOver(record, this.#search);
    return !this.#over;
  }

  #isNewRun(record: DeliveredRecord): boolean {
    if (!this.log.bearsRun(record)) return false;
    const part = this.#starts.at(-1)?.part;
    // Without run ids a part ends where positions fall again.
    if (record.runId === null && part?.runId === null) return record.offset >= part.end;
    return !this.#known.has(record.runId) || this.#comesAgain(record);
  }

  /** A run that had begun before goes on, and not above all that was reached: what it can produce again is not remembered. */
  #comesAgain(record: DeliveredRecord): boolean {
    if (record.kind !== "change" || this.#startOf(record)) return false;
    const marks = this.#before.get(record.lane);
    return marks !== undefined && marks.standing(record) !== "above";
  }

  #look(record: DeliveredRecord, sighting: Sighting): void {
    const last = this.#starts.at(-1);
    this.#startOf(record)?.look(record, sighting);
    if (last?.part.runId !== record.runId) this.#earlier(record);
    if (last?.isOpen === false) this.#search ??= this.#searchFrom(record, SEARCH_MS);
  }

  #startOf({ runId }: DeliveredRecord): EpisodeStart | undefined {
    return this.#starts.findLast(({ part }) => part.runId === runId);
  }

  /** Another run than the last one still writes: what follows is looked through for as long again. */
  #earlier(record: DeliveredRecord): void {
    const key = record.runId ?? "";
    const part = this.#within.get(key);
    const { runId, taskId, offset, timestamp, type, position } = record;
    const end = { type, position, offset };
    if (part) {
      part.end = offset + 1;
      part.endsAt = part.end;
      part.ends?.set(record.lane, end);
    } else {
      const ends = new Map([[record.lane, end]]);
      this.#within.set(key, {
        runId,
        taskId,
        first: offset,
        at: timestamp,
        end: offset + 1,
        ends,
        endsAt: offset + 1,
      });
    }
    if (this.#search === null) return;
    const since = timestamp - (this.#starts.at(-1)?.part.at ?? timestamp);
    this.#search = this.#searchFrom(record, Math.max(SEARCH_MS, since));
  }

  #searchFrom({ offset, timestamp }: DeliveredRecord, millis: number): Search {
    const each = Math.max(1, this.log.reader.bytesOf(1_000) / 1_000);
    return {
      offset,
      until: timestamp + millis,
      offsets: Math.max(1, Math.floor(this.limits.searchBytes / each)),
    };
  }

  #isOver({ offset, timestamp }: DeliveredRecord, search: Search): boolean {
    return timestamp > search.until || offset - search.offset >= search.offsets;
  }
}

const remembers = { countFrom: Number.POSITIVE_INFINITY, limit: MOST_IDENTITIES };

/** What of a range lies in none of the others. */
function without(
  { from, to }: { from: number; to: number },
  others: readonly { from: number; to: number }[],
): { from: number; to: number }[] {
  const left: { from: number; to: number }[] = [];
  let at = from;
  for (const other of [...others].sort((a, b) => a.from - b.from)) {
    if (other.from > at && at < to) left.push({ from: at, to: Math.min(to, other.from) });
    at = Math.max(at, other.to);
  }
  if (at < to) left.push({ from: at, to });
  return left;
}
