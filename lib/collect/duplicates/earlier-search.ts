import type { DeliveredRecord } from "@/lib/debezium/events/delivered-record";
import type { RunPart } from "@/lib/measure/duplicates/run-parts";

/** Records of a run that was taken for dead can follow for so long, by record time in milliseconds. */
const SEARCH_MS = 60_000;

/** Where a search began, and how far it goes: by record time, and by offsets. */
interface Search {
  offset: number;
  until: number;
  offsets: number;
}

/** Looks behind a start for what earlier runs still write, and remembers which did. */
export class EarlierSearch {
  readonly #parts = new Map<string, RunPart>();
  #search: Search | null = null;

  /** @param offsets how many it looks through at most, by what is known when it begins */
  constructor(private readonly offsets: () => number) {}

  /** Parts of earlier runs that were found so far. */
  get parts(): RunPart[] {
    return [...this.#parts.values()];
  }

  /** The offset up to which it looks, where it ends by that; null before it has begun. */
  get end(): number | null {
    return this.#search && this.#search.offset + this.#search.offsets;
  }

  /** A further run began. */
  stop(): void {
    this.#search = null;
  }

  /** Begins with a record behind which nothing of the last run can have come again, unless it has begun. */
  begin(record: DeliveredRecord): void {
    this.#search ??= this.#from(record, SEARCH_MS);
  }

  /** A change of another run than the last one: what follows is looked through for as long again. */
  found(record: DeliveredRecord, last: RunPart | undefined): void {
    this.#note(record);
    if (this.#search === null) return;
    const since = record.timestamp - (last?.at ?? record.timestamp);
    this.#search = this.#from(record, Math.max(SEARCH_MS, since));
  }

  isOver({ offset, timestamp }: { offset: number; timestamp: number }): boolean {
    const search = this.#search;
    return search !== null && (timestamp > search.until || offset - search.offset >= search.offsets);
  }

  /** What is left of it behind an offset; null when it has not begun. */
  left(reached: number): { until: number; offsets: number } | null {
    if (this.#search === null) return null;
    const { until, offset, offsets } = this.#search;
    return { until, offsets: Math.max(0, offsets - (reached - offset)) };
  }

  #note({ runId, taskId, offset, timestamp, type, position, lane }: DeliveredRecord): void {
    const known = this.#parts.get(runId ?? "");
    const end = offset + 1;
    const part: RunPart = known ?? { runId, taskId, first: offset, at: timestamp, end, ends: new Map() };
    part.end = end;
    part.endsAt = end;
    part.ends?.set(lane, { type, position, offset });
    this.#parts.set(runId ?? "", part);
  }

  #from({ offset, timestamp }: DeliveredRecord, millis: number): Search {
    return { offset, until: timestamp + millis, offsets: this.offsets() };
  }
}
