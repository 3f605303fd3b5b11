import { ownText } from "./members";
import { SchemaPrefixes } from "./schema-prefixes";

/**
 * Where in a record's key the key itself lies, for hashing and comparing it as bytes: without the schema that
 * JsonConverter writes in front, which changes when the table does. In one topic, equal bytes are equal keys. One serves
 * many records, and allocates nothing for a key like the last.
 */
export class KeySpans {
  from = 0;
  to = 0;
  readonly #prefixes = new SchemaPrefixes("", (schema) => ownText(schema, "type") !== null);

  /** Sets `from` and `to` for the key that lies in `bytes` from `start` up to `end`. */
  find(bytes: Buffer, start: number, end: number): void {
    const payload = end - start > 0 && bytes[start] === 0x7b ? this.#prefixes.payload(bytes, start, end) : -1;
    const framed = payload >= 0 && payload < end - 1 && bytes[end - 1] === 0x7d;
    this.from = framed ? payload : start;
    this.to = framed ? end - 1 : end;
  }
}
