import {
  deepestJson,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  NumberText,
  parseJson,
  wholeNumber,
} from "../json";
import { type AvroCursor, AvroError } from "./avro-cursor";

/** Takes one value out of its bytes. @throws AvroError */
export type AvroRead = (cursor: AvroCursor) => JsonValue;

/** A schema that is no Avro schema. The message is a sentence without its full stop. */
export class AvroSchemaError extends Error {
  override readonly name = "AvroSchemaError";
}

const primitives: Record<string, AvroRead> = {
  null: () => null,
  boolean: (cursor) => cursor.boolean(),
  int: (cursor) => cursor.int(),
  long: (cursor) => cursor.long(),
  float: (cursor) => jsonNumber(shortest(cursor.float())),
  double: (cursor) => jsonNumber(cursor.double()),
  bytes: (cursor) => base64(cursor.counted()),
  string: (cursor) => cursor.text(),
};

/**
 * Makes the reader of a schema's values, in the shape that JsonConverter gives the same: unions without their branch,
 * logical types as what they are made of, bytes and decimals as base64, NaN and the infinities as text.
 * @param references schemas that it names types of, each behind those that it needs itself
 * @throws AvroSchemaError, JsonTooDeepError or SyntaxError
 */
export function compileAvro(schema: string, references: readonly string[]): AvroRead {
  const names = new Map<string, AvroRead>();
  for (const reference of references) compile(parseJson(reference), "", names);
  return compile(parseJson(schema), "", names);
}

function compile(schema: JsonValue | undefined, namespace: string, names: Map<string, AvroRead>): AvroRead {
  if (typeof schema === "string") return byName(schema, namespace, names);
  if (Array.isArray(schema)) return union(schema.map((branch) => compile(branch, namespace, names)));
  if (!isJsonObject(schema)) throw new AvroSchemaError("a type is neither a name, a list nor an object");
  switch (schema.type) {
    case "record":
    case "error":
      return record(schema, namespace, names);
    case "enum":
      return define(schema, namespace, names, enumeration(textsOf(schema.symbols)));
    case "fixed": {
      const size = Number(wholeNumber(schema.size) ?? -1);
      if (size < 0) throw new AvroSchemaError("a fixed type has no size");
      return define(schema, namespace, names, (cursor) => base64(cursor.fixed(size)));
    }
    case "array":
      return list(compile(schema.items, namespace, names));
    case "map":
      return map(compile(schema.values, namespace, names));
    default:
      return compile(schema.type, namespace, names);
  }
}

function byName(name: string, namespace: string, names: Map<string, AvroRead>): AvroRead {
  const read = primitives[name] ?? names.get(fullName(name, namespace)) ?? names.get(name);
  if (!read) throw new AvroSchemaError(`it names a type "${name}" that is not defined`);
  return read;
}

/** The name is known to the fields of the record itself: records can hold their own kind. */
function record(schema: JsonObject, namespace: string, names: Map<string, AvroRead>): AvroRead {
  const fields: { name: string; read: AvroRead }[] = [];
  const read = nested((cursor) => {
    const value: JsonObject = {};
    cursor.count(fields.length);
    for (const field of fields) put(value, field.name, field.read(cursor));
    return value;
  });
  define(schema, namespace, names, read);
  if (!Array.isArray(schema.fields)) throw new AvroSchemaError("a record has no fields");
  const inside = namespaceOf(schema, namespace);
  for (const field of schema.fields) {
    if (!isJsonObject(field) || typeof field.name !== "string")
      throw new AvroSchemaError("a field of a record has no name");
    fields.push({ name: field.name, read: compile(field.type, inside, names) });
  }
  return read;
}

function define(
  schema: JsonObject,
  namespace: string,
  names: Map<string, AvroRead>,
  read: AvroRead,
): AvroRead {
  if (typeof schema.name !== "string")
    throw new AvroSchemaError(`a type "${String(schema.type)}" has no name`);
  names.set(fullName(schema.name, namespaceOf(schema, namespace)), read);
  return read;
}

/** A name with dots has its namespace in it. */
function namespaceOf({ name, namespace }: JsonObject, around: string): string {
  if (typeof name === "string" && name.includes(".")) return name.slice(0, name.lastIndexOf("."));
  return typeof namespace === "string" ? namespace : around;
}

function fullName(name: string, namespace: string): string {
  return name.includes(".") || namespace === "" ? name : `${namespace}.${name}`;
}

function union(branches: AvroRead[]): AvroRead {
  return (cursor) => {
    const branch = branches[cursor.index(branches.length, "the branch of a union")];
    return branch ? branch(cursor) : null;
  };
}

function enumeration(symbols: string[]): AvroRead {
  return (cursor) => symbols[cursor.index(symbols.length, "an enumeration's symbol")] ?? null;
}

function list(item: AvroRead): AvroRead {
  return nested((cursor) => {
    const items: JsonValue[] = [];
    for (let count = cursor.block(); count > 0; count = cursor.block())
      for (let left = count; left > 0; left--) items.push(item(cursor));
    return items;
  });
}

function map(value: AvroRead): AvroRead {
  return nested((cursor) => {
    const entries: JsonObject = {};
    for (let count = cursor.block(); count > 0; count = cursor.block())
      for (let left = count; left > 0; left--) put(entries, cursor.text(), value(cursor));
    return entries;
  });
}

/** Counts the depth: a record of its own kind can nest as deep as it has bytes. */
function nested(read: AvroRead): AvroRead {
  return (cursor) => {
    if (++cursor.depth > deepestJson) throw new AvroError(`it nests deeper than ${deepestJson} levels`);
    const value = read(cursor);
    cursor.depth--;
    return value;
  };
}

/** `__proto__` is a name like any other. */
function put(object: JsonObject, name: string, value: JsonValue): void {
  if (name === "__proto__") Object.defineProperty(object, name, { value, enumerable: true, writable: true });
  else object[name] = value;
}

function textsOf(symbols: JsonValue | undefined): string[] {
  if (Array.isArray(symbols) && symbols.every((one) => typeof one === "string")) return symbols;
  throw new AvroSchemaError("an enumeration has no list of symbols");
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
}

/** The fewest digits that name this number among those of 32 bits, as Java writes it: 0.1, not 0.10000000149011612. */
function shortest(value: number): number {
  for (let digits = 1; digits < 9; digits++) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return short;
  }
  return Number.isFinite(value) ? Number(value.toPrecision(9)) : value;
}

function jsonNumber(value: number): JsonValue {
  if (Object.is(value, -0)) return new NumberText("-0.0");
  return Number.isFinite(value) ? value : String(value);
}
