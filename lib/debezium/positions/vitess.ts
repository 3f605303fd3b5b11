import { isJsonObject, type JsonObject, type JsonValue, parseJson } from "../json";
import { count, fieldProblems, plural, quoted, textField, wholeField } from "./field-kinds";
import { gtidCount, mySqlGtids } from "./mysql-gtid";
import { snapshotRecord } from "./order-words";
import type { ChangeRecord, FieldText, Identity, PositionKind, Problem, Reading } from "./position";
import { copies, parseVgtid, type ShardGtid, shardKey, shardText, type Vgtid } from "./vgtid";
import { orderVitess, type VitessPosition, vitessDistance } from "./vitess-order";

function vgtidText(text: string): FieldText {
  const { vgtid, problem } = parseVgtid(text);
  return problem === undefined ? { text: [...vgtid.values()].map(shardText).join("; ") } : { problem };
}

/** `-80: 0, 80-: 1` of a JSON map in a text (ShardEpochMap). */
function epochText(text: string): FieldText {
  const problem = `is ${quoted(text)}, not a JSON map of shards to epochs`;
  try {
    const epochs = parseJson(text);
    if (!isJsonObject(epochs)) return { problem };
    const pairs = Object.entries(epochs).map(([shard, epoch]) => [shard, count(epoch)] as const);
    if (pairs.some(([, epoch]) => epoch === null)) return { problem };
    return {
      text: pairs.length === 0 ? "none" : pairs.map(([shard, epoch]) => `${shard}: ${epoch}`).join(", "),
    };
  } catch {
    return { problem };
  }
}

const fields = {
  vgtid: textField(
    "For each shard the transactions that were sent whole. While one is being sent the offset stays before it: a restart sends all of it again.",
    vgtidText,
  ),
  transaction_id: textField(
    "The transaction whose changes were being counted when the offset was stored (provide.transaction.metadata).",
    (text) => ({ text: vgtidText(text).text ?? text }),
  ),
  transaction_epoch: textField(
    "For each shard how often its GTIDs have begun anew: order transactions by epoch, then by rank.",
    epochText,
  ),
  connector_generation: wholeField(
    "Generation of the order of transactions (vitess.connector.generation): a higher one begins new epochs.",
  ),
  transaction_rank: textField(
    "Place of the transaction within its epoch: the sum of the GTIDs' last numbers.",
  ),
};

function vgtidOf(value: JsonValue | undefined): Vgtid | null {
  return typeof value === "string" ? (parseVgtid(value).vgtid ?? null) : null;
}

const copyRuns = (vgtid: Vgtid) => [...vgtid.values()].some(copies);

function decodeOffset(offset: JsonObject): Reading<VitessPosition> {
  const problems = fieldProblems(offset, fields);
  const vgtid = vgtidOf(offset.vgtid);
  if (vgtid === null) {
    if (offset.vgtid == null)
      problems.push({ key: "vgtid", text: "vgtid is missing; every Vitess offset has one." });
    return { position: null, problems };
  }
  const snapshot = copyRuns(vgtid) ? "initial" : null;
  return { position: { of: "offset", vgtid, shard: null, snapshot }, problems };
}

/**
 * The key of the event's own shard in its VGTID, by its name, with the keyspace where the block has one; a VGTID of
 * one shard can only be its own.
 */
function ownShard({ keyspace, shard }: JsonObject, vgtid: Vgtid): string | null {
  const all = [...vgtid];
  const named = all.filter(([, s]) => s.shard === shard && (keyspace == null || s.keyspace === keyspace));
  const [own] = named.length > 0 ? named : all;
  return own && (named.length === 1 || all.length === 1) ? own[0] : null;
}

function decodeSource(source: JsonObject): Reading<VitessPosition> {
  const problems: Problem[] = [];
  const { vgtid, problem } =
    typeof source.vgtid === "string"
      ? parseVgtid(source.vgtid)
      : { problem: source.vgtid == null ? "is missing" : `is ${quoted(source.vgtid)}, not a text` };
  if (problem !== undefined) problems.push({ key: "vgtid", text: `vgtid ${problem}.` });
  if (!vgtid) return { position: null, problems };
  return {
    position: {
      of: "event",
      vgtid,
      shard: ownShard(source, vgtid),
      snapshot: snapshotRecord(source.snapshot),
    },
    problems,
  };
}

/** The transaction on the event's own shard (how the others stood differs from run to run), key and number in the transaction. */
function identity({ topic, key, op, source, transaction }: ChangeRecord): Identity {
  if (op === "r") return { id: null, why: "A record read by a snapshot is a re-read, not a change." };
  const { position } = decodeSource(source);
  if (!position) return { id: null, why: "The event has no vgtid that can be read." };
  const shard = position.vgtid.get(position.shard ?? "");
  const place = shard ? [shardKey(shard)] : [...position.vgtid.values()].map(shardKey).sort();
  const ordinal = count((isJsonObject(transaction) ? transaction : {}).total_order)?.toString() ?? null;
  const whyNoOrdinal =
    "Changes of one row in one transaction share it: provide.transaction.metadata would number them.";
  const whyNoShard =
    "The event does not tell its shard, and how the other shards stand differs from run to run.";
  return {
    id: JSON.stringify([...place, topic, key, op, ordinal]),
    caveat: shard ? (ordinal === null ? whyNoOrdinal : null) : whyNoShard,
  };
}

function shardHeadline(shard: ShardGtid): string {
  const name = `${shard.keyspace}/${shard.shard}`;
  if (shard.gtids === null) return `${name} current`;
  if (shard.fromStart) return `${name} copy`;
  return `${name} ${mySqlGtids.print(shard.gtids)}`;
}

/** One shard with its GTIDs if they fit a line, else how many transactions there are. */
function headlineText(vgtid: Vgtid): string {
  const shards = [...vgtid.values()];
  const [first] = shards;
  const alone = first && shards.length === 1 ? shardHeadline(first) : null;
  if (alone !== null && alone.length <= 100) return alone;
  const total = shards.reduce((sum, { gtids }) => sum + gtidCount(gtids ?? new Map()), 0n);
  const keyspaces = [...new Set(shards.map(({ keyspace }) => keyspace))].join(", ");
  return `${keyspaces}: ${plural(shards.length, "shard")}, ${plural(total, "transaction")}`;
}

export const vitess: PositionKind<VitessPosition> = {
  fields,
  decodeOffset,
  decodeSource,
  order: orderVitess,
  distance: vitessDistance,
  identity,
  headline(offset) {
    const vgtid = vgtidOf(offset.vgtid);
    if (vgtid === null) return { text: "unknown", meaning: "The offset has no vgtid that can be read." };
    const meaning = copyRuns(vgtid)
      ? "VGTID of the copy that is running: a restart goes on with it."
      : "VGTID of the last transaction that was sent whole: a restart sends the one after it from its start.";
    return { text: headlineText(vgtid), meaning };
  },
  warnings(offset) {
    const vgtid = vgtidOf(offset.vgtid);
    if (vgtid === null || !copyRuns(vgtid)) return [];
    const text =
      "The offset says that rows are being copied: a restart goes on with the copy and sends rows again.";
    return [{ slug: "offset-snapshot-unfinished", text }];
  },
  sourceTime: () => null,
  phase(offset) {
    const vgtid = vgtidOf(offset.vgtid);
    const running = [...(vgtid?.values() ?? [])].filter(copies);
    if (running.length === 0) return null;
    const begun = running.flatMap(({ copying }) => copying).length > 0;
    return {
      phase: "snapshot",
      phaseText: begun
        ? "copy of rows running; a crash goes on after the last key stored of each table"
        : "copy of rows running; a crash begins the copy again",
    };
  },
};
