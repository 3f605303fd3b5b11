import type { DeliveredRecord } from "@/lib/debezium/events/delivered-record";
import { KeySpans } from "@/lib/debezium/events/key-spans";
import { isFieldPlaced } from "@/lib/debezium/events/places/places";
import { parseJson } from "@/lib/debezium/json";
import type { RecordCursor } from "@/lib/kafka/log/record-cursor";
import { gtidPlace } from "@/lib/measure/duplicates/gtid-copies";
import { type Hash, KeyedHash } from "@/lib/measure/duplicates/keyed-hash";
import type { IdentityHash, RecordHashes } from "@/lib/measure/duplicates/samples";

const postgresMark = 1;
const binlogMark = 2;
const gtidMark = 3;
/** In place of a number beyond 2^53, whose digits follow. */
const large = -2;

/**
 * Hashes identities and rows for the samples. A change has the same hash whether it was read by its bytes or in full: then
 * the parts of its identity are fed in the same order. The key is hashed as its bytes, without its schema.
 */
export class RecordHash implements RecordHashes {
  readonly hash: KeyedHash;
  readonly #spans = new KeySpans();
  #bytes: Buffer = Buffer.alloc(0);
  #hasKey = false;

  /** @param secret 8 bytes */
  constructor(secret: Uint8Array) {
    this.hash = new KeyedHash(secret);
  }

  /** Sets whose key is fed from now on. */
  at(cursor: RecordCursor): void {
    this.#bytes = cursor.bytes;
    this.#hasKey = cursor.keyStart >= 0;
    if (this.#hasKey) this.#spans.find(cursor.bytes, cursor.keyStart, cursor.keyEnd);
  }

  feedKey(): void {
    if (this.#hasKey) this.hash.bytes(this.#bytes, this.#spans.from, this.#spans.to);
    else this.hash.word(-1);
  }

  /** Begins a PostgreSQL change; writer, key and op are to follow. Numbers from 0 to 2^53 - 1, -1 for none. */
  beginPostgres(txId: number, lsn: number): void {
    this.hash.begin();
    this.hash.word(postgresMark);
    this.hash.number(txId);
    this.hash.number(lsn);
  }

  /** Begins a change of a binlog without GTID, by server and place. */
  beginBinlog(): void {
    this.hash.begin();
    this.hash.word(binlogMark);
  }

  /** Begins what a GTID's changes of one row and kind have in common: the GTID, then the table, is to follow. */
  beginGtid(): void {
    this.hash.begin();
    this.hash.word(gtidMark);
  }

  /** Ends a change: who wrote it, of which row, and what it did. */
  endChange(writer: Uint8Array, op: number, into: IdentityHash): void {
    this.hash.bytes(writer, 0, writer.length);
    this.feedKey();
    this.hash.word(op);
    this.end(into);
    into.group = null;
  }

  /** Ends the group of a GTID's changes, and begins the place of one in it, which is to follow up to {@link endPlace}. */
  endGroup(writer: Uint8Array, table: Uint8Array, op: number, into: IdentityHash): void {
    this.hash.bytes(table, 0, table.length);
    this.endChange(writer, op, into);
    into.group = into.low;
    this.hash.begin();
    this.hash.word(into.high);
    this.hash.word(into.low);
  }

  /** The half that the place does not share with its group. */
  endPlace(into: IdentityHash): void {
    this.hash.end();
    into.low = this.hash.low;
  }

  /** Hashes the row at hand. */
  rowOf(writer: Uint8Array, table: Uint8Array, into: Hash): void {
    this.hash.begin();
    this.hash.bytes(writer, 0, writer.length);
    this.hash.bytes(table, 0, table.length);
    this.feedKey();
    this.end(into);
  }

  end(into: Hash): void {
    this.hash.end();
    into.high = this.hash.high;
    into.low = this.hash.low;
  }

  identity(record: DeliveredRecord): IdentityHash | null {
    const { identity: text, type } = record;
    if (text === null) return null;
    const found = { high: 0, low: 0, group: null };
    const parts = isFieldPlaced(type) ? partsOf(text) : null;
    if (parts !== null) this.#fields(record, parts, found);
    else {
      this.hash.begin();
      this.hash.text(text);
      this.end(found);
    }
    return found;
  }

  #fields(record: DeliveredRecord, parts: readonly (string | null)[], into: IdentityHash): void {
    const writer = Buffer.from(record.writer ?? "");
    const op = record.op.charCodeAt(0);
    const [first = null, second = null] = parts;
    if (record.type === "postgresql") {
      this.hash.begin();
      this.hash.word(postgresMark);
      this.#number(first);
      this.#number(second);
      this.endChange(writer, op, into);
    } else if (gtidPlace(record) !== null) {
      this.beginGtid();
      this.hash.text(first ?? "");
      this.endGroup(writer, Buffer.from(tableIn(record.rowKey ?? "")), op, into);
      this.#place(parts);
      this.endPlace(into);
    } else {
      this.beginBinlog();
      this.hash.text(first ?? "");
      this.#place(parts);
      this.endChange(writer, op, into);
    }
  }

  /** File, position and row. */
  #place([, file, pos, row]: readonly (string | null)[]): void {
    this.hash.text(file ?? "");
    this.#number(pos);
    this.#number(row);
  }

  #number(digits: string | null | undefined): void {
    const number = digits == null ? -1 : Number(digits);
    if (Number.isSafeInteger(number)) {
      this.hash.number(number);
      return;
    }
    this.hash.number(large);
    this.hash.text(digits ?? "");
  }

  row(record: DeliveredRecord): Hash | null {
    if (record.rowKey === null) return null;
    const found = { high: 0, low: 0 };
    this.rowOf(Buffer.from(record.writer ?? ""), Buffer.from(tableIn(record.rowKey)), found);
    return found;
  }
}

/** The table in a row's key. */
export function tableIn(rowKey: string): string {
  const parts = parseJson(rowKey);
  const table = Array.isArray(parts) ? parts[0] : null;
  return typeof table === "string" ? table : "";
}

/** The parts of an identity as the connector's kind writes them, behind the writer; null for another form. */
function partsOf(identity: string): (string | null)[] | null {
  const outer = parseJson(identity);
  const inner = Array.isArray(outer) && typeof outer[1] === "string" ? parseJson(outer[1]) : null;
  if (!Array.isArray(inner) || inner.length < 5) return null;
  return inner.map((part) => (typeof part === "string" ? part : null));
}
