import { z } from "zod";
import type { StoredOffsets } from "@/lib/observed/connector";
import type { Observation } from "@/lib/observed/observation";
import { iso } from "./freshness";

/**
 * When the stored offset was committed, as far as REST tells: the commit lies between two looks.
 * `changed` false: it was committed before the watch began, nobody knows when.
 */
export const commitSchema = z.object({
  changed: z.boolean(),
  /** First seen to be this offset; if `changed` is false, when the watch began. */
  seenAt: z.iso.datetime(),
  /** Last seen to be another offset. */
  notBefore: z.iso.datetime().nullable(),
});
export type Commit = z.infer<typeof commitSchema>;

export function commit(offsets: Observation<StoredOffsets> | null): Commit | null {
  if (!offsets?.value || !offsets.since || offsets.value.offsets.length === 0) return null;
  return {
    changed: offsets.notBefore !== null,
    seenAt: offsets.since.toISOString(),
    notBefore: iso(offsets.notBefore),
  };
}
