import { z } from "zod";
import { type CommitStep, commitSteps, inSnapshot } from "@/lib/checks/offsets/commit-steps";
import type { ConnectorType } from "@/lib/debezium/connector-type";
import { positionKinds } from "@/lib/debezium/positions/kinds";
import type { Progress } from "@/lib/debezium/positions/progress";
import type { OffsetCommit } from "@/lib/observed/commits";
import { placeOf, placeSchema } from "./commit";
import { formatCount } from "./format";

/** One commit of a source partition, as the offset topic has it. */
export const commitLineSchema = z.object({
  /** The record's timestamp. */
  at: z.iso.datetime(),
  /** `first`: the oldest at hand. `deleted`: a tombstone. `unknown`: it does not compare with the one before. */
  move: z.enum(["first", "forward", "back", "unchanged", "unknown", "deleted"]),
  /** The position in its short form; null for a tombstone. */
  position: z.string().nullable(),
  /** A snapshot was under way. */
  snapshot: z.boolean(),
  /** `+12,400 bytes of WAL`; null where there is nothing to compare with. */
  progress: z.string().nullable(),
  /** What a person should know of this step. */
  warnings: z.array(z.string()),
  /** Milliseconds since the record before; null for the oldest at hand, and where that one's clock was ahead. */
  afterMs: z.number().int().nullable(),
  readFrom: placeSchema,
});
export type CommitLine = z.infer<typeof commitLineSchema>;

export const partitionCommitsSchema = z.object({
  /** The newest commits, oldest first. */
  lines: z.array(commitLineSchema),
  /** The median time between two commits in milliseconds; null for fewer than three commits. */
  usualMs: z.number().int().nullable(),
  /** The longest time between two of them. */
  longestMs: z.number().int().nullable(),
});
export type PartitionCommits = z.infer<typeof partitionCommitsSchema>;

/** The commits of one source partition with what lies between them. */
export function partitionCommits(type: ConnectorType, commits: readonly OffsetCommit[]): PartitionCommits {
  const before = new Map<string, string>();
  const lines = commitSteps(type, commits).map((step) => {
    const previous = before.get(step.commit.topic);
    before.set(step.commit.topic, step.commit.at);
    return commitLine(type, step, previous ?? null);
  });
  const intervals = lines.flatMap((l) => (l.afterMs === null ? [] : [l.afterMs])).sort((a, b) => a - b);
  return {
    lines,
    usualMs: intervals.length < 2 ? null : (intervals[Math.floor(intervals.length / 2)] ?? null),
    longestMs: intervals.at(-1) ?? null,
  };
}

function commitLine(type: ConnectorType, step: CommitStep, previousAt: string | null): CommitLine {
  const { commit, offset, progress } = step;
  return {
    at: commit.at,
    move: moveOf(step),
    position: positionText(type, step),
    snapshot: offset !== null && inSnapshot(type, offset),
    progress: progress && progressText(progress),
    warnings: progress?.warnings.map((w) => w.text) ?? [],
    afterMs: previousAt === null ? null : between(previousAt, commit.at),
    readFrom: placeOf(commit),
  };
}

/** Workers' clocks can differ: a time that goes back is no interval, and not one of 0 either. */
function between(from: string, to: string): number | null {
  const ms = Date.parse(to) - Date.parse(from);
  return ms < 0 ? null : ms;
}

function moveOf({ commit, before, progress }: CommitStep): CommitLine["move"] {
  if (commit.offset === null) return "deleted";
  if (!before) return "first";
  return progress?.move ?? "unknown";
}

function positionText(type: ConnectorType, { commit, offset }: CommitStep): string | null {
  if (commit.offset === null) return null;
  return offset ? positionKinds[type].headline(offset).text : "not readable: no JSON object";
}

/** The step as it is told, its figure with separators: `+12,400 bytes of WAL`, `went back: -1 transaction`, `went back; why`. */
function progressText({ move, distance, text }: Progress): string {
  const { amount } = distance;
  const size = amount === null ? "" : String(amount < 0n ? -amount : amount);
  const told = size.length > 3 ? text.replace(size, formatCount(size)) : text;
  return move === "back" ? `went ${told.startsWith("back; ") ? told : `back: ${told}`}` : told;
}
