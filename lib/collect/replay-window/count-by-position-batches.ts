import type { ConnectorConfig } from "@/lib/debezium/config";
import { EventScanner } from "@/lib/debezium/events/event-scanner";
import { readRecord } from "@/lib/debezium/events/read-record";
import type { Content, RecordReading } from "@/lib/debezium/events/record-reading";
import { RunIds, runIdHeader } from "@/lib/debezium/events/run-context";
import type { FetchedBatch, TopicPartition } from "@/lib/kafka/log/log-reader";
import { RecordCursor } from "@/lib/kafka/log/record-cursor";
import type { SchemaRegistry } from "@/lib/kafka/registry";

/** What is looked at of the records of a partition, in their order. Each is told before the next is stepped to. */
export interface Onlooker {
  /** The records that follow are of this batch. Its run of the task (a producer belongs to one): null when not told. */
  batch(batch: FetchedBatch, run: string | null): void;
  tombstone(): void;
  /** The scanner found a change event. */
  scanned(scanner: EventScanner, record: RecordCursor): void;
  /** Any other record with a value, read in full. */
  read(reading: RecordReading, record: RecordCursor): void;
  /** Whether the rest need not be looked at. */
  readonly done: boolean;
}

/** Walks the records of one partition's batches: by their bytes, and in full where those do not decide. */
export class BatchReader {
  readonly #cursor: RecordCursor;
  readonly #scanner: EventScanner;
  readonly #runs = new RunIds();

  constructor(
    private readonly at: TopicPartition,
    fields: readonly string[],
    private readonly config: ConnectorConfig,
    private readonly registry: SchemaRegistry | null,
  ) {
    this.#cursor = new RecordCursor(at);
    this.#scanner = new EventScanner(fields);
  }

  /** Shows those records of a visible batch that were wanted. @throws LogReadError */
  async show(batch: FetchedBatch, onlooker: Onlooker): Promise<void> {
    const cursor = this.#cursor;
    const scanner = this.#scanner;
    cursor.open(batch);
    if (!cursor.next()) return;
    onlooker.batch(batch, this.#run());
    for (let more = !onlooker.done; more; more = !onlooker.done && cursor.next()) {
      if (cursor.offset < batch.from) continue;
      if (cursor.offset >= batch.to) break;
      if (cursor.valueStart < 0) onlooker.tombstone();
      else if (scanner.scan(cursor.bytes, cursor.valueStart, cursor.valueEnd) === "change")
        onlooker.scanned(scanner, cursor);
      else onlooker.read(await this.#inFull(), cursor);
    }
  }

  #run(): string | null {
    const cursor = this.#cursor;
    if (!cursor.findHeader(runIdHeader)) return null;
    return this.#runs.read(cursor.bytes, cursor.headerStart, cursor.headerEnd);
  }

  async #inFull(): Promise<RecordReading> {
    const { key, value, headers } = this.#cursor.record();
    const content = await this.#decoded(value);
    if (typeof content === "string")
      return { kind: "unreadable", reason: "registry", text: content, remedy: null };
    return readRecord({ key, value: content, headers }, { topic: this.at.topic, config: this.config });
  }

  /** The value through the schema registry, if it is of its form and there is one; a sentence when it fails. */
  async #decoded(value: Buffer | null): Promise<Content | string> {
    const look = value === null ? null : await this.registry?.decode(value);
    if (!look || look.failure?.kind === "not-configured") return value;
    return look.failure === undefined ? { decoded: look.value } : look.failure.sentence;
  }
}
