import type { ConnectorType } from "@/lib/debezium/connector-type";
import { type JsonObject, parseJsonObject } from "@/lib/debezium/json";
import { isDecoded, positionKinds } from "@/lib/debezium/positions/kinds";
import { type Progress, progress } from "@/lib/debezium/positions/progress";
import { phaseOf } from "@/lib/debezium/positions/snapshot-state";
import type { OffsetCommit } from "@/lib/observed/commits";

/** A commit that holds an offset. */
export interface KnownCommit {
  commit: OffsetCommit;
  offset: JsonObject;
}

/** One commit of a source partition, and what lies between it and the one before it. */
export interface CommitStep {
  commit: OffsetCommit;
  /** Null for a tombstone, and for text that is no JSON object. */
  offset: JsonObject | null;
  /** The newest earlier commit that holds an offset; null when none is on record. */
  before: KnownCommit | null;
  /** From `before` to here; null when either is missing. */
  progress: Progress | null;
  /** The newest tombstone between the two: the offsets were deleted. */
  deleted: OffsetCommit | null;
}

interface Remembered {
  type: ConnectorType;
  before: OffsetCommit | undefined;
  progress: Progress | null;
}

/** Steps of commits that were seen before, for as long as these are kept: a fleet is judged every few seconds. */
const remembered = new WeakMap<OffsetCommit, Remembered>();
const parsed = new WeakMap<OffsetCommit, { offset: JsonObject | null }>();

/**
 * The commits of one source partition, oldest first, each compared with the one before it. A connector with an offset
 * topic of its own commits to two topics: each commit is compared within its own.
 */
export function commitSteps(type: ConnectorType, commits: readonly OffsetCommit[]): CommitStep[] {
  const last = new Map<string, { before: KnownCommit | null; deleted: OffsetCommit | null }>();
  return commits.map((commit) => {
    const { before, deleted } = last.get(commit.topic) ?? { before: null, deleted: null };
    const offset = offsetOf(commit);
    if (commit.offset === null) last.set(commit.topic, { before, deleted: commit });
    else if (offset) last.set(commit.topic, { before: { commit, offset }, deleted: null });
    return { commit, offset, before, deleted, progress: between(type, before, commit, offset) };
  });
}

function between(
  type: ConnectorType,
  before: KnownCommit | null,
  commit: OffsetCommit,
  offset: JsonObject | null,
): Progress | null {
  if (!before || !offset) return null;
  const known = remembered.get(commit);
  if (known?.type === type && known.before === before.commit) return known.progress;
  const step = progress(type, before.offset, offset);
  remembered.set(commit, { type, before: before.commit, progress: step });
  return step;
}

/** The offset that a commit holds; null for a tombstone, and for text that is no JSON object. */
function offsetOf(commit: OffsetCommit): JsonObject | null {
  const known = parsed.get(commit);
  if (known) return known.offset;
  const offset = commit.offset === null ? null : parseJsonObject(commit.offset);
  parsed.set(commit, { offset });
  return offset;
}

/** Whether an offset says that an initial or blocking snapshot is under way. */
export function inSnapshot(type: ConnectorType, offset: JsonObject): boolean {
  if (!isDecoded(type)) return false;
  return (positionKinds[type].phase?.(offset) ?? phaseOf(offset)).phase === "snapshot";
}
