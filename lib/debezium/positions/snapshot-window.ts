import type { ConnectorType } from "../connector-type";
import type { JsonObject } from "../json";
import { positionKinds } from "./kinds";
import { snapshotState } from "./snapshot-state";
import { parseVgtid } from "./vgtid";

/**
 * What a start from this offset would do with a snapshot. `begins-again`: an initial or a blocking one is under way, and none
 * of its rows counts as sent. `none`: none is, or one that goes on where it was, as incremental ones do and Vitess's copy of
 * rows once it has stored a key. `unknown`: the offset does not tell.
 */
export function snapshotWindow(type: ConnectorType, offset: JsonObject): "begins-again" | "none" | "unknown" {
  if (type === "vitess" && copyBeginsAgain(offset)) return "begins-again";
  if (positionKinds[type].phase?.(offset)?.phase === "unknown") return "unknown";
  const state = snapshotState(offset);
  if (state === "unknown") return "unknown";
  return state === "initial-running" || state === "blocking-running" ? "begins-again" : "none";
}

/** A shard that copies from its start and has stored no last key of any table. */
function copyBeginsAgain({ vgtid }: JsonObject): boolean {
  const shards = typeof vgtid === "string" ? (parseVgtid(vgtid).vgtid?.values() ?? []) : [];
  return [...shards].some(({ fromStart, copying }) => fromStart && copying.length === 0);
}
