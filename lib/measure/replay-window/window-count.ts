import type { ByPosition, WindowNote } from "@/lib/observed/replay-window";
import type { Coverage } from "./coverage";
import { type EdgeAmount, EdgeCount } from "./window-count-edge";
import { IdSet } from "./window-count-ids";
import { type CountBy, PartitionCount, type Shared } from "./window-count-partition";

/** Identities kept to tell copies apart: 16 MiB at most. */
const mostIds = 1_000_000;

/** What was counted; `at`, and what the reading took, belong to the reader. */
export type Counted = Omit<ByPosition, "at" | "partitions" | "probes" | "bytesRead">;

/** Records that were not read, and are counted by their offsets. */
interface Unread {
  records: number;
  /** Why, one sentence with their number. */
  note: WindowNote;
}

/**
 * Counts what would be sent again of one connector, over its partitions: distinct changes that the committed offset does
 * not cover, the tombstones that go with them, and rows of a running incremental snapshot.
 */
export class WindowCount {
  readonly #shared: Shared;
  #partitions: PartitionCount[] = [];
  readonly #notes: WindowNote[] = [];
  #unread = 0;
  #mayBeMore = false;

  constructor(coverage: Coverage, limits: { ids?: number } = {}) {
    const edges = coverage.edge === null ? null : new EdgeCount(coverage.edge, coverage.kind);
    this.#shared = { coverage, ids: new IdSet(limits.ids ?? mostIds), edges };
  }

  /** Begins the count of one partition. @param reReadsFrom its place by time */
  partition(topic: string, by: CountBy, reReadsFrom: number): PartitionCount {
    const count = new PartitionCount(topic, by, reReadsFrom, this.#shared);
    this.#partitions.push(count);
    return count;
  }

  /** Takes out a count that begins again. Not of one by `distinct`, whose identities stay known. */
  forget(count: PartitionCount): void {
    this.#partitions = this.#partitions.filter((one) => one !== count);
    this.#shared.edges?.forget(count);
  }

  /** These records are counted as if each were an event that is sent again. */
  unread({ records, note }: Unread): void {
    if (records <= 0) return;
    this.#unread += records;
    this.#notes.push(note);
  }

  /** Something that would be sent again may not have been seen. */
  mayBeMore(note: WindowNote): void {
    this.#mayBeMore = true;
    this.#notes.push(note);
  }

  /** @param bytesPerRecord what a record takes in the log, for those not read; null: not known */
  result(bytesPerRecord: number | null): Counted {
    const total = {
      events: 0,
      tombstones: 0,
      reReads: 0,
      bytes: 0,
      foreign: 0,
      unordered: 0,
      unidentified: 0,
    };
    const edge = this.#shared.edges?.resolve() ?? null;
    for (const part of this.#partitions) {
      for (const key of Object.keys(total) as (keyof typeof total)[]) total[key] += part[key];
    }
    const events = total.events + (edge?.events ?? 0) + this.#unread;
    const notes = [...this.#notes, ...this.#doubts(total), ...(edge?.note ? [edge.note] : [])];
    const over = this.#unread + total.unordered + total.unidentified > 0 || (edge?.note ?? null) !== null;
    const slot = this.#slotNote(events, over || this.#mayBeMore);
    return {
      events,
      tombstones: total.tombstones + (edge?.tombstones ?? 0),
      reReads: total.reReads,
      bytes: Math.round(total.bytes + (edge?.bytes ?? 0) + this.#unread * (bytesPerRecord ?? 0)),
      spanMs: this.#spanMs(edge),
      bound: boundOf(over || slot !== null, this.#mayBeMore),
      unread: this.#unread,
      notes: [...notes, ...(slot === null ? [] : [slot]), ...this.#remarks(total.foreign)],
    };
  }

  /**
   * From the first event to the last. Those of the edge that may be covered are from before the commit, which can be long
   * past: they are left out unless nothing else was counted.
   */
  #spanMs(edge: EdgeAmount | null): number | null {
    const sure = edge === null || edge.note !== null ? this.#partitions : [...this.#partitions, edge];
    return spanOf(sure) ?? (edge === null ? null : spanOf([edge]));
  }

  /** Why it may be fewer. */
  #doubts(total: { unordered: number; unidentified: number }): WindowNote[] {
    const notes: WindowNote[] = [];
    const first = (of: "unorderedWhy" | "unidentifiedWhy") =>
      this.#partitions.find((part) => part[of] !== null)?.[of] ?? "";
    if (total.unordered > 0) {
      const text = `Whether ${total.unordered} of them are covered cannot be told, and they are counted: ${first("unorderedWhy")}`;
      notes.push({ slug: "unordered", text });
    }
    if (total.unidentified > 0) {
      const text = `Copies among ${total.unidentified} of them cannot be told apart, and each is counted: ${first("unidentifiedWhy")}`;
      notes.push({ slug: "not-identified", text });
    }
    return notes;
  }

  /** PostgreSQL goes on from its slot where that is ahead of the offset. Not said of what is unsure already. */
  #slotNote(events: number, unsure: boolean): WindowNote | null {
    if (this.#shared.coverage.type !== "postgresql" || events === 0 || unsure) return null;
    const text =
      "A restart goes on from the replication slot, which can be a little ahead of the offset: then fewer are sent again.";
    return { slug: "slot-may-be-ahead", text };
  }

  /** What does not change the figure. */
  #remarks(foreign: number): WindowNote[] {
    const notes: WindowNote[] = [];
    const caveat = this.#partitions.find((part) => part.caveat !== null)?.caveat ?? null;
    if (caveat !== null)
      notes.push({ slug: "alike", text: `${caveat} Those of one run are told apart by their number.` });
    if (foreign > 0) {
      const text = `${foreign} events of other connectors lie in the same topics and are not counted.`;
      notes.push({ slug: "other-connector", text });
    }
    return notes;
  }
}

/** Milliseconds over all of them; null when they hold no event. */
function spanOf(parts: readonly { firstAt: number; lastAt: number }[]): number | null {
  const firstAt = Math.min(...parts.map((part) => part.firstAt));
  const lastAt = Math.max(...parts.map((part) => part.lastAt));
  return lastAt >= firstAt ? lastAt - firstAt : null;
}

/** @param over it may be fewer @param under it may be more */
function boundOf(over: boolean, under: boolean): ByPosition["bound"] {
  if (over) return under ? "about" : "at-most";
  return under ? "at-least" : "exact";
}
