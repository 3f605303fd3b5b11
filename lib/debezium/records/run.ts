/** Header of Debezium 3.4 and later (DebeziumHeaders): one value for each run of a task. */
export const runIdHeader = "__debezium.context.runId";

const uuidV7 = /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

/** When a run began: the milliseconds in the first 48 bits of a UUIDv7 (RFC 9562). Null for any other id. */
export function runStartedAt(runId: string): string | null {
  const [, high = "", low = ""] = uuidV7.exec(runId) ?? [];
  if (high === "") return null;
  const date = new Date(Number.parseInt(high + low, 16));
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}
