import { type JsonObject, type JsonValue, wholeNumber } from "../json";
import { count, fieldProblems, quoted, textField } from "./field-kinds";
import { nanosText, parseRfc3339, timeBetween } from "./nano-time";
import { ordered, reversed } from "./order-words";
import type { ChangeRecord, FieldText, Identity, Order, PositionKind, Problem, Reading } from "./position";

/** Where one partition token of a Spanner change stream, or one of its events, stands. */
export interface SpannerPosition {
  of: "offset" | "event";
  /** Nanoseconds since 1970. */
  nanos: bigint;
  /** What the time is known to, in nanoseconds: events of Debezium before 2.6 tell milliseconds. */
  precision: bigint;
  /** Null for an offset: its token is in the source partition. */
  token: string | null;
  transaction: string | null;
  /** Number of the record in its transaction, and of the change in its record. */
  sequence: bigint | null;
  change: bigint | null;
}

function timeText(text: string): FieldText {
  const nanos = parseRfc3339(text);
  return nanos === null
    ? { problem: `is ${quoted(text)}, not a time such as 2026-09-14T06:30:00.123456789Z` }
    : { text: nanosText(nanos) ?? text };
}

const fields = {
  offset: textField(
    "Commit time up to which this partition token was sent; a restart reads from it, itself included.",
    timeText,
  ),
  startTime: textField("When the partition token begins in the change stream.", timeText),
  queryStartedAt: textField("When the connector began to query the partition token.", (text) =>
    text === "" ? { text: "not told" } : timeText(text),
  ),
};

const nanosOf = (value: JsonValue | undefined) => (typeof value === "string" ? parseRfc3339(value) : null);

function decodeOffset(offset: JsonObject): Reading<SpannerPosition> {
  const problems = fieldProblems(offset, fields);
  const nanos = nanosOf(offset.offset);
  if (nanos === null) {
    if (offset.offset == null)
      problems.push({
        key: "offset",
        text: "offset is missing; an offset of Spanner has the commit time there.",
      });
    return { position: null, problems };
  }
  const none = { token: null, transaction: null, sequence: null, change: null };
  return { position: { of: "offset", nanos, precision: 1n, ...none }, problems };
}

/** The finest of ts_ns, ts_us (2.6 and later) and ts_ms. */
function timeOf(source: JsonObject): { nanos: bigint; precision: bigint } | null {
  for (const [key, precision] of [
    ["ts_ns", 1n],
    ["ts_us", 1_000n],
    ["ts_ms", 1_000_000n],
  ] as const) {
    const number = count(source[key]);
    if (number !== null) return { nanos: number * precision, precision };
  }
  return null;
}

const textOf = (value: JsonValue | undefined) => (typeof value === "string" && value !== "" ? value : null);

function decodeSource(source: JsonObject): Reading<SpannerPosition> {
  const time = timeOf(source);
  const problems: Problem[] = [];
  if (time === null)
    problems.push({ key: "ts_ms", text: `ts_ms is ${quoted(source.ts_ms)}, not a time as a whole number.` });
  if (time === null) return { position: null, problems };
  return {
    position: {
      of: "event",
      ...time,
      token: textOf(source.partition_token),
      transaction: textOf(source.server_transaction_id),
      sequence: wholeNumber(source.sequence),
      change: count(source.mod_number),
    },
    problems,
  };
}

const millisecond = 1_000_000n;
const ofToken = "It holds for events of the offset's own partition token.";
const coarse = "The event tells its time less finely than the offset does, and the two lie within that.";

/** By time, if they are further apart than what their times are known to; null if not. */
function byTime(a: SpannerPosition, b: SpannerPosition, why?: string): Order | null {
  const { precision } = a.precision > b.precision ? a : b;
  const difference = a.nanos / precision - b.nanos / precision;
  return difference === 0n ? null : ordered(difference, why);
}

function orderEvents(a: SpannerPosition, b: SpannerPosition): Order {
  const unordered = (why: string): Order => ({ order: "unordered", why });
  if (a.token === null || b.token === null || a.token !== b.token)
    return unordered(
      "They are of different partition tokens, which are read side by side: there is no order among them.",
    );
  const time = byTime(a, b);
  if (time) return time;
  if (a.transaction === null || a.transaction !== b.transaction)
    return unordered("Two transactions have the same commit time: which came first cannot be told.");
  const bySequence = (a.sequence ?? 0n) - (b.sequence ?? 0n);
  return ordered(bySequence || (a.change ?? 0n) - (b.change ?? 0n));
}

/** A restart asks Spanner for the changes from the offset's time on, itself included. */
function orderOffsetToEvent(offset: SpannerPosition, event: SpannerPosition): Order {
  const time = byTime(offset, event, ofToken);
  if (time) return time;
  const exact = offset.nanos % event.precision === 0n && event.precision < millisecond;
  return exact ? { order: "before", why: ofToken } : { order: "unordered", why: coarse };
}

function order(a: SpannerPosition, b: SpannerPosition): Order {
  if (a.of === "offset" && b.of === "offset") return ordered(a.nanos - b.nanos);
  if (a.of === "offset") return orderOffsetToEvent(a, b);
  if (b.of === "offset") return reversed(orderOffsetToEvent(b, a));
  return orderEvents(a, b);
}

/** Transaction, number of the record in it and of the change in the record: unique in the database. */
function identity({ topic, key, op, source }: ChangeRecord): Identity {
  if (op === "r") return { id: null, why: "A record read by a snapshot is a re-read, not a change." };
  const transaction = textOf(source.server_transaction_id);
  const [sequence, change] = [wholeNumber(source.sequence), count(source.mod_number)];
  if (transaction === null || sequence === null)
    return { id: null, why: "The event has no server_transaction_id and sequence." };
  // Sequences that are no numbers keep their first part in a field of its own.
  const place = [textOf(source.record_sequence_prefix), sequence.toString(), change?.toString() ?? null];
  const id = JSON.stringify([transaction, ...place, textOf(source.table), topic, key, op]);
  const caveat =
    change === null ? "The event has no mod_number: changes of one record cannot be told apart." : null;
  return { id, caveat };
}

const ended = "this partition token has ended: all its changes were sent, and it is not read again";

export const spanner: PositionKind<SpannerPosition> = {
  fields,
  decodeOffset,
  decodeSource,
  order,
  distance: (from, to) => timeBetween(from.nanos, to.nanos),
  identity,
  headline(offset) {
    if (Object.keys(offset).length === 0)
      return { text: "ended", meaning: "An empty map marks a partition token that has ended." };
    const nanos = nanosOf(offset.offset);
    if (nanos === null)
      return { text: "unknown", meaning: "The offset has no commit time that can be read." };
    return { text: nanosText(nanos) ?? "unknown", meaning: fields.offset.meaning };
  },
  warnings: () => [],
  sourceTime(offset) {
    const nanos = nanosOf(offset.offset);
    return nanos === null ? null : nanos / 1_000n;
  },
  phase: (offset) => (Object.keys(offset).length === 0 ? { phase: "streaming", phaseText: ended } : null),
};
