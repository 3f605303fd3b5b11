import { z } from "zod";
import type { JudgedConnector } from "@/lib/checks/judged";
import { typeOf } from "@/lib/debezium/config";
import { commit, commitSchema } from "./commit";
import { type PartitionCommits, partitionCommits, partitionCommitsSchema } from "./commit-lines";
import { decodeStored, storedPartitionSchema } from "./decode-stored";
import { freshness, freshnessSchema, whyNoValue } from "./freshness";
import type { PollIntervals } from "./surroundings";

const positionPartitionSchema = storedPartitionSchema.extend({
  /** Its recent commits; null when the offset topic holds none, or is not read. */
  commits: partitionCommitsSchema.nullable(),
});

export const positionSectionSchema = z.object({
  freshness: freshnessSchema,
  /** Why there is no position, one sentence; null when there is one. */
  whyNone: z.string().nullable(),
  /** What to do about it. */
  remedy: z.string().nullable(),
  /** True when Connect or its offset topic says that nothing is stored, or a sink has none: a fact, not a fault. */
  noneIsFact: z.boolean(),
  commit: commitSchema.nullable(),
  /** `postgresql`, `mariadb`, …, or the class as it came. */
  connector: z.string().nullable(),
  partitions: z.array(positionPartitionSchema),
  /** The recent commits as a whole: how old the look at the offset topic is, or why there is none. */
  recentCommits: z.object({
    freshness: freshnessSchema,
    topics: z.array(z.string()),
    /** Why they are not known, one sentence; null when they are, and for a sink. */
    whyNone: z.string().nullable(),
    remedy: z.string().nullable(),
    /** Source partitions with commits but without a stored offset, such as after a tombstone; at most 50. */
    others: z.array(z.object({ partition: z.string(), commits: partitionCommitsSchema })),
  }),
});
export type PositionSection = z.infer<typeof positionSectionSchema>;

/** Spanner's short-lived partitions are left behind by the thousand. */
const mostOthers = 50;

function noPosition(connector: JudgedConnector): Pick<PositionSection, "whyNone" | "remedy" | "noneIsFact"> {
  if (connector.report.value?.type === "sink") {
    return {
      whyNone: "A sink connector has no source position: what it has read is its consumer group's offsets.",
      remedy: null,
      noneIsFact: true,
    };
  }
  const whyNone = whyNoValue(connector.offsets, "The stored offset");
  if (whyNone) return { whyNone, remedy: connector.offsets?.failure?.remedy ?? null, noneIsFact: false };
  if (connector.offsets?.value?.offsets.length === 0) {
    const said =
      connector.offsets.value.from === "topic"
        ? "the offset topic holds none of this connector"
        : "Connect answers with an empty list";
    return {
      whyNone: `No offset is stored: ${said}. A start would be the connector's first.`,
      remedy: null,
      noneIsFact: true,
    };
  }
  return { whyNone: null, remedy: null, noneIsFact: false };
}

/** The commits of each source partition, decoded as its connector's. */
function commitsByPartition(connector: JudgedConnector): Map<string, PartitionCommits> {
  const type = typeOf(connector.report.value?.config ?? {});
  const histories = connector.commits?.value?.partitions ?? [];
  return new Map(histories.map(({ partition, commits }) => [partition, partitionCommits(type, commits)]));
}

function recentCommits(
  connector: JudgedConnector,
  others: PositionSection["recentCommits"]["others"],
  poll: PollIntervals,
  now: Date,
): PositionSection["recentCommits"] {
  const isSink = connector.report.value?.type === "sink";
  return {
    freshness: freshness(connector.commits, poll.offsets, now),
    topics: connector.commits?.value?.topics ?? [],
    whyNone: isSink ? null : whyNoValue(connector.commits, "The offset topic"),
    remedy: connector.commits?.failure?.remedy ?? null,
    others,
  };
}

export function positionSection(input: {
  connector: JudgedConnector;
  poll: PollIntervals;
  now: Date;
}): PositionSection {
  const { connector, poll, now } = input;
  const none = noPosition(connector);
  const decoded = none.whyNone === null ? decodeStored(connector) : null;
  const histories = commitsByPartition(connector);
  const stored = new Set(decoded?.partitions.map((p) => p.partition));
  const others = [...histories].flatMap(([partition, commits]) =>
    stored.has(partition) ? [] : [{ partition, commits }],
  );
  return {
    freshness: freshness(connector.offsets, poll.offsets, now),
    ...none,
    commit: commit(connector),
    connector: decoded?.connector ?? null,
    partitions: (decoded?.partitions ?? []).map((p) => ({
      ...p,
      commits: histories.get(p.partition) ?? null,
    })),
    recentCommits: recentCommits(connector, others.slice(0, mostOthers), poll, now),
  };
}
