import { booleanField, quoted, textField, wholeField } from "./field-kinds";
import type { FieldKind } from "./position";
import { keyField } from "./snapshot-progress";
import { queueText } from "./snapshot-state";

const snapshotKinds = ["TRUE", "FALSE", "INITIAL", "BLOCKING", "INCREMENTAL"];

const snapshotFlag: FieldKind = {
  meaning: "Which kind of snapshot the last record sent belongs to.",
  read(value) {
    if (value === null) return { text: "none" };
    if (typeof value !== "boolean" && typeof value !== "string")
      return { problem: `is ${quoted(value)}, not true or the kind of a snapshot` };
    const spelling = String(value).toUpperCase();
    if (!snapshotKinds.includes(spelling)) return { text: `${value} (not known to Tidemark)` };
    if (spelling === "TRUE") return { text: "initial (stored as true, as before Debezium 3.0.2)" };
    return { text: spelling === "FALSE" ? "none" : spelling.toLowerCase() };
  },
};

/** Keys that any connector may store (CommonOffsetContext, AbstractIncrementalSnapshotContext, TransactionContext). */
const commonFields: Readonly<Record<string, FieldKind>> = {
  snapshot: snapshotFlag,
  snapshot_completed: booleanField("Whether the snapshot that the flag names has ended."),
  last_snapshot_record: booleanField("Whether the last record of the snapshot has been sent."),
  incremental_snapshot_collections: {
    meaning: "Tables that the incremental snapshot still has to read, the one in progress first.",
    read: (value) => (value === null ? { text: "none" } : queueText(value)),
  },
  incremental_snapshot_primary_key: keyField(
    "Key of the last row that the incremental snapshot sent; a restart goes on after it.",
  ),
  incremental_snapshot_maximum_key: keyField(
    "Highest key of the table when its incremental snapshot began; it ends there.",
  ),
  incremental_snapshot_correlation_id: textField(
    "Id of the signal that asked for the snapshot, the last one if several did.",
  ),
  transaction_id: textField(
    "The transaction whose changes were being counted when the offset was stored (provide.transaction.metadata).",
  ),
};

const orderPrefix = "transaction_data_collection_order_";

export function isCommonField(key: string): boolean {
  return key.startsWith(orderPrefix) || Object.hasOwn(commonFields, key);
}

/** How a key that any connector may store is read; null for keys that are not common to all. */
export function commonField(key: string): FieldKind | null {
  if (key.startsWith(orderPrefix)) {
    const table = key.slice(orderPrefix.length);
    return wholeField(`Changes of ${table} sent so far in the transaction that transaction_id names.`);
  }
  return Object.hasOwn(commonFields, key) ? (commonFields[key] ?? null) : null;
}
