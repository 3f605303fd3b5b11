import type { ConnectorConfig } from "../config";
import { transformsOf } from "./flattening";
import { headerText } from "./header-values";
import type { DebeziumRecord, RecordReading } from "./record-reading";

const router = /\.(Mongo)?EventRouter$/;
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Names of the headers that EventRouter writes, by the connector's configuration. */
interface OutboxHeaders {
  eventType: string;
  /** Whether the configuration has the router, so that an `id` header is its own. */
  sure: boolean;
}

function outboxHeaders(config: ConnectorConfig | null | undefined): OutboxHeaders {
  const [transform] = config ? transformsOf(config, router) : [];
  const placed = transform ? config?.[`${transform}table.fields.additional.placement`] : null;
  const type = placed?.split(",").find((item) => /^\s*type:header(:|\s*$)/.test(item));
  return { eventType: type?.split(":")[2]?.trim() || "eventType", sure: transform !== undefined };
}

/**
 * An event of the outbox pattern (EventRouter): the header `id` is that of the outbox row. Without the configuration a
 * UUID there, or an event type beside it, is taken for one.
 */
export function readOutbox(
  record: DebeziumRecord,
  config: ConnectorConfig | null | undefined,
): Extract<RecordReading, { kind: "outbox" }> | null {
  const id = headerText(record.headers, "id");
  if (id === null) return null;
  const names = outboxHeaders(config);
  const eventType = headerText(record.headers, names.eventType);
  return names.sure || eventType !== null || uuid.test(id) ? { kind: "outbox", id, eventType } : null;
}
