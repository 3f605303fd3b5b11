import { isJsonObject, type JsonValue, parseJson, stringifyJson } from "../json";
import { quoted } from "./field-kinds";
import { type MySqlGtidSet, mySqlGtids } from "./mysql-gtid";

/** Where the stream of one shard stands (Vitess: binlogdata.ShardGtid). */
export interface ShardGtid {
  keyspace: string;
  shard: string;
  /** Transactions that are done; null for `current`, which is wherever the stream stands when it starts. */
  gtids: MySqlGtidSet | null;
  /** An empty GTID, with which Vitess first copies all rows. */
  fromStart: boolean;
  /** Tables whose rows are being copied, each with its last primary key. */
  copying: readonly { table: string; lastKey: string }[];
}

/** A VGTID by `keyspace/shard`. */
export type Vgtid = ReadonlyMap<string, ShardGtid>;

export type VgtidReading = { vgtid: Vgtid; problem?: undefined } | { vgtid?: undefined; problem: string };

const shape = 'a JSON list such as [{"keyspace":"commerce","shard":"-80","gtid":"MySQL56/…"}]';

class Unreadable extends Error {}

function gtidsOf(gtid: string, where: string): MySqlGtidSet | null {
  if (gtid === "current") return null;
  const [, flavour = "MySQL56", text = ""] = /^(?:([A-Za-z]\w*)\/)?(.*)$/s.exec(gtid) ?? [];
  if (flavour !== "MySQL56")
    throw new Unreadable(`holds a GTID of the flavour ${flavour} for ${where}, not MySQL56`);
  const { set, problem } = mySqlGtids.parse(text);
  if (problem !== undefined) throw new Unreadable(`cannot be read for ${where}: ${problem}`);
  return set ?? new Map();
}

function copyingOf(tables: JsonValue | undefined): ShardGtid["copying"] {
  if (!Array.isArray(tables)) return [];
  return tables.filter(isJsonObject).map(({ table_name, lastpk = null }) => ({
    table: typeof table_name === "string" ? table_name : "a table without a name",
    lastKey: stringifyJson(lastpk),
  }));
}

function shardOf(entry: JsonValue): ShardGtid {
  const { keyspace, shard, gtid, table_p_ks } = isJsonObject(entry) ? entry : {};
  if (typeof keyspace !== "string" || typeof shard !== "string" || typeof gtid !== "string")
    throw new Unreadable(`holds ${quoted(entry)}, which has no keyspace, shard and gtid`);
  return {
    keyspace,
    shard,
    gtids: gtidsOf(gtid, `${keyspace}/${shard}`),
    fromStart: gtid === "",
    copying: copyingOf(table_p_ks),
  };
}

/** Reads a VGTID as Debezium writes it, JSON in a text (Vgtid.java). Never throws. */
export function parseVgtid(text: string): VgtidReading {
  try {
    const list = parseJson(text);
    if (!Array.isArray(list)) return { problem: `is ${quoted(text)}, not ${shape}` };
    if (list.length === 0) return { problem: "is a list without a shard" };
    const shards = list.map(shardOf);
    return { vgtid: new Map(shards.map((s) => [`${s.keyspace}/${s.shard}`, s])) };
  } catch (error) {
    if (error instanceof Unreadable) return { problem: error.message };
    if (error instanceof SyntaxError) return { problem: `is ${quoted(text)}, not ${shape}` };
    throw error;
  }
}

/** Whether a start at this place copies rows before it streams (Vgtid.willTriggerVStreamCopy). */
export const copies = ({ fromStart, copying }: ShardGtid): boolean => fromStart || copying.length > 0;

/** One shard for a person: `commerce/-80: 3e11…: 1-5 (5 transactions)`. */
export function shardText(shard: ShardGtid): string {
  const tables = shard.copying.map(({ table }) => table).join(", ");
  const copy = tables === "" ? "" : `, copying ${tables}`;
  const name = `${shard.keyspace}/${shard.shard}`;
  if (shard.gtids === null) return `${name}: from where the stream stands at its start ("current")${copy}`;
  if (shard.fromStart) return `${name}: copy of all rows${copy}`;
  return `${name}: ${shard.gtids.size === 0 ? "no transaction" : mySqlGtids.describe(shard.gtids)}${copy}`;
}

/** One shard as one text: equal for equal places. */
export function shardKey({ keyspace, shard, gtids, fromStart, copying }: ShardGtid): string {
  const place = gtids === null ? "current" : fromStart ? "" : mySqlGtids.print(gtids);
  return JSON.stringify([keyspace, shard, place, ...copying.map(({ table, lastKey }) => [table, lastKey])]);
}
