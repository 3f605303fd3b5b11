import { runStart } from "@/lib/debezium/events/run-context";
import type { PositionKind } from "@/lib/debezium/positions/position";
import type { WindowNote } from "@/lib/observed/replay-window";
import type { EdgeRule } from "./coverage-edge";

/** An event at the offset's own place, or one of its copies. */
export interface EdgeEvent {
  /** Whose count it belongs to. */
  of: object;
  /** Its number in its transaction, from 1; NaN when it has none. */
  ordinal: number;
  /** Run of the task that sent it; null when not known. */
  run: string | null;
  position: unknown;
  /** Hash of its identity; null when it was sent by the only run there is, or has none. */
  id: number | null;
  timestamp: number;
  /** With its tombstones. */
  bytes: number;
  tombstones: number;
}

/** Those of the edge that would be sent again. */
export interface EdgeAmount {
  events: number;
  tombstones: number;
  bytes: number;
  firstAt: number;
  lastAt: number;
  /** Why it may be more than will be; null when it is exact. */
  note: WindowNote | null;
}

/** Events kept to be told apart at the end. A transaction has more of them only when it is a large one. */
const mostKept = 20_000;

/**
 * Counts the events at the offset's own place over all partitions, and tells at the end which of them are covered: only
 * then is it known how many there are and which runs sent them.
 */
export class EdgeCount {
  #kept: EdgeEvent[] = [];
  /** Of those beyond. */
  readonly #runs = new Set<string | null>();
  /** Beyond those kept: all, and those that their numbers tell to be sent again. */
  #more = 0;
  #moreAgain = 0;
  #moreBytes = 0;
  readonly #sent: number | null;

  constructor(
    readonly rule: EdgeRule,
    readonly kind: PositionKind<unknown>,
  ) {
    this.#sent = rule.sent;
  }

  add(event: EdgeEvent): void {
    if (this.#kept.length < mostKept) {
      this.#kept.push(event);
      return;
    }
    this.#runs.add(event.run);
    this.#more += 1;
    this.#moreBytes += event.bytes;
    if (!(event.ordinal <= (this.#sent ?? -1))) this.#moreAgain += 1;
  }

  /** Takes out what one count had added, since it begins again. Those beyond the bound stay: then it is too much. */
  forget(of: object): void {
    this.#kept = this.#kept.filter((event) => event.of !== of);
  }

  resolve(): EdgeAmount {
    const distinct = distinctOf(this.#kept);
    if (this.rule.by === "lsn") return this.#byCount(distinct);
    if (this.#sent === null) return this.#all(distinct, noMetadata(distinct.length + this.#more));
    return this.#areOfOneRun ? this.#byOrdinal(this.#sent, distinct) : this.#byPlace(this.#sent, distinct);
  }

  get #areOfOneRun(): boolean {
    const runs = new Set([...this.#runs, ...this.#kept.map(({ run }) => run)]);
    return runs.size === 0 || (runs.size === 1 && !runs.has(null));
  }

  /**
   * One run numbered them all. A changed primary key makes two events of one row, a delete and an insert: once the first is
   * sent the offset skips the row (BinlogOffsetContext.setRowNumber), so the second is not sent again either.
   */
  #byOrdinal(sent: number, distinct: readonly EdgeEvent[]): EdgeAmount {
    const last = this.#kept.find(({ ordinal }) => ordinal === sent);
    // No more than the one: in a compressed transaction other rows can share a position.
    const isPair = (event: EdgeEvent) => event.ordinal === sent + 1 && this.#areOfOneRow(event, last);
    const again = distinct.filter((event) => !(event.ordinal <= sent) && !isPair(event));
    const unnumbered = again.filter(({ ordinal }) => Number.isNaN(ordinal)).length;
    const amount = amountOf(again, unnumbered > 0 ? noMetadata(unnumbered) : null);
    const bytes = this.#more === 0 ? 0 : (this.#moreBytes * this.#moreAgain) / this.#more;
    return { ...amount, events: amount.events + this.#moreAgain, bytes: amount.bytes + bytes };
  }

  /**
   * A restart inside the transaction numbers what it still sends from 1 again (TransactionContext.beginTransaction), so a
   * number counts in its own run only. The last event covered is the one that the run which wrote the offset numbered
   * `sent`: what lies behind its place is sent again. Of several such places the lowest is taken.
   */
  #byPlace(sent: number, distinct: readonly EdgeEvent[]): EdgeAmount {
    if (sent === 0 && this.#more === 0) return amountOf(distinct, null);
    const last = this.#kept.filter(({ ordinal, run }) => ordinal === sent && this.#mayHaveWritten(run));
    const [one, ...others] = last;
    if (one === undefined || this.#more > 0) return this.#all(distinct, restartedInside(distinct.length));
    const cut = others.reduce((low, event) => (this.#after(low, event) ? event : low), one);
    const differ = last.some((event) => this.#after(event, cut));
    const again = distinct.filter((event) => this.#after(event, cut));
    return amountOf(again, differ ? restartedInside(again.length) : null);
  }

  /** A run cannot have written an offset before it began. */
  #mayHaveWritten(run: string | null): boolean {
    const began = run === null ? null : runStart(run);
    return began === null || this.rule.committedAt === null || began <= this.rule.committedAt;
  }

  #areOfOneRow(a: EdgeEvent, b: EdgeEvent | undefined): boolean {
    return b !== undefined && this.kind.order(a.position, b.position).order === "equal";
  }

  #after(a: EdgeEvent, b: EdgeEvent): boolean {
    return this.kind.order(a.position, b.position).order === "after";
  }

  /** The first `sent` in the order of sending are covered; the time of sending tells it across partitions. */
  #byCount(distinct: readonly EdgeEvent[]): EdgeAmount {
    const covered = Math.min(this.#sent ?? 0, distinct.length);
    const again = distinct.toSorted((a, b) => a.timestamp - b.timestamp).slice(covered);
    const amount = amountOf(again, null);
    const unknown = this.#kept.some(({ id }) => id === null) && !this.#areOfOneRun;
    const note = unknown ? sharedLsn(again.length) : null;
    return {
      ...amount,
      note,
      events: amount.events + this.#more,
      bytes: amount.bytes + this.#moreBytes,
    };
  }

  #all(distinct: readonly EdgeEvent[], note: WindowNote): EdgeAmount {
    const amount = amountOf(distinct, note);
    return { ...amount, events: amount.events + this.#more, bytes: amount.bytes + this.#moreBytes };
  }
}

/** The first copy of each. */
function distinctOf(events: readonly EdgeEvent[]): EdgeEvent[] {
  const known = new Set<number>();
  return events.filter(({ id }) => {
    if (id === null) return true;
    if (known.has(id)) return false;
    known.add(id);
    return true;
  });
}

function amountOf(events: readonly EdgeEvent[], note: WindowNote | null): EdgeAmount {
  const amount: EdgeAmount = {
    events: events.length,
    tombstones: 0,
    bytes: 0,
    firstAt: Number.POSITIVE_INFINITY,
    lastAt: Number.NEGATIVE_INFINITY,
    note: events.length > 0 ? note : null,
  };
  for (const { tombstones, bytes, timestamp } of events) {
    amount.tombstones += tombstones;
    amount.bytes += bytes;
    amount.firstAt = Math.min(amount.firstAt, timestamp);
    amount.lastAt = Math.max(amount.lastAt, timestamp);
  }
  return amount;
}

const noMetadata = (events: number): WindowNote => ({
  slug: "inside-transaction",
  text: `The offset stops inside a transaction, and how many of its changes were sent is told only with provide.transaction.metadata: all ${events} that may be of it are counted.`,
});

const restartedInside = (events: number): WindowNote => ({
  slug: "restarted-inside-transaction",
  text: `A task was restarted inside the transaction in which the offset stops, which numbers its changes anew: ${events} are counted, of which some may be covered.`,
});

const sharedLsn = (events: number): WindowNote => ({
  slug: "shared-lsn",
  text: `Several runs sent changes that share the offset's LSN and cannot be told apart: ${events} are counted, of which some may be covered.`,
});
