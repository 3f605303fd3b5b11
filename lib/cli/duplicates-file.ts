import { nearest } from "@/lib/config/nearest";
import { type DeliveredRecord, deliveredRecord } from "@/lib/debezium/events/delivered-record";
import { WholeCount, type WholeResult } from "@/lib/measure/duplicates/whole-count";
import { formatBytes } from "@/lib/views/format";
import { CannotLookError } from "./cannot-look";
import { type DuplicatesArguments, UsageError } from "./duplicates-arguments";
import { type Asked, type DuplicatesReport, type MeasuredRange, scanReport } from "./duplicates-report";
import { type Line, type LineSource, openLines } from "./json-lines";
import type { ProgressBar } from "./progress-bar";
import { type LineRecord, recordOfLine } from "./record-line";

/** Progress is told of after so many lines. */
const LINES = 256;

interface Watching {
  bar: ProgressBar;
  signal: AbortSignal;
  stdin: AsyncIterable<string | Buffer>;
}

/**
 * Counts the records of a file exactly, without a broker: JSON lines with topic, partition, offset, timestamp, headers, key and
 * value, or as `kcat -J` prints them; those of one partition in the order of their offsets.
 * @throws CannotLookError for a file or line that cannot be read; UsageError for a file of several topics
 */
export async function lookAtFile(
  path: string,
  args: Omit<DuplicatesArguments, "source" | "method">,
  watching: Watching,
): Promise<DuplicatesReport> {
  const began = performance.now();
  const source = await openLines(path, watching.stdin);
  const tally = new FileTally(source.name, args);
  watching.bar.stage("reading records");
  const interrupted = await take(source, tally, watching);
  const asked = tally.asked(interrupted, (performance.now() - began) / 1_000);
  const result = tally.result(asked.topic, source.read());
  return scanReport(asked, "whole", result, result.replays);
}

/** Whether it was interrupted. */
async function take(source: LineSource, tally: FileTally, { bar, signal }: Watching): Promise<boolean> {
  for await (const line of source.lines()) {
    if (signal.aborted) return true;
    tally.add(line);
    if (line.number % LINES === 0)
      bar.at({ done: source.read(), total: source.size, beside: `${formatBytes(source.read())} read` });
  }
  return signal.aborted;
}

interface FileRecord {
  topic: string;
  partition: number;
  offset: number;
  timestamp: number;
  delivered: DeliveredRecord;
}

class FileTally {
  readonly #whole = new WholeCount();
  /** Of what lies before the range: its copies are taken off again, its changes are known in the range. */
  readonly #before: WholeCount | null;
  readonly #ranges = new Map<number, MeasuredRange>();
  readonly #last = new Map<number, { offset: number; line: number }>();
  readonly #others = new Set<string>();
  #topic: string | null;
  #inRange = 0;

  constructor(
    private readonly name: string,
    private readonly args: Omit<DuplicatesArguments, "source" | "method">,
  ) {
    this.#topic = args.topic;
    this.#before = args.from === null ? null : new WholeCount();
  }

  add(line: Line): void {
    const record = this.#read(line);
    if (record === null) return;
    const { offset, partition, timestamp, delivered } = record;
    this.#inOrder(record, line);
    const { from, to } = this.args;
    if (to !== null && timestamp >= to) return;
    this.#whole.add(delivered);
    if (from !== null && timestamp < from) {
      this.#before?.add(delivered);
      return;
    }
    this.#inRange += 1;
    const range = this.#ranges.get(partition);
    if (range) range.to = range.measuredTo = offset + 1;
    else this.#ranges.set(partition, { partition, from: offset, to: offset + 1, measuredTo: offset + 1 });
  }

  asked(interrupted: boolean, seconds: number): Asked {
    const { from, to } = this.args;
    if (this.#topic === null)
      throw new CannotLookError(
        interrupted ? "interrupted before the first record." : `${this.name} holds no record.`,
      );
    if (this.#last.size === 0 && !interrupted) throw new CannotLookError(this.#nothingOf(this.#topic));
    const iso = (at: number | null) => (at === null ? null : new Date(at).toISOString());
    return {
      topic: this.#topic,
      from: iso(from),
      to: iso(to),
      partitions: [...this.#ranges.values()].sort((a, b) => a.partition - b.partition),
      interrupted,
      seconds,
      failed: this.#noEvents(),
    };
  }

  /** Of the range alone. */
  result(topic: string, bytesRead: number): WholeResult {
    const all = this.#whole.result(topic, null, bytesRead);
    return this.#before === null ? all : without(all, this.#before.result(topic), this.#ranges);
  }

  #read(line: Line): FileRecord | null {
    const where = `line ${line.number} of ${this.name}`;
    const pasted = parsed(line, where);
    if (!pasted)
      throw new CannotLookError(
        `${where} is no record of a topic; {"topic", "partition", "offset", "timestamp", "headers", "key", "value"} would be right.`,
      );
    const topic = pasted.topic ?? this.#topic;
    if (topic === null)
      throw new CannotLookError(`${where} does not say of which topic it is: name it with --topic.`);
    const partition = pasted.partition ?? 0;
    if (!this.#isAsked(topic, partition)) return null;
    const { offset } = pasted;
    if (offset === null)
      throw new CannotLookError(`${where} has no offset: without it no replay has a place.`);
    const timestamp = pasted.timestamp ?? -1;
    const delivered = deliveredRecord(
      { ...pasted.record, offset, timestamp },
      { topic, partition },
      null,
      this.args.type,
    );
    return { topic, partition, offset, timestamp, delivered };
  }

  #isAsked(topic: string, partition: number): boolean {
    if (this.#topic === null) this.#topic = topic;
    if (topic !== this.#topic) {
      if (this.args.topic === null)
        throw new UsageError(
          `${this.name} holds records of several topics (${this.#topic}, ${topic}): say which with --topic.`,
        );
      if (this.#others.size < 1_000) this.#others.add(topic);
      return false;
    }
    return this.args.partition === null || partition === this.args.partition;
  }

  #inOrder({ partition, offset }: FileRecord, { number }: Line): void {
    const last = this.#last.get(partition);
    if (last && offset <= last.offset)
      throw new CannotLookError(
        `line ${number} of ${this.name} has offset ${offset} of partition ${partition}, and line ${last.line} before it ${last.offset}: the records of a partition must lie in the order of their offsets, each once.`,
      );
    this.#last.set(partition, { offset, line: number });
  }

  #nothingOf(topic: string): string {
    const others = [...this.#others];
    const meant = nearest(topic, others);
    const part = this.args.partition === null ? "" : `partition ${this.args.partition} of `;
    const has = meant
      ? `; did you mean "${meant}"?`
      : others.length > 0
        ? `, but of ${others.slice(0, 5).join(", ")}${others.length > 5 ? ", …" : "."}`
        : ".";
    return `${this.name} holds no record of ${part}topic ${topic}${has}`;
  }

  /** Heartbeats, transactions and offsets: nothing in them can come twice, which is no finding. */
  #noEvents(): Asked["failed"] {
    const { records, notMeasurable } = this.#whole.result("");
    if (this.#inRange === 0 || records > 0 || notMeasurable.length > 0) return [];
    const reason = "None of its records is a change event";
    const remedy = "Name the topic of a table.";
    return [{ slug: "no-events", reason, count: this.#inRange, remedy, partitions: null }];
  }
}

function parsed({ bytes }: Line, where: string): LineRecord | null {
  try {
    return recordOfLine(bytes);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    // JSON.parse's own message quotes the line, which can be row data.
    throw new CannotLookError(
      `${where} is no JSON: each line has to be a record as JSON, as kcat -C -J prints them.`,
    );
  }
}

/** What the range adds: a copy is of the range when it lies there itself. */
function without(
  all: WholeResult,
  before: WholeResult,
  ranges: ReadonlyMap<number, MeasuredRange>,
): WholeResult {
  const inRange = (partition: number, offset: number) => offset >= (ranges.get(partition)?.from ?? 0);
  const known = all.sampled + all.duplicates - before.sampled - before.duplicates;
  const duplicates = all.duplicates - before.duplicates;
  const rate = known === 0 ? null : duplicates / known;
  return {
    ...all,
    from: null,
    records: all.records - before.records,
    events: all.events - before.events,
    duplicates,
    rate,
    interval: rate === null ? null : [rate, rate],
    reReads: all.reReads - before.reReads,
    snapshotOverlap: all.snapshotOverlap - before.snapshotOverlap,
    keyOrderViolations: all.keyOrderViolations - before.keyOrderViolations,
    violations: all.violations.filter((one) => inRange(one.partition, one.offset)),
    replays: all.replays.filter((one) => ranges.has(one.partition) && inRange(one.partition, one.lastOffset)),
  };
}
