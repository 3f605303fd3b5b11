import type { Phase } from "../decode-report";
import { isJsonObject, type JsonObject, type JsonValue, parseJson, plainText } from "../json";
import { plural, quoted } from "./field-kinds";
import type { FieldText } from "./position";
import { snapshotProgress } from "./snapshot-progress";

/** One table in the queue of an incremental snapshot (AbstractIncrementalSnapshotContext). */
interface QueuedTable {
  table: string;
  filtered: boolean;
  /** The column that stands in for the primary key. */
  surrogateKey: string | null;
}

const idKey = "incremental_snapshot_collections_id";
const conditionKey = "incremental_snapshot_collections_additional_condition";
const surrogateColumnKey = "incremental_snapshot_collections_surrogate_key";

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
  return {
    table,
    filtered: filled(entry[conditionKey]) !== null,
    surrogateKey: filled(entry[surrogateColumnKey]),
  };
}

const filled = (value: JsonValue | undefined) =>
  typeof value === "string" && value.trim() !== "" ? value.trim() : null;

/** `public.orders (with a filter, by the surrogate key row_no)`. A filter's text is SQL that can hold row data. */
function tableText({ table, filtered, surrogateKey }: QueuedTable): string {
  const notes = [filtered && "with a filter", surrogateKey && `by the surrogate key ${surrogateKey}`];
  const said = notes.filter(Boolean).join(", ");
  return said === "" ? table : `${table} (${said})`;
}

/** `public.orders, public.customers (2 tables remaining)`. */
export function queueText(value: JsonValue): FieldText {
  const queue = snapshotQueue(value);
  if (queue === null) return { problem: `is ${quoted(value)}, not a JSON list of tables` };
  if (queue.length === 0) return { text: "no table remaining" };
  return { text: `${queue.map(tableText).join(", ")} (${plural(queue.length, "table")} remaining)` };
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
  const stored = offset.incremental_snapshot_collections ?? null;
  const queue = stored === null ? [] : snapshotQueue(stored);
  if (queue === null)
    return { phase: "unknown", phaseText: "the queue of the incremental snapshot cannot be read" };
  if (queue[0]) {
    const progress = snapshotProgress(offset);
    const facts = [
      `incremental snapshot running: ${queue[0].table}, ${plural(queue.length, "table")} remaining`,
      ...(progress === null ? [] : [progress]),
      "a restart goes on from the last row sent",
    ];
    return { phase: "incremental-snapshot", phaseText: facts.join("; ") };
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
