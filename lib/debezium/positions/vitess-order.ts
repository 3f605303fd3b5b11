import { mySqlGtids } from "./mysql-gtid";
import { incrementalWhy, ordered, reversed } from "./order-words";
import type { Distance, Order } from "./position";
import { copies, type ShardGtid, shardKey, type Vgtid } from "./vgtid";

/** Where a Vitess connector or one of its events stands: a place in the stream of each shard. */
export interface VitessPosition {
  of: "offset" | "event";
  vgtid: Vgtid;
  /** Events: the shard that it comes from, as a key of `vgtid`; null when the block does not tell. */
  shard: string | null;
  snapshot: "initial" | "incremental" | null;
}

const unordered = (why: string): Order => ({ order: "unordered", why });

/** Before the first row of a copy. */
const untouched = ({ fromStart, copying }: ShardGtid) => fromStart && copying.length === 0;

function orderShard(name: string, a: ShardGtid, b: ShardGtid): Order {
  const noPlace = `For shard ${name} there is "current", which names no place.`;
  if (shardKey(a) === shardKey(b)) return ordered(0, a.gtids === null ? noPlace : undefined);
  if (a.gtids === null || b.gtids === null) return unordered(noPlace);
  if (untouched(a) !== untouched(b)) return { order: untouched(a) ? "before" : "after" };
  if (copies(a) && copies(b))
    return unordered(`Rows of shard ${name} are being copied: how far, does not compare.`);
  const [less, more] = [mySqlGtids.covers(b.gtids, a.gtids), mySqlGtids.covers(a.gtids, b.gtids)];
  // A copy ends at the transactions that it began with, or later.
  if (copies(a) !== copies(b)) {
    if (copies(a) ? less : more) return { order: copies(a) ? "before" : "after" };
  } else if (less || more) return { order: less ? (more ? "equal" : "before") : "after" };
  return unordered(`Each has transactions of shard ${name} that the other lacks.`);
}

/** Why the shards of two VGTIDs cannot be compared one by one; null when they are the same shards. */
function otherShards(a: Vgtid, b: Vgtid): string | null {
  const only = (x: Vgtid, y: Vgtid) => [...x.keys()].filter((name) => !y.has(name));
  const different = [...only(a, b), ...only(b, a)];
  if (different.length === 0) return null;
  const named = different.slice(0, 4).join(", ") + (different.length > 4 ? ", …" : "");
  return `They do not hold the same shards (${named}): the keyspace was resharded, or they come from different tasks.`;
}

/** Over all shards: before when no shard is ahead. */
function orderShards(a: Vgtid, b: Vgtid): Order {
  const other = otherShards(a, b);
  if (other !== null) return unordered(other);
  let ahead: string | null = null;
  let behind: string | null = null;
  for (const [name, shard] of a) {
    const counterpart = b.get(name);
    const one = counterpart ? orderShard(name, shard, counterpart) : unordered("");
    if (one.order === "unordered") return one;
    if (one.order === "before") behind = name;
    if (one.order === "after") ahead = name;
  }
  if (ahead !== null && behind !== null)
    return unordered(`One is ahead in shard ${ahead}, the other in shard ${behind}.`);
  return ordered(Number(ahead !== null) - Number(behind !== null));
}

const copyWhy = "Rows are being copied in the offset: a restart goes on with the copy, and sends rows again.";

/** An event's VGTID holds its own transaction, an offset's the last one that was sent whole. */
function orderOffsetToEvent(offset: VitessPosition, event: VitessPosition): Order {
  if (event.shard === null) {
    if ([...offset.vgtid.values()].some(copies)) return unordered(copyWhy);
    return orderShards(offset.vgtid, event.vgtid);
  }
  const [from, at] = [offset.vgtid.get(event.shard), event.vgtid.get(event.shard)];
  if (!from || !at)
    return unordered(
      `The offset does not hold shard ${event.shard}: the keyspace was resharded, or another task has it.`,
    );
  return copies(from) ? unordered(copyWhy) : orderShard(event.shard, from, at);
}

function orderEvents(a: VitessPosition, b: VitessPosition): Order {
  const [x, y] = [a.vgtid.get(a.shard ?? ""), b.vgtid.get(b.shard ?? "")];
  if (a.shard !== null && a.shard === b.shard && x && y) return orderShard(a.shard, x, y);
  return orderShards(a.vgtid, b.vgtid);
}

/** Which of two positions comes first, or why that cannot be said. An offset comes before the events that it would send again. */
export function orderVitess(a: VitessPosition, b: VitessPosition): Order {
  if (a.snapshot === "incremental" || b.snapshot === "incremental") return unordered(incrementalWhy);
  if (a.of === "offset" && b.of === "offset") return orderShards(a.vgtid, b.vgtid);
  if (a.of === "offset") return orderOffsetToEvent(a, b);
  if (b.of === "offset") return reversed(orderOffsetToEvent(b, a));
  return orderEvents(a, b);
}

/** Transactions in between, over all shards. */
export function vitessDistance(from: VitessPosition, to: VitessPosition): Distance {
  const { order, why } = orderShards(from.vgtid, to.vgtid);
  if (order === "unordered") return { amount: null, why };
  let amount = 0n;
  for (const [name, { gtids, ...rest }] of from.vgtid) {
    const other = to.vgtid.get(name);
    if (!gtids || !other?.gtids || copies({ gtids, ...rest }) !== copies(other))
      return { amount: null, why: `How much is left of the copy of shard ${name} is not in the offset.` };
    amount += mySqlGtids.countBeyond(other.gtids, gtids) - mySqlGtids.countBeyond(gtids, other.gtids);
  }
  return { amount, unit: "transactions" };
}
