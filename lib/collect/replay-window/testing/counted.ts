import type { JsonObject } from "@/lib/debezium/json";
import { countByPosition, type PositionCount, type PositionRequest } from "../count-by-position";
import type { EventLog, EventRecord } from "./event-log";
import { eventText, inForceOf, runIdAt } from "./made-up-events";

export const orders = "shop.public.orders";
export const config = { "topic.prefix": "shop" };
export const committedAt = 1_789_367_000_000;
export const [r1, r2] = [runIdAt(committedAt - 60_000, 1), runIdAt(committedAt - 1_000, 2)];

/** A change of the transaction that committed next after this LSN. */
export function change(
  n: number,
  more: Partial<EventRecord> & { op?: string; source?: JsonObject } = {},
): EventRecord {
  const { op, source = {}, ...record } = more;
  const block = {
    schema: "public",
    table: "orders",
    txId: n,
    lsn: n,
    sequence: `["${n - 5}","${n}"]`,
    ...source,
  };
  const value = eventText("postgresql", "shop", { source: block, ...(op ? { op } : {}) });
  return { value, key: `{"id":${n}}`, run: r1, timestamp: committedAt + n, ...record };
}

export const tombstone = (n: number, run = r1): EventRecord => ({ value: null, key: `{"id":${n}}`, run });
/** Up to 100 it is covered. */
export const offset: JsonObject = {
  lsn: 100,
  lsn_proc: 100,
  lsn_commit: 100,
  messageType: "COMMIT",
  txId: 100,
};
export const changes = (from: number, to: number, more: Parameters<typeof change>[1] = {}) =>
  Array.from({ length: (to - from) / 10 }, (_, i) => change(from + i * 10, more));

interface Asked extends Partial<Omit<PositionRequest, "partitions">> {
  offset?: JsonObject;
  from?: number;
  guess?: number;
  trusted?: boolean;
  topics?: string[];
}

function request(log: EventLog, asked: Asked = {}): PositionRequest {
  const { offset: map = offset, from = 0, guess, trusted = true, topics = [orders], ...more } = asked;
  const partitions = topics.map((topic) => {
    const to = log.of(topic).end;
    return { topic, partition: 0, topicId: "t1", from, guess: guess ?? from, to, trusted };
  });
  return {
    type: "postgresql",
    config,
    inForce: inForceOf("postgresql", config, [{ partition: { server: "shop" }, offset: map }], committedAt),
    isolation: "read_uncommitted",
    partitions,
    maxBytes: 10_000_000,
    ...more,
  };
}

export async function counted(log: EventLog, asked: Asked = {}): Promise<PositionCount> {
  const look = await countByPosition(log.reader(), request(log, asked));
  if (look.failure) throw new Error(look.failure.sentence);
  return look.value;
}

export async function failed(log: EventLog, asked: Asked = {}) {
  const { failure } = await countByPosition(log.reader(), request(log, asked));
  if (!failure) throw new Error("it must fail");
  return failure;
}

export const slugs = ({ count }: PositionCount) => count.notes.map(({ slug }) => slug);
