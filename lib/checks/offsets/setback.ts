import type { ConnectorType } from "@/lib/debezium/connector-type";
import { type JsonObject, type JsonValue, stringifyJson } from "@/lib/debezium/json";
import { positionKinds } from "@/lib/debezium/positions/kinds";
import { snapshotState } from "@/lib/debezium/positions/snapshot-state";
import { canonicalPartition } from "@/lib/debezium/used-partition";
import type { OffsetCommit } from "@/lib/observed/commits";
import { type CommitStep, inSnapshot, type KnownCommit } from "./commit-steps";

/** A commit that is lower than the one before it, or with which the connector began anew. */
export interface Setback {
  step: CommitStep;
  before: KnownCommit;
  offset: JsonObject;
  /** False when it only began anew: the position itself is no lower. */
  lower: boolean;
  cause: SetbackCause;
}

/**
 * `deleted`: a tombstone lies between. `snapshot`: a snapshot began (again). `restored`: exactly an earlier commit.
 * `other-server`: what the source wrote later has a lower position. `by-hand`: the source's time went back as well.
 */
export type SetbackCause =
  | { kind: "deleted"; tombstone: OffsetCommit }
  | { kind: "snapshot" }
  | { kind: "restored"; from: OffsetCommit }
  | { kind: "other-server"; servers: readonly [string, string] | null }
  | { kind: "by-hand" };

/** What a step of a source partition's commits is of a setback; null for a step onwards. `steps`: all that are at hand. */
export function setbackOf(
  type: ConnectorType,
  step: CommitStep,
  steps: readonly CommitStep[],
): Setback | null {
  const { before, offset, progress } = step;
  if (!before || !offset || !progress) return null;
  const began = snapshotBegan(type, before.offset, offset);
  const { amount } = progress.distance;
  // An offset of a snapshot comes before all others of its connector: what counts is where it lies.
  const lower = began && amount !== null ? amount < 0n : progress.move === "back";
  if (!lower && !began && !step.deleted) return null;
  return { step, before, offset, lower, cause: causeOf(type, step, before, offset, steps) };
}

function causeOf(
  type: ConnectorType,
  step: CommitStep,
  before: KnownCommit,
  offset: JsonObject,
  steps: readonly CommitStep[],
): SetbackCause {
  if (step.deleted) return { kind: "deleted", tombstone: step.deleted };
  if (snapshotBegan(type, before.offset, offset)) return { kind: "snapshot" };
  const text = canonicalPartition(offset);
  const same = steps
    .slice(0, steps.indexOf(step))
    .findLast((s) => s.offset !== null && canonicalPartition(s.offset) === text);
  if (same) return { kind: "restored", from: same.commit };
  const servers = [serverOf(before.offset), serverOf(offset)] as const;
  if (servers[0] !== null && servers[1] !== null && servers[0] !== servers[1])
    return { kind: "other-server", servers: [servers[0], servers[1]] };
  const { sourceTime } = positionKinds[type];
  const [then, since] = [sourceTime(before.offset), sourceTime(offset)];
  if (then !== null && since !== null && since > then) return { kind: "other-server", servers: null };
  return { kind: "by-hand" };
}

/** The server that wrote the change, of MySQL and MariaDB. */
function serverOf(offset: JsonObject): string | null {
  const id: JsonValue = offset.server_id ?? null;
  return id === null ? null : stringifyJson(id);
}

/** Whether an initial snapshot began between two offsets. A blocking one is asked for by a signal. */
function snapshotBegan(type: ConnectorType, before: JsonObject, after: JsonObject): boolean {
  if (!inSnapshot(type, after) || snapshotState(after) === "blocking-running") return false;
  if (!inSnapshot(type, before)) return true;
  // All records of one snapshot carry the same position.
  const { headline } = positionKinds[type];
  return headline(before).text !== headline(after).text;
}
