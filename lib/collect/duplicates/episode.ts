import type { DeliveredRecord } from "@/lib/debezium/events/delivered-record";
import type { LogRecord } from "@/lib/kafka/log/record";
import { IdentityWalk, type Sighting } from "@/lib/measure/duplicates/identity-walk";
import type { Marks, Reached } from "@/lib/measure/duplicates/marks";
import type { WalkedReplay } from "@/lib/measure/duplicates/open-replay";
import type { RunPart } from "@/lib/measure/duplicates/run-parts";
import { SeenIdentities } from "@/lib/measure/duplicates/seen-identities";
import { abortedBefore } from "./aborted-before";
import { EarlierSearch } from "./earlier-search";
import { EpisodeStart } from "./episode-start";
import { inOrder, type LaneStart, laneStart, type Stretch } from "./lane-start";
import { offsetsIn, without } from "./offset-ranges";
import { RisingChanges } from "./rising-changes";
import type { WriterLog } from "./writer-log";

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

/** A start of which more came than its run was thought to have written, and at which offset. */
interface Lacking {
  start: EpisodeStart;
  at: number;
}

/** What is passed over: from which offset on, and whether it has to be read after all. */
interface Passing {
  from: number;
  changes: RisingChanges;
  failed: boolean;
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
  readonly #earlier: EarlierSearch;
  readonly #unreadable: DeliveredRecord[] = [];
  /** Identities of aborted transactions, and how many changes they had. */
  readonly #aborted = new SeenIdentities(MOST_IDENTITIES / 2);
  #abortedChanges = 0;
  #walk: IdentityWalk | null = null;
  #to = 0;
  /** Where what the last run is thought to produce again ends. */
  #expectedTo = 0;
  /** Nothing that follows can be part of it. */
  #over = false;
  #passing: Passing | null = null;
  /** What was passed over had to be read after all: so is what follows. */
  #readsAll = false;

  constructor(
    private readonly log: WriterLog,
    private readonly limits: EpisodeLimits,
  ) {
    this.#earlier = new EarlierSearch(() => this.#searchOffsets());
  }

  /** Whether one more start finds room. */
  get hasRoom(): boolean {
    return this.#seen.size < MOST_IDENTITIES / 2;
  }

  /** Parts of earlier runs that were found within so far. */
  get within(): readonly RunPart[] {
    return this.#earlier.parts;
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
    const offsets = offsetsIn(stretches);
    if (!this.#fits(offsets)) return again;
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
      // The run before died in a transaction: what it had sent of it lies right before the start.
      if (this.log.reader.transactional)
        for (const record of await abortedBefore(this.log.reader, part.first)) this.#abort(record);
    }
    for (const { runId } of before) this.#known.add(runId);
    this.#known.add(part.runId);
    this.#starts.push(new EpisodeStart(part, again, this.#countFrom(part)));
    this.newRun = null;
    this.#earlier.stop();
    this.#expectedTo = part.first + offsets;
    return null;
  }

  /**
   * Walks on until a run begins that is not known, or all that can have come again was seen.
   * @param nextStart where the next run begins that is known
   * @throws LogReadError, RecordsGone
   */
  async walk(to: number, maxBytes: number, nextStart: number): Promise<void> {
    this.#to = to;
    const { reader } = this.log;
    const start = reader.bytes;
    for (;;) {
      let lacking: Lacking | null = null;
      const take = (record: DeliveredRecord) => {
        if (this.#passing?.failed) return false;
        lacking = this.#lacking(record);
        return lacking === null && this.#take(record, nextStart);
      };
      const left = Math.max(1, maxBytes - (reader.bytes - start));
      this.#over = false;
      const next = await reader.walk(this.reached, to, left, take, {
        aborted: (record) => this.#abort(record),
        passes: (record) => this.#passes(record),
        wanted: () => this.#earlier.end ?? this.#expectedTo + this.#searchOffsets(),
      });
      const more = lacking as Lacking | null;
      const again = this.#passing?.failed ? this.#passing.from : null;
      this.reached = again ?? more?.at ?? this.newRun?.offset ?? next;
      if (again !== null) {
        this.#passing = null;
        this.#readsAll = true;
      } else if (more) await this.#rememberRests(more.start);
      else {
        this.exhausted = next < to && this.newRun === null && !this.#over;
        return;
      }
    }
  }

  told(): EpisodeFound {
    let replays = this.#walk?.replays() ?? [];
    for (const start of this.#starts) replays = start.withLost(replays);
    const last = this.#starts.at(-1);
    const stopped = this.exhausted || (this.reached >= this.#to && this.newRun === null);
    const search = stopped ? this.#earlier.left(this.reached) : null;
    return {
      replays,
      falls: this.#starts.flatMap((start) => {
        const fall = start.fall(start !== last || this.newRun !== null);
        return fall ? [{ ...fall, part: start.part }] : [];
      }),
      open: stopped && last?.isOpen === true,
      search: search && { until: search.until, bytes: this.log.reader.bytesOf(search.offsets) },
      within: this.#earlier.parts,
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
      const take = (record: DeliveredRecord) => {
        if (this.log.belongs(record)) this.#memory.add(record);
      };
      await this.log.reader.walk(from, to, Number.POSITIVE_INFINITY, take, { wanted: () => to });
      this.#remembered.push({ from, to });
    }
  }

  /** Of a run that went on behind what was remembered for it; by position alone where that is too much. */
  async #rememberRests(start: EpisodeStart): Promise<void> {
    const rests = inOrder(start.rests());
    if (!this.#fits(offsetsIn(rests))) start.countByPosition();
    else for (const stretch of rests) await this.#remember(stretch);
  }

  /** Whether so many offsets can be read from both sides, and remembered. */
  #fits(offsets: number): boolean {
    const room = Math.min(MOST_IDENTITIES / 2, MOST_IDENTITIES - this.#seen.size);
    return this.log.reader.bytesOf(2 * offsets) <= this.limits.identityBytes && offsets <= room;
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

  #take(record: DeliveredRecord, nextStart: number): boolean {
    if (!this.log.belongs(record)) return true;
    if (this.#isNewRun(record)) {
      this.newRun = record;
      return false;
    }
    if (record.kind === "unreadable") this.#unreadable.push(record);
    const sighting = this.#walk?.add(record) ?? "none";
    if (record.kind === "change") this.#look(record, sighting);
    this.#over = this.#earlier.isOver(record);
    if (sighting === "new" && this.#canPass(record, nextStart))
      this.#passing = { from: record.offset + 1, changes: new RisingChanges(record), failed: false };
    return !this.#over;
  }

  /** Whether what follows need not be read in full while its positions rise: nothing of it can have been delivered before. */
  #canPass(record: DeliveredRecord, nextStart: number): boolean {
    const { end, parts } = this.#earlier;
    if (this.#readsAll || end === null || end > nextStart || parts.length > 0) return false;
    // Aborted changes count where they were delivered as well.
    if (!RisingChanges.follow(record) || this.log.reader.transactional) return false;
    if (this.#starts.at(-1)?.part.runId !== record.runId) return false;
    return (
      this.#before.get(record.lane)?.standing(record) === "above" &&
      this.#starts.every((start) => start.isBelow(record))
    );
  }

  #passes(record: LogRecord): boolean {
    const passing = this.#passing;
    if (passing === null || passing.failed) return false;
    passing.failed = !passing.changes.passes(record);
    return !passing.failed && !this.#earlier.isOver(record);
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
    if (last?.part.runId !== record.runId) this.#earlier.found(record, last?.part);
    if (last?.isOpen === false) this.#earlier.begin(record);
  }

  #startOf({ runId }: DeliveredRecord): EpisodeStart | undefined {
    return this.#starts.findLast(({ part }) => part.runId === runId);
  }

  #searchOffsets(): number {
    const each = Math.max(1, this.log.reader.bytesOf(1_000) / 1_000);
    return Math.max(1, Math.floor(this.limits.searchBytes / each));
  }
}

const remembers = { countFrom: Number.POSITIVE_INFINITY, limit: MOST_IDENTITIES };
