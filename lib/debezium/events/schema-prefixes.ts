import { isJsonObject, type JsonValue, parseJson } from "../json";
import { afterValue, bytesOf, standsAt } from "./json-bytes";

const schemaKey = bytesOf('{"schema":');
const payloadKey = bytesOf(',"payload":{');

/** A topic that several tables are routed to has one schema for each. */
const mostPrefixes = 16;
/** A table of a thousand columns has about 200 kB of schema. */
const longestPrefix = 4 * 1024 * 1024;

/** Whether a Connect schema is that of a change event: a struct with `source` and `op` among its fields. */
function isEnvelopeSchema(schema: JsonValue): boolean {
  if (!isJsonObject(schema) || schema.type !== "struct" || !Array.isArray(schema.fields)) return false;
  const names = schema.fields.map((field) => (isJsonObject(field) ? field.field : null));
  return names.includes("source") && names.includes("op");
}

/**
 * Finds where the payload of a value begins that JsonConverter wrote with its schema in front
 * (`schemas.enable=true`). The schema is the same for each record of a table until the table changes: it is read once
 * and then compared as bytes.
 */
export class SchemaPrefixes {
  /** Everything up to and with the payload's opening brace, the newest first. */
  readonly #known: Buffer[] = [];

  /** The index of the payload's first member; -1 when the value is not the schema and payload of a change event. */
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
    const at = schemaEnd + payloadKey.length;
    if (at > end || !standsAt(bytes, schemaEnd, payloadKey)) return -1;
    if (!isEnvelopeSchema(parsed(bytes.toString("utf8", schemaAt, schemaEnd)))) return -1;
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
