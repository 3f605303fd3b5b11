import type { ConnectorType } from "@/lib/debezium/connector-type";
import type { JsonObject } from "@/lib/debezium/json";
import { wholeNumber } from "@/lib/debezium/json";
import { positionKinds } from "@/lib/debezium/positions/kinds";
import { logicalName } from "@/lib/debezium/used-partition";

/** A source offset in force, of one source partition. */
export interface CommittedOffset {
  partition: JsonObject;
  offset: JsonObject;
  /** Milliseconds since 1970: timestamp of its record in the offset topic; null when not known. */
  committedAt: number | null;
}

/** A commit that was read once, to be compared with many events. */
export interface ReadCommit {
  /** What of an event's `source` must equal it, if the events tell: a database, a token; null when nothing does. */
  of: string | null;
  position: unknown;
  /** Null when `position` can be compared. */
  why: string | null;
  /** A partition token that has ended: all its changes were sent (Spanner). */
  ended: boolean;
  committedAt: number | null;
}

interface Owner {
  /** Of the source partition. */
  partition: string;
  /** Of the event's `source`. */
  source: string;
}

/** How an event tells to which of several source partitions it belongs (facts of the connectors' partitions and blocks). */
const owners: Partial<Record<ConnectorType, Owner>> = {
  sqlserver: { partition: "database", source: "db" },
  spanner: { partition: "partitionToken", source: "partition_token" },
  // Up to 2.5: one partition for each replica set.
  mongodb: { partition: "rs", source: "rs" },
};

/** The field of `source` that tells an event's source partition; null where only one is used, or the position tells. */
export function ownerField(type: ConnectorType): string | null {
  return owners[type]?.source ?? null;
}

export function readCommit(type: ConnectorType, commit: CommittedOffset): ReadCommit {
  const { position, problems } = positionKinds[type].decodeOffset(commit.offset);
  const owner = owners[type];
  const of = owner === undefined ? undefined : commit.partition[owner.partition];
  return {
    of: typeof of === "string" ? of : null,
    position,
    why: position === null ? (problems[0]?.text ?? "The offset holds no position that can be read.") : null,
    ended: type === "spanner" && Object.keys(commit.offset).length === 0,
    committedAt: commit.committedAt,
  };
}

/** topic.prefix as the source partitions have it, resolved; null when they do not agree on one. */
export function prefixIn(type: ConnectorType, commits: readonly CommittedOffset[]): string | null {
  const names = new Set(commits.map(({ partition }) => logicalName(type, partition)));
  const [name = null] = names;
  return names.size === 1 ? name : null;
}

const orderKey = "transaction_data_collection_order_";

/**
 * Events of the transaction in progress that the offset covers: the sum over its tables (TransactionContext). Null
 * without provide.transaction.metadata.
 */
export function sentInTransaction(offset: JsonObject): number | null {
  if (typeof offset.transaction_id !== "string") return null;
  let sum = 0n;
  for (const [key, value] of Object.entries(offset)) {
    if (!key.startsWith(orderKey)) continue;
    const number = wholeNumber(value);
    if (number === null) return null;
    sum += number;
  }
  return Number(sum);
}
