import { type DeliveredRecord, deliveredOrder } from "@/lib/debezium/events/delivered-record";

/** Rows of one transaction whose changes are counted: those of a larger one are taken for changed once each. */
const mostRows = 10_000;

/** Where a change stands in one server's binlog. */
interface Place {
  gtid: string;
  file: string;
  pos: bigint;
  row: bigint;
  /** The whole position, which GTIDs order. */
  position: unknown;
}

/** What one run wrote of its last transaction. */
interface GtidRun {
  gtid: string;
  /** The furthest in it. */
  place: Place;
  trust: AcrossServers["trust"];
  /** How often a row had this kind of change in the transaction. */
  changes: Map<string, number>;
}

/** What is the same of a change on each server. */
interface AcrossServers {
  key: string;
  /** What an equal key means: a copy, one unless its transaction was cut between two changes of the row, or nothing. */
  trust: "copy" | "likely" | "nothing";
}

/**
 * Names the changes of MySQL and MariaDB so that a copy is known after a failover, where file and position are another
 * server's: by GTID, row, kind of change, and which of those it is in its transaction. Only needed where events do not carry
 * their number in it (provide.transaction.metadata is off by default).
 *
 * A run that was killed inside a transaction can be followed by one that skips what was sent of it: then its rows are not
 * counted from the first. So a transaction with which an earlier run ended is sure only for a run that began before it.
 */
export class GtidCopies {
  readonly #lanes = new Map<string, Map<string | null, GtidRun>>();

  /**
   * Takes each change of a partition in order of offset. Null: it has no GTID, or tells its number itself.
   * @param known it is a copy by file and position, so that it comes from the same server
   */
  look(record: DeliveredRecord, known: boolean): AcrossServers | null {
    const { lane, rowKey, op, acrossServers } = record;
    const at = acrossServers === null ? placeOf(record) : null;
    if (at === null) return null;
    const run = this.#run(record, at, known);
    const row = JSON.stringify([rowKey, op]);
    const before = run.changes.get(row) ?? 0;
    if (before > 0 || run.changes.size < mostRows) run.changes.set(row, before + 1);
    return { key: JSON.stringify([lane, at.gtid, row, before]), trust: run.trust };
  }

  #run(record: DeliveredRecord, at: Place, known: boolean): GtidRun {
    const { lane, runId } = record;
    const runs = this.#lanes.get(lane) ?? new Map<string | null, GtidRun>();
    this.#lanes.set(lane, runs);
    const own = runs.get(runId);
    if (own?.gtid === at.gtid) {
      if (isBehind(at, own.place)) own.place = at;
      return own;
    }
    const trust = own === undefined ? trustIn([...runs.values()], at, record, known) : "copy";
    const run = { gtid: at.gtid, place: at, trust, changes: new Map<string, number>() };
    runs.set(runId, run);
    return run;
  }
}

/**
 * Of the first transaction of a run. On one server a transaction lies in one file, and what a run sends of it for the first
 * time lies behind what was sent before.
 */
function trustIn(
  runs: readonly GtidRun[],
  at: Place,
  { type }: DeliveredRecord,
  known: boolean,
): AcrossServers["trust"] {
  const ended = runs.filter(({ gtid }) => gtid === at.gtid);
  if (ended.length === 0) return "copy";
  if (ended.some(({ place }) => place.file !== at.file)) return "likely";
  // A run that is further on has sent all of it.
  const order = deliveredOrder(type);
  const isFurther = ({ gtid, place }: GtidRun) =>
    gtid !== at.gtid && order(place.position, at.position).order === "after";
  if (runs.some(isFurther)) return "likely";
  return known || ended.some(({ place }) => isBehind(at, place)) ? "nothing" : "likely";
}

function isBehind(a: Place, b: Place): boolean {
  return a.pos === b.pos ? a.row > b.row : a.pos > b.pos;
}

function placeOf({ type, position }: DeliveredRecord): Place | null {
  if (type !== "mysql" && type !== "mariadb") return null;
  const { gtid, file, pos, row } = (position ?? {}) as Partial<Record<string, unknown>>;
  const isPlace =
    typeof gtid === "string" &&
    typeof file === "string" &&
    typeof pos === "bigint" &&
    typeof row === "bigint";
  return isPlace ? { gtid, file, pos, row, position } : null;
}
