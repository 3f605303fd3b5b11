import { isJsonObject, type JsonObject, type JsonValue, parseJson } from "../json";
import { afterValue, bytesOf, standsAt } from "./json-bytes";

const schemaKey = bytesOf('{"schema":');
/** A topic that several tables are routed to has one schema for each. */
const mostPrefixes = 16;
/** A table of a thousand columns has about 200 kB of schema. */
const longestPrefix = 4 * 1024 * 1024;

/**
 * Finds where the payload of a key or value begins that JsonConverter wrote with its schema in front
 * (`schemas.enable=true`). The schema is the same for each record of a table until the table changes: it is read once
 * and then compared as bytes.
 */
export class SchemaPrefixes {
  /** Everything up to and with the payload's opening, the newest first. */
  readonly #known: Buffer[] = [];
  readonly #payloadKey: Uint8Array;

  /**
   * @param opening what the payload has to begin with.
   * @param accepts whether a schema is of the kind that is looked for.
   */
  constructor(
    opening: string,
    private readonly accepts: (schema: JsonObject) => boolean,
  ) {
    this.#payloadKey = bytesOf(`,"payload":${opening}`);
  }

  /** The index after the payload's opening; -1 when these are not a schema that is accepted and its payload. */
  payload(bytes: Buffer, start: number, end: number): number {
    for (let i = 0; i < this.#known.length; i++) {
      const prefix = this.#known[i] as Buffer;
      const at = start + prefix.length;
      if (at > end || bytes.compare(prefix, 0, prefix.length, start, at) !== 0) continue;
      if (i > 0) this.#keep(this.#known.splice(i, 1)[0] as Buffer);
      return at;
    }
    return this.#learn(bytes, start, end);
  }

  #learn(bytes: Buffer, start: number, end: number): number {
    if (!standsAt(bytes, start, schemaKey)) return -1;
    const schemaAt = start + schemaKey.length;
    const schemaEnd = afterValue(bytes, schemaAt, end);
    if (schemaEnd < 0 || schemaEnd - start > longestPrefix) return -1;
    const at = schemaEnd + this.#payloadKey.length;
    if (at > end || !standsAt(bytes, schemaEnd, this.#payloadKey)) return -1;
    const schema = parsed(bytes.toString("utf8", schemaAt, schemaEnd));
    if (!isJsonObject(schema) || !this.accepts(schema)) return -1;
    this.#keep(Buffer.from(bytes.subarray(start, at)));
    return at;
  }

  #keep(prefix: Buffer): void {
    this.#known.unshift(prefix);
    if (this.#known.length > mostPrefixes) this.#known.pop();
  }
}

function parsed(text: string): JsonValue {
  try {
    return parseJson(text);
  } catch {
    return null;
  }
}
