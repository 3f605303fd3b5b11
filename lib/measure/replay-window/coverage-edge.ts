import type { ConnectorType } from "@/lib/debezium/connector-type";
import { type BinlogPosition, mustCount } from "@/lib/debezium/positions/binlog-order";
import type { PostgresPosition } from "@/lib/debezium/positions/postgresql";
import { type CommittedOffset, sentInTransaction } from "./coverage-commits";

/**
 * How the events at the offset's own place are told apart, which no comparison of positions does.
 * `lsn`: several share the offset's LSN, and the first `sent` of them are covered (PostgreSQL, lsn_events_processed, 3.7).
 * `transaction`: the offset stops inside a transaction and a restart skips binlog events and rows (MySQL, MariaDB). How many
 * change events that makes, only transaction metadata tells: `sent`, null without.
 */
export interface EdgeRule {
  by: "lsn" | "transaction";
  sent: number | null;
  /** Milliseconds since 1970; null when not known. */
  committedAt: number | null;
  /**
   * Whether an event without an order to the offset is at the edge. `beyond`: it is of a later transaction, by its id.
   * @param why the reason that the kind gave
   */
  of(position: unknown, why: string, transactionId: () => string | null): "edge" | "beyond" | "no";
}

/** Null where each event has a place of its own. @param position of the commit, as its kind decodes it */
export function edgeRule(type: ConnectorType, commit: CommittedOffset, position: unknown): EdgeRule | null {
  if (position === null || position === undefined) return null;
  if (type === "postgresql") return lsnRule(commit, position as PostgresPosition);
  if (type === "mysql" || type === "mariadb")
    return transactionRule(commit, position as BinlogPosition<unknown>);
  return null;
}

function lsnRule({ committedAt }: CommittedOffset, offset: PostgresPosition): EdgeRule | null {
  if (offset.eventsAtLsn === null || offset.snapshot !== null) return null;
  return {
    by: "lsn",
    sent: Number(offset.eventsAtLsn),
    committedAt,
    of(position) {
      const event = position as PostgresPosition;
      return event.sequenced && event.lsn === offset.lsn ? "edge" : "no";
    },
  };
}

function transactionRule(
  { committedAt, offset: map }: CommittedOffset,
  offset: BinlogPosition<unknown>,
): EdgeRule | null {
  if (offset.event === 0n && offset.row === 0n) return null;
  return {
    by: "transaction",
    sent: sentInTransaction(map),
    committedAt,
    of(_position, why, transactionId) {
      if (why !== mustCount) return "no";
      // Without GTIDs all that follows in the file is unordered; transaction metadata names the transaction.
      const id = offset.gtid === null ? null : transactionId();
      return id !== null && id !== offset.gtid ? "beyond" : "edge";
    },
  };
}
