import type { JsonValue } from "../json";
import type { Order } from "./position";

/** Why a record of an incremental snapshot has no place in an order. */
export const incrementalWhy =
  "A record of an incremental snapshot carries the position of the moment, not one of its own.";

/** Why an offset inside a snapshot covers nothing. */
export const runningWhy = "A snapshot is running in the offset: a restart sends all of it again.";

/** The order of two numbers, with what is assumed where it is not certain. */
export function ordered(difference: bigint | number, why?: string): Order {
  const order = difference < 0 ? "before" : difference > 0 ? "after" : "equal";
  return why === undefined ? { order } : { order, why };
}

/** How the second stands to the first. */
export function reversed(order: Order): Order {
  if (order.order === "before") return { ...order, order: "after" };
  if (order.order === "after") return { ...order, order: "before" };
  return order;
}

/** What a source block's `snapshot` says: whether the record was read by a snapshot, and of which kind (SnapshotRecord). */
export function snapshotRecord(value: JsonValue | undefined): "initial" | "incremental" | null {
  if (value === "incremental") return "incremental";
  return value == null || value === "false" || value === false ? null : "initial";
}
