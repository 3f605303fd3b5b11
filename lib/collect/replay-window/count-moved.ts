import type { LogReader } from "@/lib/kafka/log/log-reader";
import type { SchemaRegistry } from "@/lib/kafka/registry";
import { lossNotes } from "@/lib/measure/replay-window/time-notes";
import type { Look } from "@/lib/observed/observation";
import type { ByPosition } from "@/lib/observed/replay-window";
import { inTurn } from "../in-turn";
import { continuation, joined } from "./continue-count";
import { countByPosition, type PositionCount, type PositionRequest } from "./count-by-position";
import type { CountedPartition } from "./count-by-position-partition";
import { type Measured, tablePartitions, unreadTopics } from "./measured";
import { countFirst } from "./moved";
import { sameState } from "./window-memory";

/** Bytes read for one connector and for all of them in one poll, and how many are counted at a time. */
const CONNECTOR_BYTES = 8 * 1024 * 1024;
const POLL_BYTES = 64 * 1024 * 1024;
const AT_ONCE = 3;
/** A state that could not be counted is tried again after so many polls. */
const TRY_AGAIN_POLLS = 12;
/** Where neither the source's time nor the commit before tells: records before the place by time at which the search begins. */
const SEARCHED_BEFORE = 4_096;

export interface CountLimits {
  connectorBytes?: number;
  pollBytes?: number;
  /** For values in a registry's form. */
  registry?: SchemaRegistry | null;
}

/**
 * Counts by position those connectors that moved since they were last counted, until the bytes of one poll are used up. The
 * others wait, and come first the longer they do.
 */
export async function countMoved(
  log: LogReader,
  measured: readonly Measured[],
  poll: number,
  at: Date,
  signal: AbortSignal,
  { connectorBytes = CONNECTOR_BYTES, pollBytes = POLL_BYTES, registry = null }: CountLimits = {},
): Promise<void> {
  const moved = new Map(measured.filter((m) => hasMoved(m, poll)).map((m) => [nameOf(m), m]));
  const first = countFirst(
    [...moved].map(([connector, m]) => ({
      connector,
      bracket: (m.byTime.high ?? m.byTime.low)?.records ?? null,
      waited: poll - (m.memory.waitingSince ?? poll),
    })),
  );
  let left = pollBytes;
  await inTurn(first, AT_ONCE, async ({ connector }) => {
    const one = moved.get(connector);
    if (!one || left <= 0 || signal.aborted) return;
    const maxBytes = Math.min(connectorBytes, left);
    // Taken before the read: others are counted at the same time.
    left -= maxBytes;
    const used = await countOne(log, one, { poll, at, maxBytes, registry, signal }).catch((error) => {
      one.memory.counted = null;
      one.memory.tried = { poll, state: one.state };
      one.memory.whyNoPosition = `counting failed: ${error instanceof Error ? error.message : String(error)}`;
      return maxBytes;
    });
    left += Math.max(0, maxBytes - used);
  });
}

const nameOf = ({ target }: Measured) => target.known.connector;

/** Whether a count would tell more than is known; notes since when it has been waiting. */
function hasMoved(measured: Measured, poll: number): boolean {
  const { target, memory, state, byTime } = measured;
  const { tried, counted } = memory;
  const short = mayBeShort(measured);
  const known = counted !== null && sameState(counted.state, state) && !short;
  const failed =
    !short && tried !== null && sameState(tried.state, state) && poll - tried.poll < TRY_AGAIN_POLLS;
  // Nothing since the commit's source time: there is nothing to read.
  const empty = byTime.high?.records === 0;
  // Of topics that cannot be looked at no count is made: none read is not none there.
  const blind = tablePartitions(measured).length === 0;
  const moved = target.inForce.kind === "streaming" && !known && !failed && !empty && !blind;
  memory.waitingSince = moved ? (memory.waitingSince ?? poll) : null;
  return moved;
}

/**
 * Whether a count was made of logs that had lost records before it, which the log starts asked for since have told. One that is
 * older than the loss read them all.
 */
function mayBeShort({ target, memory, byTime }: Measured): boolean {
  const { counted } = memory;
  if (!counted || counted.whole || !target.asksLogStarts) return false;
  const cut = byTime.notes.some((n) => n.slug === "deleted-in-window");
  counted.whole = !cut;
  return cut && !counted.count.notes.some((n) => n.slug === "deleted-in-window");
}

interface CountOptions {
  poll: number;
  at: Date;
  maxBytes: number;
  registry: SchemaRegistry | null;
  signal: AbortSignal;
}

/** Returns the bytes that were read. */
async function countOne(log: LogReader, measured: Measured, options: CountOptions): Promise<number> {
  const { memory, state } = measured;
  const { poll, maxBytes, signal } = options;
  const before = memory.counted?.count;
  const grown = before && !mayBeShort(measured) && continuation(measured);
  let used = 0;
  if (before && grown) {
    const look = await read(log, measured, { ...options, partitions: grown });
    if (signal.aborted) return maxBytes;
    const runs = { before: memory.runId, more: look.value?.found.runIds ?? new Map() };
    const count = look.value ? joined(before, look.value.count, runs) : null;
    if (look.value) learn(measured, look.value.found);
    used = look.value?.count.bytesRead ?? 0;
    if (count) {
      remember(measured, poll, count, true);
      return used;
    }
  }
  const look = await read(log, measured, { ...options, maxBytes: Math.max(1, maxBytes - used) });
  if (signal.aborted) return maxBytes;
  memory.tried = { poll, state };
  memory.waitingSince = null;
  if (look.failure !== undefined) {
    memory.counted = null;
    memory.whyNoPosition = look.failure.sentence;
    return maxBytes;
  }
  learn(measured, look.value.found);
  remember(measured, poll, look.value.count);
  return used + look.value.count.bytesRead;
}

async function read(
  log: LogReader,
  measured: Measured,
  { at, maxBytes, registry, signal, partitions }: CountOptions & { partitions?: readonly CountedPartition[] },
): Promise<Look<{ count: ByPosition; found: PositionCount }>> {
  const request = requestOf(measured);
  const look = await countByPosition(log, {
    ...request,
    partitions: partitions ?? request.partitions,
    maxBytes,
    registry,
    signal,
  });
  if (look.failure !== undefined) return look;
  const count = { ...look.value.count, at: at.toISOString() };
  // What is added to a count that lacks nothing was there at its end.
  return { value: { count: partitions ? count : withUncounted(count, measured), found: look.value } };
}

function remember(measured: Measured, poll: number, count: ByPosition, grown = false): void {
  const { memory, state } = measured;
  const ends = new Map(tablePartitions(measured).map((p) => [`${p.topic}/${p.partition}`, p.end]));
  const whole = measured.target.asksLogStarts || (grown && memory.counted?.whole === true);
  memory.counted = { poll, state, ends, count, whole };
  memory.tried = { poll, state };
  memory.waitingSince = null;
  memory.whyNoPosition = null;
}

/** What a count needs to know of one connector. */
export function requestOf(measured: Measured): Omit<PositionRequest, "maxBytes"> {
  const { type, config, inForce, isolation } = measured.target;
  const partitions = tablePartitions(measured).flatMap((p) => {
    const guess = p.place ?? p.end;
    const trusted = p.since !== null;
    const from = p.since ?? p.before ?? Math.max(0, guess - SEARCHED_BEFORE);
    const { topic, partition, topicId, end: to } = p;
    return from < to ? [{ topic, partition, topicId, from, guess, to, trusted }] : [];
  });
  return { type, config, inForce, isolation, partitions };
}

/** A topic that could not be looked at may hold more, and what was deleted is sent again all the same. */
function withUncounted(count: ByPosition, measured: Measured): ByPosition {
  const unread = unreadTopics(measured);
  const notes = measured.byTime.notes.filter((n) => lossNotes.includes(n.slug));
  if (unread.length > 0) {
    const text = `${unread.length === 1 ? `topic ${unread[0]}` : `${unread.length} topics`} could not be looked at and may hold more.`;
    notes.unshift({ slug: "topics-unreadable", text });
  }
  if (notes.length === 0) return count;
  // Doubts about the edge are of a few; what was not counted may be any number. Those not read are many, and may be too many.
  const bound = count.unread === 0 && count.bound !== "about" ? "at-least" : "about";
  return { ...count, bound, notes: [...count.notes, ...notes] };
}

function learn(measured: Measured, { transactional, runIds, bytesPerRecord }: PositionCount): void {
  const { memory } = measured;
  memory.transactional = transactional ?? memory.transactional;
  memory.bytesPerRecord = bytesPerRecord ?? memory.bytesPerRecord;
  const there = new Set(tablePartitions(measured).map((p) => `${p.topic}/${p.partition}`));
  memory.runIds = new Map([...memory.runIds, ...runIds].filter(([name]) => there.has(name)));
  const newest = [...memory.runIds.values()].filter((id) => id !== null).sort();
  memory.runId = newest.at(-1) ?? memory.runId;
}
