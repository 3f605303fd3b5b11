import { BatchWalk } from "@/lib/kafka/log/batch-walk";
import { fetchedBatch } from "@/lib/kafka/log/fetched-batch";
import type { FetchedBatch, LogReader, ReadEnd, ReadRange } from "@/lib/kafka/log/log-reader";
import type { LogRecord } from "@/lib/kafka/log/record";
import { encodeBatch } from "@/lib/kafka/log/testing/encode-batch";

/** Records of one partition, as a test lays them down. */
export class RunLog {
  readonly records: LogRecord[] = [];
  /** The first offset that is still there. */
  earliest = 0;
  recreated = false;
  /** Batches that were fetched. */
  fetches = 0;

  get end(): number {
    return (this.records.at(-1)?.offset ?? this.earliest - 1) + 1;
  }

  append(record: Omit<LogRecord, "offset">): number {
    this.records.push({ ...record, offset: this.end });
    return this.end - 1;
  }
}

/** How many records a batch has. */
const batchSize = 7;

/** A log reader over partition 0 of some topics. It is asked only what restarts ask. */
export function readerOf(logs: ReadonlyMap<string, RunLog>): LogReader {
  const logOf = (topic: string) => {
    const log = logs.get(topic);
    if (!log) throw new Error(`no topic ${topic}`);
    return log;
  };
  const unasked = () => {
    throw new Error("not asked for by restarts");
  };
  return {
    describe: unasked,
    ends: async (asked, end) =>
      asked.map(({ topic }) => (end === "earliest" ? logOf(topic).earliest : logOf(topic).end)),
    newest: unasked,
    offsetsForTime: async (asked) =>
      asked.map(({ topic, timestamp }) => {
        const found = logOf(topic).records.find(
          (r) => r.timestamp >= timestamp && r.offset >= logOf(topic).earliest,
        );
        return found ? { offset: found.offset, timestamp: found.timestamp } : null;
      }),
    recordAt: async ({ topic }, offset) => {
      const log = logOf(topic);
      log.fetches += 1;
      return log.records.find((r) => r.offset >= Math.max(offset, log.earliest)) ?? null;
    },
    read: (range) => readOf(logOf(range.topic), range),
  };
}

async function* readOf(log: RunLog, range: ReadRange): AsyncGenerator<FetchedBatch, ReadEnd> {
  const { from, to = log.end, maxBytes = Number.POSITIVE_INFINITY } = range;
  if (log.recreated) return { why: "recreated", next: 0, deleted: [], bytes: 0 };
  const deleted = from < log.earliest ? [{ from, to: Math.min(to, log.earliest) }] : [];
  let next = Math.max(from, log.earliest);
  let bytes = 0;
  while (next < Math.min(to, log.end)) {
    if (bytes >= maxBytes) return { why: "budget", next, deleted, bytes };
    const stop = Math.min(to, log.end, next - (next % batchSize) + batchSize);
    const encoded = batchOf(log.records.slice(next - (next % batchSize), stop));
    bytes += encoded.length;
    log.fetches += 1;
    for (const batch of new BatchWalk(encoded, range, next))
      yield fetchedBatch(batch, range, null, { from: next, to: stop });
    next = stop;
  }
  return { why: "end", next: Math.max(next, to), deleted, bytes };
}

/** A real batch of records that follow one another. */
function batchOf(records: readonly LogRecord[]): Buffer {
  const [first] = records;
  const base = first?.offset ?? 0;
  const timestamp = first?.timestamp ?? 0;
  return encodeBatch({
    baseOffset: BigInt(base),
    leaderEpoch: 0,
    attributes: 0,
    lastOffsetDelta: records.length - 1,
    baseTimestamp: BigInt(timestamp),
    maxTimestamp: BigInt(Math.max(...records.map((r) => r.timestamp))),
    producerId: -1n,
    producerEpoch: -1,
    baseSequence: -1,
    records: records.map((r) => ({
      offsetDelta: r.offset - base,
      timestampDelta: BigInt(r.timestamp - timestamp),
      key: r.key,
      value: r.value,
      headers: r.headers,
    })),
  });
}

/** A run id of version 7 of a run that began at this time, milliseconds since 1970. */
export function runIdAt(at: number, tail = "0123456789ab"): string {
  const hex = at.toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7abc-8def-${tail}`;
}

/** A change of a PostgreSQL table, the n-th of its source, each in a transaction of its own. */
export function postgresChange(n: number, runId: string | null, timestamp: number, op = "c") {
  const source = {
    connector: "postgresql",
    name: "shop",
    ts_ms: timestamp,
    snapshot: "false",
    sequence: `["${1000 + n * 10}","${1005 + n * 10}"]`,
    lsn: 1005 + n * 10,
    txId: 500 + n,
  };
  const value = { before: null, after: { id: n }, source, op, ts_ms: timestamp, transaction: null };
  return {
    timestamp,
    key: Buffer.from(JSON.stringify({ id: n })),
    value: Buffer.from(JSON.stringify(value)),
    headers: runId === null ? [] : headersOf(runId),
  };
}

function headersOf(runId: string) {
  const context = { runId, connectorLogicalName: "shop", taskId: "0", connectorName: "postgresql" };
  return Object.entries(context).map(([name, text]) => ({
    name: `__debezium.context.${name}`,
    value: Buffer.from(text),
  }));
}

export function tombstoneOf(n: number, timestamp: number): Omit<LogRecord, "offset"> {
  return { timestamp, key: Buffer.from(JSON.stringify({ id: n })), value: null, headers: [] };
}
