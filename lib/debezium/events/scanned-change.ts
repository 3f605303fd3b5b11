import { type ConnectorType, isConnectorType } from "../connector-type";
import { type JsonObject, type JsonValue, parseJson } from "../json";
import { EventScanner } from "./event-scanner";
import { KnownBytes } from "./known-bytes";
import { fieldPlaced, placesOf } from "./places/places";
import type { ChangeReading, Content } from "./record-reading";

/** Who wrote an event, of which table it is, and whether a snapshot read it. */
const origin = ["connector", "name", "db", "schema", "table", "snapshot"];

/** Reads `source` of one connector's events, or all of it of any. */
class SourceReader {
  readonly scanner: EventScanner;
  readonly #fields: readonly string[];
  /** Values that come again and again. */
  readonly #values = origin.map(() => new KnownBytes<JsonValue>(4, (bytes) => parseJson(bytes.toString())));

  /** @param type null: any */
  constructor(readonly type: ConnectorType | null) {
    this.#fields = type === null ? [] : [...new Set([...origin, ...placesOf(type).fields])];
    this.scanner = new EventScanner(this.#fields);
  }

  /** Of the event that was scanned. Null: it is of another connector. */
  source(): JsonObject | null {
    const { scanner } = this;
    if (this.type === null) return scanner.source();
    const source: JsonObject = {};
    const { bytes } = scanner;
    for (let i = 0; i < this.#fields.length; i++) {
      const start = scanner.startOf(i);
      if (start < 0) continue;
      const stop = scanner.stopOf(i);
      const known = this.#values[i];
      source[this.#fields[i] as string] = known
        ? known.get(bytes, start, stop)
        : parseJson(bytes.toString("utf8", start, stop));
    }
    return source.connector === this.type ? source : null;
  }
}

const any = new SourceReader(null);
const readers = new Map<ConnectorType, SourceReader>(
  fieldPlaced.map((type) => [type, new SourceReader(type)]),
);
/** Most events are of the connector of the one before. */
let last = any;

/**
 * A change as its bytes tell it, without parsing the row; null: read it in full. Of `source` it has at least what the position,
 * the identity and the table are made of.
 */
export function scannedChange(value: Content): ChangeReading | null {
  if (!(value instanceof Uint8Array)) return null;
  const bytes = Buffer.isBuffer(value)
    ? value
    : Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  const read = changeBy(last, bytes) ?? (last === any ? null : changeBy(any, bytes));
  const connector = read?.source.connector;
  last = (typeof connector === "string" && isConnectorType(connector) && readers.get(connector)) || any;
  return read;
}

function changeBy(reader: SourceReader, bytes: Buffer): ChangeReading | null {
  const { scanner } = reader;
  if (scanner.scan(bytes, 0, bytes.length) !== "change") return null;
  const source = reader.source();
  if (source === null) return null;
  return {
    kind: "change",
    op: String.fromCharCode(scanner.op),
    source,
    transaction: scanner.hasTransaction ? transactionIn(scanner) : null,
    snapshot: scanner.snapshot,
    processedAt: null,
  };
}

/** Of a transaction block what identities are made of. */
function transactionIn({ totalOrder }: EventScanner): JsonObject {
  return Number.isNaN(totalOrder) ? {} : { total_order: totalOrder };
}
