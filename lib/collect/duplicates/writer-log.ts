import { type DeliveredRecord, deliveredOrder } from "@/lib/debezium/events/delivered-record";
import { Marks, type Reached } from "@/lib/measure/duplicates/marks";
import type { RunPart } from "@/lib/measure/duplicates/run-parts";
import { firstWhere, firstWhereBack } from "@/lib/measure/duplicates/run-steps";
import type { PartitionReader } from "./partition-reader";
import { passBackward, passForward } from "./snapshot-rows";

/** Records that a search for a change goes on behind one that cannot be read. */
const UNREADABLE = 512;

/** One writer's records of a partition, and where its runs stood. */
export class WriterLog {
  /** Lanes that were seen: each has an order of its own. */
  readonly lanes = new Set<string>();

  constructor(
    readonly reader: PartitionReader,
    /** Null: whoever wrote them. */
    readonly writer: string | null,
  ) {}

  /** Whether a record counts here at all: no other writer's, and nothing but a table's events. */
  belongs({ kind, writer }: DeliveredRecord): boolean {
    return kind !== "other" && (this.writer === null || writer === null || writer === this.writer);
  }

  /** Whether it tells which run wrote it: tombstones have no headers. */
  readonly bearsRun = (record: DeliveredRecord): boolean => {
    if (record.kind === "change") this.lanes.add(record.lane);
    return (
      record.kind !== "tombstone" && this.belongs(record) && (this.writer === null || record.writer !== null)
    );
  };

  /** A change of this part's run, of one lane or of any. */
  changeOf(part: Pick<RunPart, "runId">, lane: string | null = null): (record: DeliveredRecord) => boolean {
    return (record) =>
      record.kind === "change" &&
      record.runId === part.runId &&
      this.belongs(record) &&
      (lane === null || record.lane === lane);
  }

  /** Any record of this part's run that tells so. */
  ofRun({ runId }: Pick<RunPart, "runId">): (record: DeliveredRecord) => boolean {
    return (record) => record.runId === runId && this.bearsRun(record);
  }

  /** The last change of a part from `from` on, before `to`. @throws LogReadError, RecordsGone, NothingNear */
  lastChange(
    part: RunPart,
    from: number,
    to: number,
    lane: string | null = null,
  ): Promise<DeliveredRecord | null> {
    const bottom = Math.max(from, this.reader.earliest);
    return this.reader.last(bottom, to, this.changeOf(part, lane), passBackward(this, part, bottom));
  }

  /**
   * The first change of a part; null when it has none. Steps over rows of a snapshot at its beginning, however many.
   * @throws LogReadError, RecordsGone, NothingNear
   */
  async firstChange(part: RunPart, lane: string | null = null): Promise<DeliveredRecord | null> {
    const wanted = this.changeOf(part, lane);
    const from = Math.max(part.first, this.reader.earliest);
    const first = await this.reader.first(from, part.end, this.ofRun(part));
    if (first === null || wanted(first)) return first;
    // Nothing of what can be read stands near: it is another kind of topic.
    if (first.kind === "unreadable")
      return this.reader.first(from, Math.min(part.end, from + UNREADABLE), wanted);
    return this.reader.first(from, part.end, wanted, passForward(this, part, from));
  }

  /**
   * The last change of each lane up to the end of a part, remembered with it. The highest of its run: positions rise within one.
   * @throws LogReadError, RecordsGone, NothingNear
   */
  async endsOf(part: RunPart): Promise<ReadonlyMap<string, Reached>> {
    const from = Math.max(part.endsAt ?? part.first, part.first);
    if (part.ends && part.endsAt === part.end) return part.ends;
    const ends = new Map(part.ends);
    const last = await this.lastChange(part, from, part.end);
    if (last) {
      ends.set(last.lane, last);
      for (const lane of this.lanes) {
        if (lane === last.lane) continue;
        const other = await this.lastChange(part, from, part.end, lane);
        if (other) ends.set(lane, other);
      }
    }
    part.ends = new Map(
      [...ends].map(([lane, { type, position, offset }]) => [lane, { type, position, offset }]),
    );
    part.endsAt = part.end;
    return part.ends;
  }

  /** How far several parts got in one lane. @throws LogReadError, RecordsGone, NothingNear */
  async marksOf(parts: readonly RunPart[], lane: string): Promise<Marks> {
    let marks = new Marks();
    for (const part of parts) {
      const end = (await this.endsOf(part)).get(lane);
      if (end) marks = marks.with(end);
    }
    return marks;
  }

  /**
   * The first record of a part that does not stand before a position, by a search from the part's end backwards; null when all do.
   * @throws LogReadError, RecordsGone, NothingNear
   */
  async notBefore(part: RunPart, lane: string, at: DeliveredRecord): Promise<DeliveredRecord | null> {
    const order = deliveredOrder(at.type);
    const end = (await this.endsOf(part)).get(lane);
    const bottom = Math.max(part.first, this.reader.earliest);
    if (!end || end.offset < bottom) return null;
    const holds = ({ position }: { position: unknown }) => order(position, at.position).order !== "before";
    if (!holds(end)) return null;
    const wanted = this.changeOf(part, lane);
    const high = await this.reader.first(end.offset, end.offset + 1, wanted);
    if (high === null) return null;
    return firstWhereBack(bottom, high, (a, b) => this.reader.first(a, b, wanted), holds);
  }

  /**
   * The offset from which on a part's records of a lane stand above all of `marks`, between `from`, which does not, and the
   * part's end; the end when none does. @throws LogReadError, RecordsGone, NothingNear
   */
  async firstAbove(part: RunPart, lane: string, from: DeliveredRecord, marks: Marks): Promise<number> {
    const wanted = this.changeOf(part, lane);
    const probe = (a: number, b: number) => this.reader.first(a, b, wanted);
    const above = (record: DeliveredRecord) => marks.standing(record) === "above";
    let low = from;
    for (let step = 64; ; step *= 4) {
      const there = await probe(Math.min(part.end, from.offset + step), part.end);
      if (there === null || above(there)) {
        const end = (await this.endsOf(part)).get(lane);
        const last = there ?? (end && (await probe(end.offset, end.offset + 1)));
        if (!last || !above(last)) return part.end;
        return (await firstWhere(low, last, probe, above)).offset;
      }
      low = there;
    }
  }
}
