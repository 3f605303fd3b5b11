import type { Phase } from "../decode-report";
import { isJsonObject, type JsonObject, type JsonValue, parseJson, plainText } from "../json";
import { plural, quoted } from "./field-kinds";
import type { FieldText } from "./position";

/** One table in the queue of an incremental snapshot (AbstractIncrementalSnapshotContext). */
interface QueuedTable {
  table: string;
  filtered: boolean;
}

const idKey = "incremental_snapshot_collections_id";
const conditionKey = "incremental_snapshot_collections_additional_condition";

/** The queue of an incremental snapshot, the table in progress first; null when the text is not such a list. */
function snapshotQueue(value: JsonValue | undefined): QueuedTable[] | null {
  if (typeof value !== "string") return null;
  try {
    const list = parseJson(value);
    return Array.isArray(list) ? list.map(queuedTable) : null;
  } catch {
    return null;
  }
}

function queuedTable(item: JsonValue): QueuedTable {
  const entry = isJsonObject(item) ? item : {};
  const table = entry[idKey];
  if (typeof table !== "string") throw new TypeError("no table id");
  const condition = entry[conditionKey];
  return { table, filtered: typeof condition === "string" && condition.trim() !== "" };
}

/** `public.orders, public.customers (2 tables remaining)`. */
export function queueText(value: JsonValue): FieldText {
  const queue = snapshotQueue(value);
  if (queue === null) return { problem: `is ${quoted(value)}, not a JSON list of tables` };
  if (queue.length === 0) return { text: "no table remaining" };
  const names = queue.map(({ table, filtered }) => (filtered ? `${table} (with a filter)` : table));
  return { text: `${names.join(", ")} (${plural(queue.length, "table")} remaining)` };
}

/** What the stored flags say of snapshots. */
export type SnapshotState =
  | "none"
  | "initial-running"
  | "blocking-running"
  | "done"
  | "incremental-record"
  | "unknown";

function isTrue(value: JsonValue | undefined): boolean {
  return value === true || (typeof value === "string" && value.toLowerCase() === "true");
}

/**
 * Reads the `snapshot` flag in all its spellings: true (to 3.0.1), INITIAL, BLOCKING or INCREMENTAL (from 3.0.2),
 * MongoDB's `initsync`; CommonOffsetContext.
 */
export function snapshotState(offset: JsonObject): SnapshotState {
  const flag = isTrue(offset.initsync) ? true : (offset.snapshot ?? false);
  const spelling = plainText(flag).toUpperCase();
  if (spelling === "FALSE") return "none";
  if (spelling === "INCREMENTAL") return "incremental-record";
  if (spelling !== "TRUE" && spelling !== "INITIAL" && spelling !== "BLOCKING") return "unknown";
  if (isTrue(offset.snapshot_completed) || isTrue(offset.last_snapshot_record)) return "done";
  return spelling === "BLOCKING" ? "blocking-running" : "initial-running";
}

/** The phase of an offset and its sentence. */
export function phaseOf(offset: JsonObject): { phase: Phase; phaseText: string } {
  const state = snapshotState(offset);
  if (state === "initial-running")
    return { phase: "snapshot", phaseText: "snapshot running; a crash replays the whole snapshot" };
  if (state === "blocking-running")
    return {
      phase: "snapshot",
      phaseText: "blocking snapshot running; a crash replays the whole snapshot",
    };
  if (state === "unknown") {
    const flag = quoted(offset.snapshot);
    return { phase: "unknown", phaseText: `the snapshot flag ${flag} is not known to Tidemark` };
  }
  const queue = snapshotQueue(offset.incremental_snapshot_collections) ?? [];
  if (queue[0]) {
    const remaining = plural(queue.length, "table");
    return {
      phase: "incremental-snapshot",
      phaseText: `incremental snapshot running: ${queue[0].table}, ${remaining} remaining; a restart goes on from the last row sent`,
    };
  }
  if (state === "done")
    return { phase: "streaming", phaseText: "snapshot complete, streaming not yet recorded" };
  if (state === "incremental-record")
    return {
      phase: "streaming",
      phaseText: "streaming; the last record sent was from an incremental snapshot",
    };
  return { phase: "streaming", phaseText: "streaming" };
}
