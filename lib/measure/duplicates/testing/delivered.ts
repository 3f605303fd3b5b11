import type { DeliveredRecord } from "@/lib/debezium/events/delivered-record";

/** A change of one PostgreSQL row, the n-th of its source, in a transaction of its own, unless told otherwise. */
export function change(
  offset: number,
  n: number,
  runId: string | null = null,
  more: Partial<DeliveredRecord> = {},
): DeliveredRecord {
  const lsn = 1000n + BigInt(n) * 10n;
  return {
    ...bareRecord("change", offset),
    runId,
    lane: '["shop","postgresql",null]',
    op: "c",
    identity: `tx ${n}`,
    rowKey: `["public.orders","${n % 7}"]`,
    position: {
      of: "event",
      lsn: lsn + 5n,
      lastCommit: lsn,
      txId: BigInt(500 + n),
      messageType: null,
      eventsAtLsn: null,
      snapshot: null,
      sequenced: true,
    },
    positionText: `at ${n}`,
    type: "postgresql",
    ...more,
  };
}

/** A record that is no change. */
export function bareRecord(kind: DeliveredRecord["kind"], offset: number): DeliveredRecord {
  return {
    offset,
    timestamp: 1_789_367_000_000 + offset * 1000,
    partition: 0,
    runId: null,
    taskId: null,
    writer: "shop",
    lane: "",
    kind,
    op: kind === "snapshot" ? "r" : "",
    snapshot: kind === "snapshot" ? "initial" : null,
    identity: null,
    caveat: null,
    rowKey: null,
    position: null,
    positionText: null,
    type: "postgresql",
    slug: null,
    why: null,
    remedy: null,
  };
}

/** Laid down one after the other, from offset 0. */
export function log(records: readonly ((offset: number) => DeliveredRecord)[]): DeliveredRecord[] {
  return records.map((record, offset) => record(offset));
}

export const changes = (
  from: number,
  to: number,
  runId: string | null,
  more: Partial<DeliveredRecord> = {},
) => Array.from({ length: to - from }, (_, i) => (offset: number) => change(offset, from + i, runId, more));

/** A run id of version 7 of a run that began at this second. */
export function runAt(second: number): string {
  const hex = (1_789_367_000_000 + second * 1000).toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7abc-8def-0123456789ab`;
}
