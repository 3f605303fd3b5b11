import type { ConnectorType } from "../connector-type";
import type { JsonObject } from "../json";
import { canonicalPartition } from "../used-partition";
import { binlogProgress } from "./binlog-progress";
import { isDecoded, positionKinds } from "./kinds";
import { mariadb } from "./mariadb";
import { mariaDbGtids } from "./mariadb-gtid";
import { mysql } from "./mysql";
import { mySqlGtids } from "./mysql-gtid";
import { otherTransactionWhy } from "./oracle-order";
import { moved, type Progress, unchanged, unknownProgress } from "./progress-words";
import { snapshotState } from "./snapshot-state";

export type { Progress } from "./progress-words";

/** Why a position can go back although the connector did nothing wrong. */
const causes: Partial<Record<ConnectorType, string>> = {
  postgresql: "the server was restored or replaced (promotion, new timeline, pg_upgrade)",
  mysql: "the server was restored or replaced, or told to go back (set-binlog-position)",
  mariadb: "the server was restored or replaced, or told to go back (set-binlog-position)",
  sqlserver: "the database was restored, or CDC was disabled and enabled again",
  oracle: "the database was restored or opened with RESETLOGS",
  mongodb: "the cluster was restored or is another one",
};

function wentBack(type: ConnectorType, step: Progress): Progress {
  if (step.move !== "back") return step;
  const cause = causes[type] ?? "the source was restored or replaced";
  const text = `The stored position went back (${step.text}): ${cause}, or the offset was altered (PATCH, DELETE, an older backup). What lies between is sent again, as far as the source still has it.`;
  return { ...step, warnings: [...step.warnings, { slug: "offset-went-back", text }] };
}

/** GTIDs that stand still are told apart from transactions that have none; MariaDB has no gtid_mode. */
const gtidMode = {
  mysql: "gtid_mode is probably not ON.",
  mariadb: "they are no longer followed.",
};

function ofBinlog(type: "mysql" | "mariadb", before: JsonObject, after: JsonObject): Progress | null {
  if (type === "mysql") {
    const [a, b] = [mysql.decodeOffset(before).position, mysql.decodeOffset(after).position];
    return a && b && binlogProgress(mySqlGtids, a, b, gtidMode.mysql);
  }
  const [a, b] = [mariadb.decodeOffset(before).position, mariadb.decodeOffset(after).position];
  return a && b && binlogProgress(mariaDbGtids, a, b, gtidMode.mariadb);
}

const ofSnapshot = (offset: JsonObject) => !["none", "incremental-record"].includes(snapshotState(offset));

/** Within one transaction of SQL Server change LSNs can fall as it goes on (DBZ-2329): nothing went back. */
function sameTransaction(type: ConnectorType, before: JsonObject, after: JsonObject): boolean {
  const commit = ({ commit_lsn }: JsonObject) => String(commit_lsn ?? "").toLowerCase();
  return type === "sqlserver" && commit(before) === commit(after);
}

/** By the order and distance that a kind of position tells. */
function ofKind(type: ConnectorType, before: JsonObject, after: JsonObject): Progress | null {
  const kind = positionKinds[type];
  const [a, b] = [kind.decodeOffset(before).position, kind.decodeOffset(after).position];
  if (a === null || b === null) return null;
  const [order, distance] = [kind.order(a, b), kind.distance(a, b)];
  const snapshots = ofSnapshot(before) !== ofSnapshot(after);
  // A snapshot's offset has fewer keys to order by than one of streaming: where it lies tells more.
  if (snapshots && distance.amount !== null && distance.amount !== 0n)
    return moved(distance.amount, distance);
  if (order.order === "unordered") {
    if (snapshots && ofSnapshot(before)) return moved(1n, { amount: null, why: "The snapshot is done." });
    if (snapshots) return unknownProgress("A snapshot began, whose position does not compare.");
    if (order.why === otherTransactionWhy) return unchanged("the last transaction that was sent is another");
    return unknownProgress(order.why, [{ slug: "offset-not-comparable", text: order.why }]);
  }
  if (order.order === "equal") return unchanged(whatElse(before, after));
  if (order.order === "before") return moved(1n, distance);
  if (sameTransaction(type, before, after))
    return unchanged("in the same transaction, in which positions can fall as it goes on");
  return moved(-1n, distance);
}

/** What moves while the position stands still. */
function whatElse(before: JsonObject, after: JsonObject): string | null {
  const key = "incremental_snapshot_primary_key";
  return before[key] !== after[key] ? "the incremental snapshot moved" : null;
}

/**
 * How one source partition moved from one stored offset to the next one stored for it. Whatever the two hold, it
 * answers and never throws: an offset that cannot be read gives `unknown` with the reason and no warning, two that can
 * be read and not compared give `unknown` with an offset-not-comparable warning (but for a snapshot that began).
 */
export function progress(type: ConnectorType, before: JsonObject, after: JsonObject): Progress {
  if (canonicalPartition(before) === canonicalPartition(after)) return unchanged();
  if (!isDecoded(type)) return unknownProgress("Positions of this connector are not decoded.");
  const binlog = type === "mysql" || type === "mariadb";
  const step = binlog ? ofBinlog(type, before, after) : ofKind(type, before, after);
  if (step === null) return unknownProgress("One of the two positions cannot be read.");
  if (binlog && step.move === "unchanged")
    return { ...unchanged(whatElse(before, after)), warnings: step.warnings };
  return wentBack(type, step);
}
