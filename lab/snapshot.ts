import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { kafkaClient } from "./broker";
import { LabFault } from "./fault";
import type { Lab, SnapshotKind, SnapshotResult } from "./lab";
import { openReader } from "./reader";
import { writtenTables } from "./tables";

/** A notification of Debezium's (`Notification`, the JSON converter without schemas). */
interface Notification {
  id: string;
  aggregate_type: string;
  type: string;
  additional_data?: Record<string, string> | null;
}

/**
 * Has a table read again by a signal through the connector's Kafka channel, and waits for the notification that it is done.
 * `table` is as Debezium names it: `public.orders`, `inventory.products`.
 * @throws LabFault for a table that no connector captures, one that could not be read, or after `timeoutMs`
 */
export async function snapshotTable(
  lab: Lab,
  table: string,
  kind: SnapshotKind,
  timeoutMs: number,
): Promise<SnapshotResult> {
  const prefix = prefixOf(lab, table);
  const id = randomUUID();
  // A blocking one tells of itself as an initial one, under an id of its own (seen in 3.5 and 3.6).
  const wanted = ({ id: of, aggregate_type }: Notification) =>
    kind === "incremental" ? of === id : aggregate_type === "Initial Snapshot";
  const told: Notification[] = [];
  let listening = false;
  const reader = await openReader(lab, [`${prefix}.notifications`], ({ value }) => {
    const one = value === null ? null : (JSON.parse(value) as Notification);
    if (listening && one && wanted(one)) told.push(one);
  });
  try {
    await reader.readToEnd();
    listening = true;
    await sendSignal(lab, prefix, {
      id,
      type: "execute-snapshot",
      data: { "data-collections": [table], type: kind },
    });
    const end = Date.now() + timeoutMs;
    while (!told.some(({ type }) => type === "COMPLETED" || type === "ABORTED")) {
      if (Date.now() > end) throw new LabFault(notDone(table, kind, timeoutMs, told));
      await sleep(200);
      await reader.readToEnd();
    }
  } finally {
    await reader.close();
  }
  return resultOf(table, id, told);
}

/** The connector's prefix, which is the key of its signals. */
function prefixOf(lab: Lab, table: string): string {
  const captured = writtenTables(lab.state).map(({ topic }) => {
    const dot = topic.indexOf(".");
    return { prefix: topic.slice(0, dot), table: topic.slice(dot + 1) };
  });
  const found = captured.find((one) => one.table === table);
  if (!found) {
    throw new LabFault(
      `No connector captures a table "${table}" that the writer writes. There are: ${captured.map((one) => one.table).join(", ")}.`,
    );
  }
  return found.prefix;
}

/** `data` must be an object: text ends the reading of signals until the task starts again. */
async function sendSignal(
  lab: Lab,
  prefix: string,
  signal: { id: string; type: string; data: object },
): Promise<void> {
  const producer = kafkaClient(lab.places).producer({ allowAutoTopicCreation: false });
  await producer.connect();
  try {
    const messages = [{ key: prefix, value: JSON.stringify(signal), partition: 0 }];
    await producer.send({ topic: `${prefix}.signals`, messages });
  } finally {
    await producer.disconnect();
  }
}

function notDone(table: string, kind: SnapshotKind, timeoutMs: number, told: Notification[]): string {
  const seen = told.map(({ type }) => type).join(", ") || "none";
  return `The ${kind} snapshot of ${table} was not done after ${timeoutMs / 1_000} s. Notifications seen: ${seen}.`;
}

/** COMPLETED alone is no success: the table's own notification tells how its scan went. */
function resultOf(table: string, id: string, told: Notification[]): SnapshotResult {
  const scan = told.findLast(({ type }) => type === "TABLE_SCAN_COMPLETED");
  const status = scan?.additional_data?.status ?? "unknown";
  if (status !== "SUCCEEDED" && status !== "EMPTY")
    throw new LabFault(`The snapshot of ${table} ended with status ${status}.`);
  return { id, status, rows: Number(scan?.additional_data?.total_rows_scanned ?? 0) };
}
