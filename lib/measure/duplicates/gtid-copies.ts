import type { ConnectorType } from "@/lib/debezium/connector-type";
import { type DeliveredRecord, deliveredOrder } from "@/lib/debezium/events/delivered-record";

/** Rows of one transaction whose changes are counted: those of a larger one are taken for changed once each. */
const mostRows = 10_000;
/** Runs of a lane that are remembered, and transactions; those that began first are forgotten. */
const most = 32;

/** A change of MySQL or MariaDB with a GTID, of a row with a key. */
export interface GtidChange {
  lane: string;
  runId: string | null;
  type: ConnectorType;
  /** Its row, and the kind of change. */
  row: string;
  /** As the connector's kind has it; asked for only where a run begins a transaction. */
  position: unknown;
  place: GtidPlace;
}

/** Where a change stands in one server's binlog. */
export interface GtidPlace {
  gtid: string;
  file: string;
  pos: number;
  row: number;
}

/** A change's number in its transaction. */
export interface GtidNumber {
  /** How many changes of this row and kind the transaction has before it. */
  before: number;
  /** It may be more of them: where that number was delivered before it is a copy most likely, and no more. */
  isLow: boolean;
  /** It may be known by a lower number: where it was not delivered before it can be a copy all the same. */
  isDoubtful: boolean;
}

/** What one run wrote of its last transaction. */
interface GtidRun {
  runId: string | null;
  place: GtidPlace;
  /** The whole position, which GTIDs order. */
  position: unknown;
  isLow: boolean;
  isDoubtful: boolean;
  /** It went on within the transaction where another run had got to on the same server: what lies behind is numbered on from there. */
  from: GtidPlace | null;
  /** How often each row had each kind of change in the transaction. */
  changes: Map<string, number>;
}

interface GtidLane {
  /** In the order of their beginning. */
  runs: GtidRun[];
  /** GTIDs of transactions whose changes may be known by a lower number. */
  doubtful: string[];
}

/**
 * Numbers the changes of MySQL and MariaDB so that a copy is known after a failover, where file and position are another
 * server's: by GTID, row, kind of change, and which of those it is in its transaction. `transaction.total_order` would not
 * do: where a run goes on within a transaction it begins anew (seen, MariaDB 3.5), and most topics lack it
 * (provide.transaction.metadata is off by default).
 *
 * A run that was killed inside a transaction can be followed by one that skips what was sent of it. On the same server (a
 * transaction lies in one file) its numbers go on behind the furthest place that was sent. On another one it cannot be told
 * how many were skipped: it is numbered from the first, too low at worst, so that no copy is missed and a new change can be
 * taken for one. What a third server then sends of that transaction can be either. Servers whose files bear the same name are
 * taken for one where the place lies behind what was sent.
 */
export class GtidCopies {
  #lanes = new Map<string, GtidLane>();

  /**
   * Takes each change of a partition that has a GTID and a key, in order of offset.
   * @param known it is a copy by file and position, so that it comes from the same server
   */
  look(change: GtidChange, known: boolean): GtidNumber {
    const { changes, from, isLow, isDoubtful } = this.#run(change, known);
    const before = changes.get(change.row) ?? 0;
    const counts = from === null || isBehind(change.place, from) || !known;
    if (counts && (before > 0 || changes.size < mostRows)) changes.set(change.row, before + 1);
    return { before, isLow, isDoubtful };
  }

  #run(change: GtidChange, known: boolean): GtidRun {
    const { runId, place } = change;
    const { runs, doubtful } = this.#lane(change.lane);
    const at = runs.findLastIndex((one) => one.runId === runId);
    const own = runs[at];
    const goesOn = own !== undefined && !beginsAnew(change, known, own);
    if (goesOn && own.place.gtid === place.gtid) {
      if (isBehind(place, own.place)) own.place = place;
      return own;
    }
    if (own?.isLow) doubtful.push(own.place.gtid);
    const run = goesOn ? whole(change) : first(change, known, runs);
    if (doubtful.includes(place.gtid)) run.isDoubtful = true;
    if (goesOn) runs[at] = run;
    else runs.push(run);
    for (const list of [runs, doubtful]) if (list.length > most) list.shift();
    return run;
  }

  #lane(name: string): GtidLane {
    const known = this.#lanes.get(name);
    if (known) return known;
    const lane: GtidLane = { runs: [], doubtful: [] };
    this.#lanes.set(name, lane);
    return lane;
  }

  toState(): unknown {
    return this.#lanes;
  }

  /** Goes on where `toState` left off. */
  fromState(state: unknown): void {
    this.#lanes = state as Map<string, GtidLane>;
  }
}

/** Without run ids a run begins where positions fall, the last place comes again, or another server's places begin. */
function beginsAnew({ runId, place, position, type }: GtidChange, known: boolean, own: GtidRun): boolean {
  if (runId !== null) return false;
  if (own.place.gtid !== place.gtid) {
    const { order } = deliveredOrder(type)(position, own.position);
    return order === "before" || order === "unordered";
  }
  if (own.place.file !== place.file || isBehind(own.place, place)) return true;
  return known && !isBehind(place, own.place);
}

/** A transaction that a run sends from its first change on. */
function whole({ runId, place, position }: GtidChange): GtidRun {
  return { runId, place, position, isLow: false, isDoubtful: false, from: null, changes: new Map() };
}

/** The transaction in which a run begins. */
function first(change: GtidChange, known: boolean, runs: readonly GtidRun[]): GtidRun {
  const run = whole(change);
  const { place, type } = change;
  const ended = runs.filter((one) => one.place.gtid === place.gtid);
  if (ended.length === 0) return run;
  run.isDoubtful = ended.some(({ isLow }) => isLow);
  // What a run that is further on has passed was sent whole: each number that comes is one of those that came.
  const order = deliveredOrder(type);
  const isFurther = (one: GtidRun) =>
    one.place.gtid !== place.gtid && order(one.position, run.position).order === "after";
  if (runs.some(isFurther)) return run;
  const here = ended.filter((one) => one.place.file === place.file);
  const furthest = here.reduce<GtidRun | null>(
    (most, one) => (most === null || isBehind(one.place, most.place) ? one : most),
    null,
  );
  const isSameServer = furthest !== null && (known || isBehind(place, furthest.place));
  if (!isSameServer) return { ...run, isLow: true };
  return { ...run, isLow: furthest.isLow, from: furthest.place, changes: new Map(furthest.changes) };
}

function isBehind(a: GtidPlace, b: GtidPlace): boolean {
  return a.pos === b.pos ? a.row > b.row : a.pos > b.pos;
}

/** Where a change stands whose number in its transaction tells it; null: it has no GTID, or no key to tell its row by. */
export function gtidPlace({ type, rowKey, position }: DeliveredRecord): GtidPlace | null {
  if ((type !== "mysql" && type !== "mariadb") || rowKey === null || position === null) return null;
  const { gtid, file, pos, row } = position as {
    gtid: string | null;
    file: string;
    pos: bigint;
    row: bigint;
  };
  return gtid === null ? null : { gtid, file, pos: Number(pos), row: Number(row) };
}
