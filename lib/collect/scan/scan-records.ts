import type { DeliveredReader } from "@/lib/collect/duplicates/delivered-reader";
import type { ConnectorConfig } from "@/lib/debezium/config";
import type { ConnectorType } from "@/lib/debezium/connector-type";
import { type DeliveredRecord, deliveredOrder } from "@/lib/debezium/events/delivered-record";
import { isFieldPlaced } from "@/lib/debezium/events/places/places";
import { RunIds, runIdHeader } from "@/lib/debezium/events/run-context";
import type { RecordCursor } from "@/lib/kafka/log/record-cursor";
import type { GtidPlace } from "@/lib/measure/duplicates/gtid-copies";
import type { OrderOf } from "@/lib/measure/duplicates/row-order";
import type { DrawnChange, Samples } from "@/lib/measure/duplicates/samples";
import { ChangeBytes } from "./change-bytes";
import { RecordHash } from "./record-hash";

export interface ScannedConnector {
  topic: string;
  /** Null: taken from the events. */
  type: ConnectorType | null;
  config: ConnectorConfig | null;
  /** 8 bytes. */
  secret: Uint8Array;
}

/** Puts the records of one partition into its samples: by their bytes where these tell all, else read in full. */
export class ScanRecords {
  readonly #hash: RecordHash;
  readonly #runIds = new RunIds();
  #bytes: ChangeBytes | null = null;
  #order: OrderOf = deliveredOrder("unknown");
  readonly #drawn = () => new DrawnByBytes(this.#bytes as ChangeBytes, this.cursor.offset, this.#runId());

  constructor(
    private readonly of: ScannedConnector,
    private readonly cursor: RecordCursor,
    private readonly samples: Samples,
    private readonly inFull: DeliveredReader,
  ) {
    this.#hash = new RecordHash(of.secret);
    this.#learn(of.type);
  }

  /** The record at which the cursor stands. A promise only where a schema registry is asked. @throws LogReadError */
  take(aborted: boolean): Promise<void> | null {
    const { cursor, samples } = this;
    if (cursor.valueStart < 0) {
      if (!aborted) samples.seen(cursor.timestamp);
      return null;
    }
    const by = this.#bytes !== null && cursor.keyStart >= 0 ? this.#bytes : null;
    const kind = by?.read(cursor) ?? "full";
    if (by === null || kind === "full") return this.#inFull(aborted);
    if (kind === "other") return null;
    if (aborted) {
      if (kind === "change") samples.aborted.add(by.identity.high, by.identity.low);
      return null;
    }
    samples.seen(cursor.timestamp);
    if (kind === "snapshot") samples.snapshotRow(by.row);
    else {
      if (samples.waits)
        samples.pass({ lane: by.lane, runId: this.#runId(), position: by.position(), type: by.type });
      samples.change(by.identity, by.row, this.#drawn, this.#order);
    }
    return null;
  }

  #runId(): string | null {
    const { cursor } = this;
    if (!cursor.findHeader(runIdHeader)) return null;
    return this.#runIds.read(cursor.bytes, cursor.headerStart, cursor.headerEnd);
  }

  #inFull(aborted: boolean): Promise<void> | null {
    const record = this.inFull(this.cursor.record());
    if (record instanceof Promise) return record.then((read) => this.#takeFull(read, aborted));
    this.#takeFull(record, aborted);
    return null;
  }

  #takeFull(record: DeliveredRecord, aborted: boolean): void {
    this.#hash.at(this.cursor);
    if (aborted) this.samples.addAborted(record, this.#hash);
    else this.samples.add(record, this.#hash);
    if (record.kind === "change" && record.type !== this.#bytes?.type) this.#learn(record.type);
  }

  /** Events of this connector are read by their bytes from now on, where that is known how. */
  #learn(type: ConnectorType | null): void {
    if (!isFieldPlaced(type)) return;
    this.#bytes = new ChangeBytes(type, this.of.topic, this.of.config, this.#hash);
    this.#order = deliveredOrder(type);
  }
}

/** The change that was read by its bytes last. A class, since a getter in an object costs more than all the rest of it. */
class DrawnByBytes implements DrawnChange {
  readonly lane: string;
  readonly type: ConnectorType;
  readonly op: string;
  readonly position: unknown;
  readonly gtidPlace: GtidPlace | null;

  constructor(
    private readonly by: ChangeBytes,
    readonly offset: number,
    readonly runId: string | null,
  ) {
    this.lane = by.lane;
    this.type = by.type;
    this.op = by.op;
    this.position = by.position();
    this.gtidPlace = by.gtidPlace();
  }

  /** Only of an example is it asked for, and before the next change is read. */
  get positionText(): string | null {
    return this.by.positionText();
  }
}
