import { canonicalJson } from "@/lib/debezium/canonical-json";
import type { ConnectorConfig } from "@/lib/debezium/config";
import type { ConnectorType } from "@/lib/debezium/connector-type";
import { type JsonObject, stringifyJson } from "@/lib/debezium/json";
import { commitsInForce, type InForce } from "@/lib/measure/replay-window/in-force";

/** An event in Debezium's envelope, with what a test speaks of. */
export interface MadeUpEvent {
  source: JsonObject;
  op?: string;
  transaction?: JsonObject | null;
  /** The row. */
  row?: JsonObject;
}

const versions: Partial<Record<ConnectorType, string>> = { mariadb: "3.5.0.Final" };

/** The value as JsonConverter writes it without schemas, its members in Debezium's order. */
export function eventText(type: ConnectorType, prefix: string, event: MadeUpEvent): string {
  const { source, op = "c", transaction = null, row = { id: 1 } } = event;
  const block: JsonObject = {
    version: versions[type] ?? "3.6.1.Final",
    connector: type,
    name: prefix,
    ts_ms: 1_789_367_000_000,
    snapshot: "false",
    db: "shop",
    ...source,
  };
  return stringifyJson({
    before: op === "d" ? row : null,
    after: op === "d" ? null : row,
    source: block,
    transaction,
    op,
    ts_ms: 1_789_367_000_500,
  });
}

/** The offsets as Connect stores them, in force since `committedAt` (milliseconds since 1970). */
export function inForceOf(
  type: ConnectorType,
  config: ConnectorConfig,
  offsets: readonly { partition: JsonObject; offset: JsonObject }[],
  committedAt = 1_789_367_000_000,
): InForce {
  const stored = offsets.map(({ partition, offset }) => ({
    partition: canonicalJson(partition),
    offset: canonicalJson(offset),
    committedAt: new Date(committedAt).toISOString(),
  }));
  return commitsInForce(type, config, { offsets: stored } as Parameters<typeof commitsInForce>[2], null);
}

/** A run id: a UUID of version 7 that begins with this time, in milliseconds since 1970. */
export function runIdAt(millis: number, n = 0): string {
  const hex = millis.toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-${n.toString(16).padStart(12, "0")}`;
}
