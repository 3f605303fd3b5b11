import type { ConnectorConfig } from "@/lib/debezium/config";
import { deliveredRecord } from "@/lib/debezium/events/delivered-record";
import { EventScanner } from "@/lib/debezium/events/event-scanner";
import { bytesOf, standsAt } from "@/lib/debezium/events/json-bytes";
import type { Place } from "@/lib/debezium/events/places/place";
import { type FieldPlaced, placesOf } from "@/lib/debezium/events/places/places";
import { eventPosition } from "@/lib/debezium/records/event-position";
import type { RecordCursor } from "@/lib/kafka/log/record-cursor";
import type { GtidPlace } from "@/lib/measure/duplicates/gtid-copies";
import type { Hash } from "@/lib/measure/duplicates/keyed-hash";
import type { IdentityHash } from "@/lib/measure/duplicates/samples";
import { type RecordHash, tableIn } from "./record-hash";

/** `full`: its bytes do not tell all, read it in full. */
export type ByBytes = "change" | "snapshot" | "other" | "full";

/** Of which table an event is, and whose. */
interface Origin {
  /** The values in the block that tell it. */
  values: Buffer[];
  /** It counts: the connector asked for wrote it. */
  own: boolean;
  writer: Buffer;
  table: Buffer;
  /** Empty until a change has told it. */
  lane: string;
}

const quote = 0x22;
const backslash = 0x5c;
/** Who wrote an event, and of which table it is. No field is looked for that events of a connector do not have: it costs a search. */
const originFields = { postgresql: ["name", "schema", "table"], mysql: ["name", "db", "table"] };
const read = 0x72;
const changes = [0x63, 0x75, 0x64];

/**
 * Reads what the samples need of the events of one connector type by their bytes, and allocates nothing for an event like
 * the last. What it does not take it leaves to be read in full; both ways make the same hashes.
 */
export class ChangeBytes {
  /** Of the change; and of its row. Set by {@link read}. */
  readonly identity: IdentityHash = { high: 0, low: 0, group: null };
  readonly row: Hash = { high: 0, low: 0 };

  readonly #scanner: EventScanner;
  readonly #place: Place<unknown>;
  /** Indexes of the scanner's fields. */
  readonly #origins: readonly number[];
  readonly #connectorField: number;
  readonly #numbers: Record<"lsn" | "txId" | "file" | "pos" | "row" | "server" | "gtid", number>;
  readonly #connector: Uint8Array;
  #origin: Origin | null = null;

  constructor(
    readonly type: FieldPlaced,
    private readonly topic: string,
    private readonly config: ConnectorConfig | null,
    private readonly hash: RecordHash,
  ) {
    const places = placesOf(type);
    this.#place = places.create();
    const origins = originFields[type === "postgresql" ? type : "mysql"];
    const fields = [...places.fields, ...origins, "connector"];
    this.#scanner = new EventScanner(fields);
    const at = (name: string) => fields.indexOf(name);
    this.#origins = origins.map(at);
    this.#connectorField = at("connector");
    this.#numbers = {
      ...{ lsn: at("lsn"), txId: at("txId"), file: at("file"), pos: at("pos"), row: at("row") },
      ...{ server: at("server_id"), gtid: at("gtid") },
    };
    this.#connector = bytesOf(`"${type}"`);
  }

  /** Looks at the record at which the cursor stands. It has a key and a value. */
  read(cursor: RecordCursor): ByBytes {
    const scanner = this.#scanner;
    if (scanner.scan(cursor.bytes, cursor.valueStart, cursor.valueEnd) !== "change") return "full";
    if (!this.#is(this.#connectorField, this.#connector)) return "full";
    const origin = this.#originAt(cursor);
    if (origin === null) return "full";
    if (!origin.own) return "other";
    const kind = scanner.op === read || scanner.snapshot !== null ? "snapshot" : "change";
    if (kind === "change" && origin.lane === "") this.#origin = null;
    if (this.#origin === null && this.#originAt(cursor) === null) return "full";
    this.hash.at(cursor);
    if (kind === "change") {
      if (!changes.includes(scanner.op)) return "full";
      const told = this.type === "postgresql" ? this.#postgres(origin) : this.#binlog(origin);
      if (!told) return "full";
    }
    this.hash.rowOf(origin.writer, origin.table, this.row);
    return kind;
  }

  /** Of the change that was read last. Allocates. */
  position(): unknown {
    return this.#place.read(this.#scanner) ? this.#place.position() : null;
  }

  /** The same in its short form. */
  positionText(): string | null {
    return eventPosition(this.type, this.#scanner.source())?.text ?? null;
  }

  /** Whose positions compare with its own, as DeliveredRecord has it. */
  get lane(): string {
    return this.#origin?.lane ?? "";
  }

  /** `c`, `u` or `d`. */
  get op(): string {
    return String.fromCharCode(this.#scanner.op);
  }

  #postgres({ writer }: Origin): boolean {
    const lsn = this.#scanner.number(this.#numbers.lsn);
    const txId = this.#numberOrNone(this.#numbers.txId);
    if (!(lsn >= 0 && txId >= -1)) return false;
    this.hash.beginPostgres(txId, lsn);
    this.hash.endChange(writer, this.#scanner.op, this.identity);
    return true;
  }

  #binlog({ writer, table }: Origin): boolean {
    const scanner = this.#scanner;
    const fields = this.#numbers;
    const pos = scanner.number(fields.pos);
    const row = this.#numberOrNone(fields.row);
    const server = this.#numberOrNone(fields.server);
    const hasGtid = !scanner.isNone(fields.gtid);
    if (!(pos >= 0 && row >= -1 && server >= -1) || !this.#isPlain(fields.file)) return false;
    if (hasGtid && !this.#isPlain(fields.gtid)) return false;
    const { hash } = this;
    if (hasGtid) {
      hash.beginGtid();
      this.#feedText(fields.gtid);
      hash.endGroup(writer, table, scanner.op, this.identity);
      this.#feedPlace(pos, row);
      hash.endPlace(this.identity);
      return true;
    }
    hash.beginBinlog();
    if (server >= 0)
      hash.hash.bytes(scanner.bytes, scanner.startOf(fields.server), scanner.stopOf(fields.server));
    else hash.hash.word(0);
    this.#feedPlace(pos, row);
    hash.endChange(writer, scanner.op, this.identity);
    return true;
  }

  #feedPlace(pos: number, row: number): void {
    this.#feedText(this.#numbers.file);
    this.hash.hash.number(pos);
    this.hash.hash.number(Math.max(0, row));
  }

  /** Of the change that was read last, where a GTID numbers it. Allocates. */
  gtidPlace(): GtidPlace | null {
    if (this.identity.group === null) return null;
    const { gtid, file, pos, row } = this.#numbers;
    return {
      ...{ gtid: this.#text(gtid), file: this.#text(file) },
      ...{ pos: this.#scanner.number(pos), row: Math.max(0, this.#numberOrNone(row)) },
    };
  }

  #text(field: number): string {
    const scanner = this.#scanner;
    return scanner.bytes.toString("latin1", scanner.startOf(field) + 1, scanner.stopOf(field) - 1);
  }

  /** Null when it has no name or table that its bytes tell. */
  #originAt(cursor: RecordCursor): Origin | null {
    if (this.#origin !== null && this.#isFrom(this.#origin)) return this.#origin;
    // In the order of a topic they seldom change: read in full, once for many.
    const record = deliveredRecord(
      cursor.record(),
      { topic: this.topic, partition: 0 },
      this.config,
      this.type,
    );
    if (record.kind !== "change" && record.kind !== "snapshot" && record.kind !== "other") return null;
    if (record.kind !== "other" && record.rowKey === null) return null;
    // Without a table, which is looked at last, another field tells what the row is of.
    if (this.#scanner.isNone(this.#origins.at(-1) ?? 0)) return null;
    this.#origin = {
      values: this.#origins.map((field) => this.#value(field)),
      own: record.kind !== "other",
      writer: Buffer.from(record.writer ?? ""),
      table: Buffer.from(record.rowKey === null ? "" : tableIn(record.rowKey)),
      lane: record.lane,
    };
    return this.#origin;
  }

  #isFrom({ values }: Origin): boolean {
    for (let i = 0; i < values.length; i++)
      if (!this.#is(this.#origins[i] as number, values[i] as Buffer)) return false;
    return true;
  }

  /** Whether a field's value is written with these bytes; none: it is absent. */
  #is(field: number, value: Uint8Array): boolean {
    const start = this.#scanner.startOf(field);
    if (start < 0) return value.length === 0;
    const { bytes } = this.#scanner;
    // A text's end, or what must follow a word: no longer value begins with the same bytes.
    const after = bytes[start + value.length];
    return value.length > 0 && standsAt(bytes, start, value) && (after === 0x2c || after === 0x7d);
  }

  #value(field: number): Buffer {
    const from = this.#scanner.startOf(field);
    const to = this.#scanner.stopOf(field);
    return from < 0 ? Buffer.alloc(0) : Buffer.from(this.#scanner.bytes.subarray(from, to));
  }

  #feedText(field: number): void {
    const from = this.#scanner.startOf(field);
    const to = this.#scanner.stopOf(field);
    this.hash.hash.bytes(this.#scanner.bytes, from + 1, to - 1);
  }

  /** Whether a field is a text of visible ASCII without escapes: what is meant is what is written. */
  #isPlain(field: number): boolean {
    const from = this.#scanner.startOf(field);
    const to = this.#scanner.stopOf(field);
    const { bytes } = this.#scanner;
    if (from < 0 || bytes[from] !== quote || to - from < 3) return false;
    for (let i = from + 1; i < to - 1; i++) {
      const byte = bytes[i] as number;
      if (byte <= 0x20 || byte > 0x7e || byte === backslash) return false;
    }
    return true;
  }

  #numberOrNone(field: number): number {
    return this.#scanner.isNone(field) ? -1 : this.#scanner.number(field);
  }
}
