import type { JsonObject, JsonValue } from "../json";
import { booleanField, count, fieldProblems, quoted, textField, timeField, wholeField } from "./field-kinds";
import { nanosText, timeBetween } from "./nano-time";
import { incrementalWhy, ordered, reversed, snapshotRecord } from "./order-words";
import type {
  ChangeRecord,
  Distance,
  FieldText,
  Identity,
  Order,
  PositionKind,
  Problem,
  Reading,
} from "./position";

/** A time of CockroachDB's hybrid logical clock: nanoseconds since 1970, and a counter where that is not enough. */
interface Hlc {
  nanos: bigint;
  logical: bigint;
}

/** Where a CockroachDB connector or one of its events stands. */
export interface CockroachPosition {
  of: "offset" | "event";
  /** Of an offset: up to where all was sent. Of an event: when it was committed; null where the block does not tell. */
  hlc: Hlc | null;
  /** Offsets without a time: `initial` or `now`. */
  start: string | null;
  /** Events: up to where all had been sent when it was sent; its own time lies after it. */
  resolved: Hlc | null;
  /** Offsets: positions in topics between CockroachDB and the connector, from which a restart reads. */
  consumers: ReadonlyMap<string, bigint>;
  snapshot: "initial" | "incremental" | null;
}

const noCursor = ["initial", "now"];

/** `1789367400123456789.0000000002`; without the counter it is 0. Null for what is none. */
function parseHlc(value: JsonValue | undefined): Hlc | null {
  const match = typeof value === "string" ? /^(\d{1,19})(?:\.(\d{1,10}))?$/.exec(value.trim()) : null;
  return match?.[1] ? { nanos: BigInt(match[1]), logical: BigInt((match[2] ?? "").padEnd(10, "0")) } : null;
}

/** `2026-09-14T06:30:00.123456789Z`, with the counter where there is one. */
function hlcText({ nanos, logical }: Hlc): string {
  const text = nanosText(nanos) ?? nanos.toString();
  return logical === 0n ? text : `${text} (logical ${logical})`;
}

function cursorText(text: string): FieldText {
  const hlc = parseHlc(text);
  if (hlc) return { text: hlcText(hlc) };
  if (text === "initial") return { text: 'from the beginning ("initial")' };
  if (text === "now") return { text: 'from the time of the start ("now")' };
  return { problem: `is ${quoted(text)}, not an HLC time such as 1789367400123456789.0000000000` };
}

const fields = {
  "offset.cursor": textField(
    "Time of the hybrid logical clock up to which all changes were sent (resolved); a changefeed made anew begins here.",
    cursorText,
  ),
  "offset.timestamp": timeField(
    "The same to the millisecond; before the first resolved time, the connector's clock.",
    1_000n,
  ),
  snapshot_completed: booleanField("Whether the initial scan has ended in this connector's time."),
};

const consumerPrefix = "consumer.offset.";

function dynamicField(key: string) {
  if (!key.startsWith(consumerPrefix)) return null;
  const [, topic = "", partition = "?"] = /^(.*):(\d+)$/.exec(key.slice(consumerPrefix.length)) ?? [];
  const place = topic === "" ? key.slice(consumerPrefix.length) : `topic ${topic}, partition ${partition}`;
  return wholeField(`Next Kafka offset to read between CockroachDB and the connector: ${place}.`);
}

function consumersOf(offset: JsonObject): ReadonlyMap<string, bigint> {
  const found = new Map<string, bigint>();
  for (const [key, value] of Object.entries(offset)) {
    const next = key.startsWith(consumerPrefix) ? count(value) : null;
    if (next !== null) found.set(key, next);
  }
  return found;
}

function decodeOffset(offset: JsonObject): Reading<CockroachPosition> {
  const problems = fieldProblems(offset, fields);
  for (const [key, value] of Object.entries(offset)) {
    const problem = dynamicField(key)?.read(value).problem;
    if (problem !== undefined) problems.push({ key, text: `${key} ${problem}.` });
  }
  const cursor = offset["offset.cursor"];
  const hlc = parseHlc(cursor);
  if (cursor == null) problems.push({ key: "offset.cursor", text: "offset.cursor is missing." });
  const start = typeof cursor === "string" && noCursor.includes(cursor) ? cursor : null;
  if (hlc === null && start === null) return { position: null, problems };
  return {
    position: { of: "offset", hlc, start, resolved: null, consumers: consumersOf(offset), snapshot: null },
    problems,
  };
}

function decodeSource(source: JsonObject): Reading<CockroachPosition> {
  const problems: Problem[] = [];
  for (const key of ["ts_hlc", "resolved_ts"])
    if (source[key] != null && parseHlc(source[key]) === null)
      problems.push({
        key,
        text: `${key} is ${quoted(source[key])}, not an HLC time such as 1789367400123456789.0000000000.`,
      });
  const [hlc, resolved] = [parseHlc(source.ts_hlc), parseHlc(source.resolved_ts)];
  if (hlc === null && resolved === null) {
    if (problems.length === 0)
      problems.push({
        key: "ts_hlc",
        text: "The event has neither ts_hlc nor resolved_ts: it does not tell its place.",
      });
    return { position: null, problems };
  }
  return {
    position: {
      of: "event",
      hlc,
      start: null,
      resolved,
      consumers: new Map(),
      snapshot: snapshotRecord(source.snapshot),
    },
    problems,
  };
}

const compare = (a: Hlc, b: Hlc) => a.nanos - b.nanos || a.logical - b.logical;
const unordered = (why: string): Order => ({ order: "unordered", why });
const noTimeWhy = "The event does not hold the time of its own change (ts_hlc).";

function orderEvents(a: CockroachPosition, b: CockroachPosition): Order {
  if (a.hlc && b.hlc) return ordered(compare(a.hlc, b.hlc));
  return unordered(noTimeWhy);
}

function orderOffsetToEvent(offset: CockroachPosition, event: CockroachPosition): Order {
  if (offset.hlc === null)
    return unordered("The offset holds no time yet: what a restart sends depends on snapshot.mode.");
  const covered = event.hlc !== null && compare(event.hlc, offset.hlc) <= 0n;
  if (covered && event.hlc) return ordered(compare(offset.hlc, event.hlc));
  if (offset.consumers.size > 0)
    return unordered(
      "A restart reads on in the topics between CockroachDB and the connector, and the event does not tell its place there.",
    );
  if (event.hlc) return { order: "before" };
  // Its own change lies after the time that was resolved when it was sent.
  const later = event.resolved !== null && compare(event.resolved, offset.hlc) >= 0n;
  return later ? { order: "before" } : unordered(noTimeWhy);
}

/** By the cursor; where it stands still, by the topics in between. */
function orderOffsets(a: CockroachPosition, b: CockroachPosition): Order {
  if (!a.hlc !== !b.hlc) return { order: a.hlc ? "after" : "before" };
  const cursors = a.hlc && b.hlc ? compare(a.hlc, b.hlc) : 0n;
  if (cursors !== 0n) return ordered(cursors);
  const places = new Set([...a.consumers.keys(), ...b.consumers.keys()]);
  if (a.start !== b.start) return unordered("Neither offset holds a time yet.");
  const steps = [...places].map((key) => (a.consumers.get(key) ?? 0n) - (b.consumers.get(key) ?? 0n));
  const [ahead, behind] = [steps.some((n) => n > 0n), steps.some((n) => n < 0n)];
  if (ahead && behind) return unordered("Each is ahead in a topic between CockroachDB and the connector.");
  return ordered(Number(ahead) - Number(behind));
}

function order(a: CockroachPosition, b: CockroachPosition): Order {
  if (a.snapshot === "incremental" || b.snapshot === "incremental") return unordered(incrementalWhy);
  if (a.of === "event" && b.of === "event") return orderEvents(a, b);
  if (a.of === "event") return reversed(orderOffsetToEvent(b, a));
  if (b.of === "event") return orderOffsetToEvent(a, b);
  return orderOffsets(a, b);
}

function distance(from: CockroachPosition, to: CockroachPosition): Distance {
  if (!from.hlc || !to.hlc) return { amount: null, why: "One of the two holds no time of its own." };
  return timeBetween(from.hlc.nanos, to.hlc.nanos);
}

function identity({ topic, key, op, source }: ChangeRecord): Identity {
  if (op === "r") return { id: null, why: "A record read by a snapshot is a re-read, not a change." };
  const hlc = parseHlc(source.ts_hlc);
  if (!hlc)
    return {
      id: null,
      why: "The event has no ts_hlc, and its other times are those of the connector, which differ from run to run.",
    };
  const id = JSON.stringify([hlc.nanos.toString(), hlc.logical.toString(), topic, key, op]);
  const caveat = key === null ? "The record has no key: rows of one transaction share its time." : null;
  return { id, caveat };
}

function headline(offset: JsonObject) {
  const cursor = offset["offset.cursor"];
  const hlc = parseHlc(cursor);
  if (hlc)
    return {
      text: hlcText(hlc),
      meaning:
        consumersOf(offset).size > 0
          ? "Up to here all changes were sent; a restart reads on in the topics between CockroachDB and the connector."
          : "Up to here all changes were sent; a restart asks for those after it.",
    };
  if (typeof cursor === "string" && noCursor.includes(cursor))
    return {
      text: cursor,
      meaning: "No time was resolved yet: this is the cursor that the connector began with.",
    };
  return { text: "unknown", meaning: "The offset has no cursor that can be read." };
}

export const cockroachdb: PositionKind<CockroachPosition> = {
  fields,
  decodeOffset,
  decodeSource,
  order,
  distance,
  identity,
  headline,
  warnings: () => [],
  sourceTime(offset) {
    const hlc = parseHlc(offset["offset.cursor"]);
    return hlc === null ? null : hlc.nanos / 1_000n;
  },
  dynamicField,
  phase(offset) {
    const cursor = offset["offset.cursor"];
    if (typeof cursor !== "string" || !noCursor.includes(cursor)) return null;
    const phaseText =
      "no time was resolved yet: the initial scan is running, or nothing has come since the start; by snapshot.mode a restart scans all rows again or begins at its own time";
    return { phase: "unknown", phaseText };
  },
};
