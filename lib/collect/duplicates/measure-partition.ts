import type { ConnectorConfig } from "@/lib/debezium/config";
import type { ConnectorType } from "@/lib/debezium/connector-type";
import { LogReadError, type LogReader } from "@/lib/kafka/log/log-reader";
import type { SchemaRegistry } from "@/lib/kafka/registry";
import { type Carried, carriedSchema as schema, type WriterState } from "@/lib/measure/duplicates/carried";
import { identityBytesFor } from "@/lib/measure/duplicates/identity-bytes";
import type { FoundReplay, PartitionDuplicates } from "@/lib/observed/duplicates";
import { deliveredReader } from "./delivered-reader";
import { type LeaderDoubles, leaderDoubles } from "./leader-doubles";
import { MeasuredWriter } from "./measure-writer";
import { NothingNear, PartitionReader } from "./partition-reader";
import { readSmall, withLost } from "./small-range";
import { Unreadables } from "./unreadables";
import { WriterLog } from "./writer-log";
import { writersIn } from "./writers-in";

export type { Carried };
export const carriedSchema = schema;

/** What to measure of one partition. */
export interface PartitionRequest {
  topic: string;
  partition: number;
  /** Null before Kafka 2.8. */
  topicId: string | null;
  /** 0, or where the look before ended. */
  from: number;
  to: number;
  /** What that look left; null: nothing is known of what lies before `from`, and as much of it is looked at as needed. */
  carried: Carried | null;
  /** Null: taken from the events' `source.connector`. */
  type: ConnectorType | null;
  /** Of the connector whose records count, by its topic.prefix; null: every writer's, each apart. */
  config: ConnectorConfig | null;
  /** Known restart times, milliseconds since 1970: used where records bear no run id. */
  starts: readonly number[];
  /** Null: values with a schema's id in front cannot be read. */
  registry: SchemaRegistry | null;
  /** The look ends at the first start of a run behind which so many bytes were read. */
  maxBytes: number;
  /** Bytes that one replay may take to be counted by identity, by the size of the range unless told; a larger one is counted by position. */
  identityBytes?: number;
  /** A range from the partition's first record on of at most so many bytes is read whole, 4 MiB unless told; 0: none is. */
  wholeBytes?: number;
  signal?: AbortSignal;
  progress?: (done: { offset: number; bytes: number }) => void;
}

export interface MeasuredPartition {
  /** `to` before the request's: the budget ended it, the next look begins there. */
  found: PartitionDuplicates;
  carried: Carried;
}

/**
 * Finds what was produced again in one partition, reading little: where runs begin by bisection, and around each start both
 * sides of what came again, by identity.
 * @throws LogReadError (may heal at the next look), RecordsGone (retention took what was read, or the topic was made again)
 */
export async function measurePartition(
  log: LogReader,
  request: PartitionRequest,
): Promise<MeasuredPartition> {
  const { topic, partition, topicId, config, type, registry, signal } = request;
  const where = { topic, partition, topicId };
  const read = deliveredReader(where, { config, type, registry });
  const reader = new PartitionReader(log, where, read, signal);
  const [earliest] = await log.ends([where], "earliest");
  if (typeof earliest === "number") reader.earliest = earliest;
  const asked = await committed(log, request);
  const from = Math.min(asked, Math.max(request.from, reader.earliest));
  const carried = usable(request, from);
  const starts = await startOffsets(log, request);
  const unreadable = new Unreadables();
  const whole = carried === null ? await readSmall(reader, request, read, { from, to: asked }) : null;
  const names = await writersIn(reader, from, asked, carried, unreadable);
  const identityBytes = request.identityBytes ?? identityBytesFor(reader.bytesOf(asked - from));
  const limits = {
    // What is at hand costs nothing.
    identityBytes: whole ? Number.POSITIVE_INFINITY : Math.min(identityBytes, request.maxBytes),
    starts,
    wholeTo: whole?.withoutRunIds ? asked : from,
  };
  const bounded = whole ? { ...request, maxBytes: Number.POSITIVE_INFINITY } : request;
  const measure = async (writer: string | null, end: number) => {
    const measured = new MeasuredWriter(new WriterLog(reader, writer), bounded, unreadable, limits);
    try {
      await measured.measure(from, end, stateOf(carried, writer));
    } catch (error) {
      if (!(error instanceof NothingNear)) throw error;
      unreadable.stretch("budget", error.message, "Measure the topic by a scan, which reads all of it.");
    }
    return measured;
  };
  let writers: MeasuredWriter[] = [];
  let to = asked;
  for (const writer of names) writers.push(await measure(writer, to));
  // The next look begins where the first of them ended: the others are measured up to there too.
  while (writers.some((measured) => measured.to !== to)) {
    to = Math.min(...writers.map((measured) => measured.to));
    const again: MeasuredWriter[] = [];
    for (const measured of writers)
      again.push(measured.to === to ? measured : await measure(measured.writer, to));
    writers = again;
  }
  const ofStarts = writers.flatMap(({ replays: of }) => of);
  const beside = whole
    ? noDoubles
    : await leaderDoubles(log, request, Math.max(from, reader.earliest), to, ofStarts);
  const replays = whole
    ? withLost(whole.replays, reader.earliest > 0 ? ofStarts.filter(isLost) : [])
    : [...ofStarts, ...beside.replays];
  if (beside.left > 0)
    unreadable.stretch(
      "budget",
      `What lies beside ${beside.left} changes of the partition's leader was not read: batches that its producer sent twice there are not counted.`,
      "Measure the topic by a scan, which reads all of it.",
    );
  const known = writers.some(({ spacing }) => spacing !== null && spacing > 1);
  return {
    found: {
      topic,
      partition,
      topicId,
      from,
      to,
      replays: replays.sort((a, b) => a.firstOffset - b.firstOffset),
      falls: writers.flatMap(({ falls }) => falls).sort((a, b) => a.offset - b.offset),
      runs: writers.flatMap(({ runs }) => runs).sort((a, b) => a.firstOffset - b.firstOffset),
      notMeasurable: whole?.notMeasurable ?? unreadable.told(),
      sure: whole ? "whole" : known ? "known-starts" : sureOf(writers),
      spacing: whole ? null : spacingOf(writers),
      uncommittedCopies:
        whole?.uncommittedCopies ?? writers.reduce((sum, { uncommittedCopies: of }) => sum + of, 0),
      bytesRead: reader.bytes + beside.bytes,
      reads: reader.reads + beside.reads,
    },
    carried: { version: 1, topicId, at: to, writers: writers.map((measured) => measured.state()) },
  };
}

const noDoubles: LeaderDoubles = { replays: [], left: 0, bytes: 0, reads: 0 };

/** Its first copies are not there: it is known by its position. */
const isLost = ({ firstCopyOf }: FoundReplay) => firstCopyOf === null;

function sureOf(writers: readonly MeasuredWriter[]): "complete" | "whole" {
  return writers.some(({ spacing }) => spacing === 1) ? "whole" : "complete";
}

function spacingOf(writers: readonly MeasuredWriter[]): number | null {
  const spacings = writers.flatMap(({ spacing }) => (spacing === null || spacing <= 1 ? [] : [spacing]));
  return spacings.length === 0 ? null : Math.max(...spacings);
}

/** Up to where all transactions have ended: what lies behind can still be delivered, or never. */
async function committed(log: LogReader, { topic, partition, from, to }: PartitionRequest): Promise<number> {
  const [stable] = await log.ends([{ topic, partition }], "last-stable");
  return typeof stable === "number" ? Math.max(Math.min(from, to), Math.min(to, stable)) : to;
}

/** What the look before left, where it is of this topic and ended where this look begins. */
function usable({ carried, topicId, from: asked }: PartitionRequest, from: number): Carried | null {
  if (carried === null) return null;
  if (carried.topicId !== null && topicId !== null && carried.topicId !== topicId) return null;
  return carried.at === asked && carried.at <= from ? carried : null;
}

function stateOf(carried: Carried | null, writer: string | null): WriterState | null {
  if (carried === null) return null;
  const found = carried.writers.find((state) => state.writer === writer);
  if (found) return found;
  // What was one writer's only by then may be one of several by now.
  const [only] = carried.writers;
  return carried.writers.length === 1 && only?.writer === null ? { ...only, writer } : null;
}

/** The first offsets at or after the known starts. @throws LogReadError */
async function startOffsets(log: LogReader, request: PartitionRequest): Promise<number[]> {
  const { topic, partition, starts } = request;
  if (starts.length === 0) return [];
  const found = await log.offsetsForTime(starts.map((timestamp) => ({ topic, partition, timestamp })));
  return found.flatMap((one) => {
    // Without one of them what came again there would be told as nothing.
    if (one !== null && "kind" in one)
      throw new LogReadError(one, { topic, partition, offset: request.from });
    return one === null ? [] : [one.offset];
  });
}
