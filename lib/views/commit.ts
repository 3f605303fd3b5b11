import { z } from "zod";
import type { JudgedConnector } from "@/lib/checks/judged";
import type { CommitHistory, OffsetCommit } from "@/lib/observed/commits";
import { iso } from "./freshness";

/** Where a record lies in the offset topic. */
export const placeSchema = z.object({
  topic: z.string(),
  partition: z.number().int(),
  offset: z.number().int(),
});
export type Place = z.infer<typeof placeSchema>;

/**
 * When the stored offset was committed. `exactAt` is the timestamp of its record in the offset topic. Without that
 * topic REST tells less: the commit lies between two looks, and with `changed` false it was made before the watch
 * began, nobody knows when.
 */
export const commitSchema = z.object({
  changed: z.boolean(),
  /** First seen to be this offset; if `changed` is false, when the watch began. */
  seenAt: z.iso.datetime(),
  /** Last seen to be another offset. */
  notBefore: z.iso.datetime().nullable(),
  /** When the newest commit was made; null: not known exactly. */
  exactAt: z.iso.datetime().nullable(),
  /** Where that commit was read; null when it is not at hand. */
  readFrom: placeSchema.nullable(),
});
export type Commit = z.infer<typeof commitSchema>;

/** The newest commit of a connector over all its source partitions; null when nothing is stored or known. */
export function commit({ offsets, commits }: Pick<JudgedConnector, "offsets" | "commits">): Commit | null {
  if (!offsets?.value || !offsets.since || offsets.value.offsets.length === 0) return null;
  const told = newest(offsets.value.offsets.flatMap((o) => (o.committedAt ? [{ at: o.committedAt }] : [])));
  const read = commits?.value ? newestStored(commits.value) : null;
  // Commits that can no longer be read may lag behind the stored offset.
  const current = read && (commits?.failure === null || Date.parse(read.at) >= offsets.since.getTime());
  const exactAt = told?.at ?? (current ? read.at : null);
  return {
    changed: offsets.notBefore !== null,
    seenAt: offsets.since.toISOString(),
    notBefore: iso(offsets.notBefore),
    exactAt,
    readFrom: read && read.at === exactAt ? placeOf(read) : null,
  };
}

/** The newest record of the source partitions whose offset was not deleted. */
function newestStored({ partitions }: CommitHistory): OffsetCommit | null {
  return newest(
    partitions.flatMap(({ commits }) => {
      const last = commits.at(-1);
      return last && last.offset !== null ? [last] : [];
    }),
  );
}

function newest<T extends { at: string }>(list: readonly T[]): T | null {
  return list.reduce<T | null>((best, item) => (best && best.at >= item.at ? best : item), null);
}

export function placeOf({ topic, kafkaPartition, kafkaOffset }: OffsetCommit): Place {
  return { topic, partition: kafkaPartition, offset: kafkaOffset };
}
