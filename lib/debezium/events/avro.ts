import { JsonTooDeepError, type JsonValue, parseJson } from "../json";
import { AvroCursor, AvroError } from "./avro-cursor";
import { AvroSchemaError, compileAvro } from "./avro-schema";

/** A schema as a registry tells it. */
export interface WriterSchema {
  /** `AVRO`, `JSON` or `PROTOBUF`. */
  type: string;
  schema: string;
  /** Schemas that it names types of, each behind those that it needs itself. */
  references: readonly string[];
}

/** A value that was read, or a sentence (without its full stop) that says why not. */
export type RegistryValue = { value: JsonValue; why?: undefined } | { value?: undefined; why: string };

/** Bytes before the value itself: a zero and the schema's id. */
const framing = 5;

/**
 * The id of the schema that a key or value was written with, in Confluent's form: a zero, the id in four bytes, the value.
 * Null for what has another form.
 */
export function schemaIdOf(bytes: Uint8Array): number | null {
  if (bytes.length < framing || bytes[0] !== 0) return null;
  const id = new DataView(bytes.buffer, bytes.byteOffset, framing).getInt32(1);
  return id > 0 ? id : null;
}

/**
 * Makes the reader of one schema's keys or values, whole with their framing, in the shape that JSON events have. Reading
 * does not throw, and is bounded by the size of the bytes. JSON in the same framing is read too.
 */
export function readerOf(schema: WriterSchema): (bytes: Uint8Array) => RegistryValue {
  if (schema.type === "JSON") return (bytes) => told("JSON", () => parseJson(text(bytes)));
  if (schema.type !== "AVRO") return () => ({ why: `it is ${schema.type}, which is not read` });
  const compiled = told("the schema", () => compileAvro(schema.schema, schema.references));
  const { value: read, why } = compiled;
  if (read === undefined) return () => ({ why });
  return (bytes) =>
    told("the value", () => {
      const cursor = new AvroCursor(bytes, framing);
      const value = read(cursor);
      if (cursor.left > 0) throw new AvroError(`${cursor.left} bytes are left over`);
      return value;
    });
}

function text(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(framing));
}

function told<T>(
  what: string,
  read: () => T,
): { value: T; why?: undefined } | { value?: undefined; why: string } {
  try {
    return { value: read() };
  } catch (error) {
    if (error instanceof AvroError) return { why: `${what} is not what its schema says: ${error.message}` };
    if (error instanceof AvroSchemaError) return { why: `${what} is no Avro schema: ${error.message}` };
    if (error instanceof JsonTooDeepError) return { why: `${what} is nested too deep to be read` };
    if (error instanceof SyntaxError || error instanceof TypeError)
      return { why: `${what} cannot be read as JSON` };
    throw error;
  }
}
