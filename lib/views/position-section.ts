import { z } from "zod";
import type { JudgedConnector } from "@/lib/checks/judged";
import { commit, commitSchema } from "./commit";
import { decodeStored, positionPartitionSchema } from "./decode-stored";
import { freshness, freshnessSchema, whyNoValue } from "./freshness";
import type { PollIntervals } from "./surroundings";

export const positionSectionSchema = z.object({
  freshness: freshnessSchema,
  /** Why there is no position, one sentence; null when there is one. */
  whyNone: z.string().nullable(),
  /** What to do about it. */
  remedy: z.string().nullable(),
  /** True when Connect itself said that nothing is stored, or a sink has none: a fact, not a fault. */
  noneIsFact: z.boolean(),
  commit: commitSchema.nullable(),
  /** `postgresql`, `mariadb`, …, or the class as it came. */
  connector: z.string().nullable(),
  partitions: z.array(positionPartitionSchema),
});
export type PositionSection = z.infer<typeof positionSectionSchema>;

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
    return {
      whyNone:
        "No offset is stored: Connect answers with an empty list. A start would be the connector's first.",
      remedy: null,
      noneIsFact: true,
    };
  }
  return { whyNone: null, remedy: null, noneIsFact: false };
}

export function positionSection(input: {
  connector: JudgedConnector;
  poll: PollIntervals;
  now: Date;
}): PositionSection {
  const { connector, poll, now } = input;
  const none = noPosition(connector);
  const decoded = none.whyNone === null ? decodeStored(connector) : null;
  return {
    freshness: freshness(connector.offsets, poll.offsets, now),
    ...none,
    commit: commit(connector.offsets),
    connector: decoded?.connector ?? null,
    partitions: decoded?.partitions ?? [],
  };
}
