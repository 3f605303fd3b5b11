import type { JsonObject, JsonValue } from "@/lib/debezium/json";

/** One change of a table as the source's log holds it: the truth about it. */
export interface SourceChange {
  /** Another one for each change. */
  n: number;
  /** Transactions, from 0 in order of commit. */
  transaction: number;
  /** Its place there, from 0. */
  ordinal: number;
  key: number;
  op: "c" | "u" | "d";
  /** The other half of a primary key change, which has the same position. */
  pair: boolean;
}

export type Database = "postgresql" | "mysql" | "mariadb" | "sqlserver" | "oracle" | "mongodb";

export const databases: readonly Database[] = [
  "postgresql",
  "mysql",
  "mariadb",
  "sqlserver",
  "oracle",
  "mongodb",
];

const hex = (n: number, digits: number) => n.toString(16).padStart(digits, "0");

/** Fields of the source block in which the databases differ. */
const blocks: Record<Database, (change: SourceChange) => JsonObject> = {
  // Delivery is in commit order while LSNs of transactions that ran side by side are mixed.
  postgresql({ transaction: t, ordinal, pair }) {
    const lsn = 27_000_000 + t * 64 + (ordinal - Number(pair)) * 160;
    return {
      schema: "public",
      txId: 700 + t,
      lsn,
      sequence: JSON.stringify([String(26_999_000 + t * 64), String(lsn)]),
    };
  },
  mysql({ transaction: t, ordinal, pair }) {
    const at = ordinal - Number(pair);
    return {
      server_id: 1,
      gtid: `3e11fa47-71ca-11e1-9e33-c80aa9429562:${t + 1}`,
      file: `binlog.${String(1 + Math.floor(t / 7)).padStart(6, "0")}`,
      pos: 200 + (t % 7) * 10_000 + Math.floor(at / 3) * 120,
      row: at % 3,
    };
  },
  mariadb(change) {
    return { ...blocks.mysql(change), gtid: `0-1-${change.transaction + 1}` };
  },
  // Change LSNs can fall inside of a transaction.
  sqlserver({ transaction: t, ordinal, pair }) {
    const at = ordinal - Number(pair);
    return {
      schema: "dbo",
      commit_lsn: `00000027:${hex(0x1000 + t, 8)}:0002`,
      change_lsn: `00000027:${hex(0x0800 + t * 8 + ((at * 5) % 8), 8)}:${hex(at + 1, 4)}`,
      event_serial_no: pair ? 2 : 1,
    };
  },
  oracle({ transaction: t, ordinal }) {
    return {
      schema: "INVENTORY",
      scn: String(900_000 + t * 3 - ordinal),
      commit_scn: String(900_010 + t * 3),
      txId: hex(0x0a001500 + t, 16),
      txSeq: ordinal + 1,
      redo_thread: 1,
    };
  },
  // Outside of transactions each change has a cluster time of its own.
  mongodb({ n }) {
    return { ts_ms: (1_789_367_000 + Math.floor(n / 4)) * 1000, ord: (n % 4) + 1, collection: "orders" };
  },
};

export function sourceBlock(database: Database, change: SourceChange, more: JsonObject = {}): JsonObject {
  return {
    version: "3.6.1.Final",
    connector: database,
    name: "shop",
    ts_ms: 1_789_367_000_000 + change.transaction * 1000,
    snapshot: "false",
    db: "inventory",
    table: "orders",
    ...blocks[database](change),
    ...more,
  };
}

/** The same transaction on another server's binlog; 0 is the one that it was written on. */
export function onServer(block: JsonObject, server: number): JsonObject {
  if (server === 0) return block;
  const pos = typeof block.pos === "number" ? block.pos : 0;
  return { ...block, file: `replica-${server}.000001`, pos: pos + 77_001 * server };
}

/** What provide.transaction.metadata adds. @param skipped changes of the transaction that its run did not send */
export function transactionBlock({ transaction, ordinal }: SourceChange, skipped = 0): JsonValue {
  const order = ordinal - skipped + 1;
  return { id: `tx ${transaction}`, total_order: order, data_collection_order: order };
}
