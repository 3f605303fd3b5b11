import type { DeliveredRecord } from "@/lib/debezium/events/delivered-record";
import { IdentityWalk } from "@/lib/measure/duplicates/identity-walk";
import type { WalkedReplay } from "@/lib/measure/duplicates/open-replay";
import type { RunPart } from "@/lib/measure/duplicates/run-parts";
import { type LaneStart, laneStart, stretchesOf } from "./lane-start";
import { LostCopies } from "./lost-copies";
import type { WriterLog } from "./writer-log";

/** Records of a run that was taken for dead can follow for so long, by record time in milliseconds. */
export const SEARCH_MS = 60_000;
/** Identities that one start may remember: 30 MB. */
const MOST_IDENTITIES = 1_000_000;
/** So many changes that stand not above what was reached, one after the other, and none was delivered before: another history. */
const MOST_NEW_BELOW = 20_000;

export interface StartLimits {
  /** Bytes that one replay may take to be counted by identity, read from both sides. */
  identityBytes: number;
  /** Bytes after a start, or after what it produced again, that are looked through for records of earlier runs. */
  searchBytes: number;
}

/** What one start of a run brought. */
export interface MeasuredStart {
  replays: WalkedReplay[];
  /** Its first change where it stands not above what was reached, and nothing of it had been delivered before. */
  fall: { record: DeliveredRecord; before: RunPart | null } | null;
  /** Every record up to here was looked at. */
  walkedTo: number;
  /** A record of a run that was not known to begin here. */
  newRun: DeliveredRecord | null;
  /** What it produces again may go on behind the end of the range. */
  open: boolean;
  /** Of the search for earlier runs what is left beyond the end of the range. */
  search: { until: number; bytes: number } | null;
  /** Parts of earlier runs that lie within. */
  within: RunPart[];
  /** Records that could not be read, by why. */
  unreadable: DeliveredRecord[];
}

/**
 * Measures what one run produced again when it began. Reads both sides: from the first record of earlier runs that does not
 * stand before the run's first, and the run from its first on until it has passed all that was reached, and on for a while,
 * since a run that was taken for dead may still write.
 * @param before all parts before it that are known, oldest first; the first may begin earlier than is known
 * @param last the last part of the same run before one of a run that is not known begins; `part` itself, mostly
 * @param to the end of what may be read
 * @throws LogReadError, RecordsGone, NothingNear
 */
export async function measureStart(
  log: WriterLog,
  part: RunPart,
  before: readonly RunPart[],
  last: RunPart,
  to: number,
  limits: StartLimits,
): Promise<MeasuredStart> {
  const first = await log.firstChange(part);
  if (first === null) return nothing(part.first);
  const lanes = await lanesOf(log, part, before, last, first);
  const again = lanes.filter(({ standing }) => standing !== "above");
  const stretches = stretchesOf(again);
  const offsets = stretches.reduce((sum, { from, to: end }) => sum + end - from, 0);
  if (log.reader.bytesOf(2 * offsets) > limits.identityBytes || offsets > MOST_IDENTITIES)
    return byPosition(log, part, before, first, again);
  const walk = new StartWalk(log, part, before, again, limits);
  for (const { from, to: end } of stretches)
    await log.reader.walk(from, end, Number.POSITIVE_INFINITY, (record) => walk.remember(record));
  await walk.rememberLast(before.at(-1) ?? null);
  const next = await log.reader.walk(part.first, to, Number.POSITIVE_INFINITY, (record) => walk.take(record));
  return walk.told(first, next >= to && !walk.stopped, next);
}

function nothing(at: number): MeasuredStart {
  return {
    replays: [],
    fall: null,
    walkedTo: at,
    newRun: null,
    open: false,
    search: null,
    within: [],
    unreadable: [],
  };
}

/** The lanes that the run writes and that were written before, each with where it begins. */
async function lanesOf(
  log: WriterLog,
  part: RunPart,
  before: readonly RunPart[],
  last: RunPart,
  first: DeliveredRecord,
): Promise<LaneStart[]> {
  const starts = [await laneStart(log, before, last, first)];
  for (const lane of log.lanes) {
    if (lane === first.lane) continue;
    const marks = await log.marksOf(before, lane);
    if (marks.reached.length === 0) continue;
    const of = await log.firstChange(part, lane);
    if (of) starts.push(await laneStart(log, before, last, of));
  }
  return starts;
}

/** Where a search for earlier runs began, and how far it goes: by record time, and by offsets. */
interface Search {
  offset: number;
  until: number;
  offsets: number;
}

/** Walks along one start. */
class StartWalk {
  stopped = false;
  #newRun: DeliveredRecord | null = null;
  readonly #walk: IdentityWalk;
  readonly #known: Set<string | null>;
  readonly #left: Set<string>;
  readonly #lost: LostCopies;
  readonly #within = new Map<string, RunPart>();
  readonly #unreadable: DeliveredRecord[] = [];
  #fed = -1;
  #newBelow = 0;
  /** It got above all that was reached. */
  #passed = false;
  #start: DeliveredRecord | null = null;
  /** Where the search for earlier runs began, once all that was reached is passed; then how far it goes. */
  #search: Search | null = null;

  constructor(
    private readonly log: WriterLog,
    private readonly part: RunPart,
    before: readonly RunPart[],
    private readonly again: readonly LaneStart[],
    private readonly limits: StartLimits,
  ) {
    this.#walk = new IdentityWalk(null, { countFrom: part.first, limit: 2 * MOST_IDENTITIES });
    this.#known = new Set([...before.map(({ runId }) => runId), part.runId]);
    this.#left = new Set(again.map(({ lane }) => lane));
    this.#lost = new LostCopies(again);
  }

  remember(record: DeliveredRecord): void {
    if (!this.log.belongs(record) || record.offset <= this.#fed) return;
    if (record.kind !== "change" && record.kind !== "snapshot") return;
    this.#fed = record.offset;
    this.#walk.add(record);
  }

  /** The run right before, though it did not get as far as this one begins. */
  async rememberLast(part: RunPart | null): Promise<void> {
    if (!part) return;
    for (const { offset } of (await this.log.endsOf(part)).values()) {
      if (offset <= this.#fed || offset < this.log.reader.earliest) continue;
      const record = await this.log.reader.first(offset, offset + 1, this.log.changeOf(part));
      if (record) this.remember(record);
    }
  }

  /** False: all that the start can have brought was seen. */
  take(record: DeliveredRecord): boolean {
    if (!this.log.belongs(record)) return true;
    this.#start ??= record;
    if (this.#isNewRun(record)) {
      this.#newRun = record;
      return this.#stop();
    }
    if (record.kind === "unreadable") this.#unreadable.push(record);
    const sighting = this.#walk.add(record);
    if (record.kind === "change") this.#pass(record, sighting);
    return this.#search === null || !this.#isOver(record) || this.#stop();
  }

  told(first: DeliveredRecord, ended: boolean, next: number): MeasuredStart {
    const walked = this.#walk.replays();
    const replays = this.#lost.joined(walked, this.part, this.#passed);
    const below = this.again.some(({ standing }) => standing === "below");
    const fall =
      below && !replays.some(({ runAfter }) => runAfter === this.part.runId) && this.#left.size === 0;
    const search = this.#search;
    return {
      replays,
      fall: fall ? { record: first, before: null } : null,
      walkedTo: this.#newRun?.offset ?? next,
      newRun: this.#newRun,
      open: ended && this.#left.size > 0,
      search:
        ended && search
          ? {
              until: search.until,
              bytes: this.log.reader.bytesOf(Math.max(0, search.offsets - (next - search.offset))),
            }
          : null,
      within: [...this.#within.values()],
      unreadable: this.#unreadable,
    };
  }

  #stop(): false {
    this.stopped = true;
    return false;
  }

  #isNewRun(record: DeliveredRecord): boolean {
    if (!this.log.bearsRun(record)) return false;
    // Without run ids a part ends where positions fall again.
    if (record.runId === null && this.part.runId === null) return record.offset >= this.part.end;
    return !this.#known.has(record.runId);
  }

  #pass(record: DeliveredRecord, sighting: "new" | "copy" | "unknown" | "none"): void {
    if (record.runId !== this.part.runId) {
      this.#earlier(record);
      return;
    }
    if (this.#left.has(record.lane)) {
      const { marks } = this.again.find(({ lane }) => lane === record.lane) as LaneStart;
      const standing = marks.standing(record);
      if (standing === "above") this.#passed = true;
      this.#newBelow = sighting === "new" ? this.#newBelow + 1 : 0;
      const over = standing === "above" || (standing === "unsure" && sighting === "new");
      if (over || this.#newBelow > MOST_NEW_BELOW) this.#left.delete(record.lane);
      else if (sighting === "new") this.#lost.add(record);
    }
    if (this.#left.size === 0) this.#search ??= this.#searchFrom(record, SEARCH_MS, this.limits.searchBytes);
  }

  /** Another run still writes: what follows is looked through for as long again. */
  #earlier(record: DeliveredRecord): void {
    const key = record.runId ?? "";
    const part = this.#within.get(key);
    const end = { type: record.type, position: record.position, offset: record.offset };
    if (part) {
      part.end = record.offset + 1;
      part.endsAt = part.end;
      part.ends?.set(record.lane, end);
    } else {
      const { runId, taskId, offset, timestamp } = record;
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
    const since = record.timestamp - (this.#start?.timestamp ?? record.timestamp);
    this.#search = this.#searchFrom(record, Math.max(SEARCH_MS, since), this.limits.searchBytes);
  }

  #searchFrom(record: DeliveredRecord, millis: number, bytes: number): Search {
    const each = Math.max(1, this.log.reader.bytesOf(1_000) / 1_000);
    return {
      offset: record.offset,
      until: record.timestamp + millis,
      offsets: Math.max(1, Math.floor(bytes / each)),
    };
  }

  #isOver(record: DeliveredRecord): boolean {
    const { offset, until, offsets } = this.#search as Search;
    return record.timestamp > until || record.offset - offset >= offsets;
  }
}

/** Too much to read twice: counted as what stands not above all that was reached. */
async function byPosition(
  log: WriterLog,
  part: RunPart,
  before: readonly RunPart[],
  first: DeliveredRecord,
  again: readonly LaneStart[],
): Promise<MeasuredStart> {
  const [lane] = again;
  if (!lane) return nothing(part.first);
  const end = await log.firstAbove(part, lane.lane, first, lane.marks);
  const last = (await log.reader.last(first.offset, end, log.changeOf(part))) ?? first;
  const replay: WalkedReplay = {
    partition: first.partition,
    firstOffset: first.offset,
    lastOffset: last.offset,
    count: last.offset - first.offset + 1,
    bound: "at-most",
    firstPosition: first.positionText,
    lastPosition: last.positionText,
    firstCopyOf: null,
    lastCopyOf: null,
    runBefore: before.at(-1)?.runId ?? null,
    runAfter: part.runId,
    writer: first.writer,
    at: new Date(Math.max(0, first.timestamp)).toISOString(),
    until: new Date(Math.max(0, last.timestamp)).toISOString(),
    causeInLog: null,
  };
  return { ...nothing(end), replays: [replay], open: end >= part.end };
}
