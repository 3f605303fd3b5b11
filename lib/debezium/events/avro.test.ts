import avsc from "avsc";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type JsonObject, type JsonValue, NumberText, parseJson } from "../json";
import { readerOf, schemaIdOf } from "./avro";
import fixtures from "./avro.fixtures.json";

const schemas: Record<string, string> = fixtures.schemas;

const framed = (bytes: Uint8Array, id = 1) => {
  const head = Buffer.alloc(5);
  head.writeInt32BE(id, 1);
  return Buffer.concat([head, bytes]);
};
const avro = (schema: JsonValue | object, ...references: object[]) =>
  readerOf({
    type: "AVRO",
    schema: JSON.stringify(schema),
    references: references.map((one) => JSON.stringify(one)),
  });
/** The value of bytes in hex. */
const read = (schema: JsonValue | object, hex: string) => avro(schema)(framed(Buffer.from(hex, "hex")));

function decode(base64: string): JsonValue | undefined {
  const bytes = Buffer.from(base64, "base64");
  const reader = readerOf({ type: "AVRO", schema: schemas[String(schemaIdOf(bytes))] ?? "", references: [] });
  return reader(bytes).value;
}

describe("records that a connector wrote", () => {
  test.each(fixtures.records.filter(({ what }) => what.length === 1))(
    "a change ($what) tells what the JSON of the same change tells",
    ({ key, value, json }) => {
      expect(decode(key)).toEqual(parseJson(json?.key ?? ""));
      const told = decode(value) as JsonObject;
      const truth = parseJson(json?.value ?? "") as JsonObject;
      // Another connector read it, at another time, after another commit.
      const source = { ...(truth.source as JsonObject), name: "avro", sequence: expect.any(String) };
      const times = { ts_ms: expect.anything(), ts_us: expect.anything(), ts_ns: expect.anything() };
      expect(told).toEqual({ ...truth, ...times, source });
      const [, lsn] = JSON.parse(String((told.source as JsonObject).sequence));
      expect(lsn).toBe(String((truth.source as JsonObject).lsn));
    },
  );

  test.each(fixtures.records.filter(({ topic }) => topic === "avro.transaction"))(
    "a record of the transaction topic tells the same",
    ({ key, value, json }) => {
      expect(decode(key)).toEqual(parseJson(json?.key ?? ""));
      expect(decode(value)).toEqual({
        ...(parseJson(json?.value ?? "") as JsonObject),
        ts_ms: expect.any(Number),
      });
    },
  );

  test("there is one of each kind", () => {
    expect(fixtures.records.map(({ what }) => what)).toEqual([
      "c",
      "u",
      "d",
      "avro.transaction",
      "avro.transaction",
      "__debezium-heartbeat.avro",
    ]);
    expect(fixtures.records.map(({ value }) => schemaIdOf(Buffer.from(value, "base64")))).toEqual([
      2, 2, 2, 11, 11, 9,
    ]);
  });
});

describe("the framing", () => {
  test.each([
    ["00000000020202", 2],
    ["007fffffff", 2_147_483_647],
    ["01000000020202", null],
    ["7b22616263", null],
    ["000000", null],
    // Apicurio's own form has eight bytes of id.
    ["00000000000000000202", null],
    ["00ffffffff02", null],
  ])("%s has the schema id %s", (hex, id) => {
    expect(schemaIdOf(Buffer.from(hex, "hex"))).toBe(id);
  });

  test("is found in a part of a larger buffer", () => {
    expect(schemaIdOf(Buffer.from("ffff000000000902", "hex").subarray(2))).toBe(9);
  });
});

describe("values in the shape that JSON events have", () => {
  test.each<[JsonValue | object, string, JsonValue]>([
    ["long", "02", 1],
    ["long", "01", -1],
    ["long", "feffffffffffff1f", 9_007_199_254_740_991],
    ["long", "8080808080808020", 9_007_199_254_740_992n],
    ["long", "feffffffffffffffff01", 9_223_372_036_854_775_807n],
    ["long", "ffffffffffffffffff01", -9_223_372_036_854_775_808n],
    ["int", "ffffffff0f", -2_147_483_648],
    ["boolean", "01", true],
    ["null", "", null],
    ["float", "cdcccc3d", 0.1],
    ["float", "0000c07f", "NaN"],
    ["double", "9a9999999999b93f", 0.1],
    ["double", "000000000000f0ff", "-Infinity"],
    ["double", "0000000000000080", new NumberText("-0.0")],
    ["string", "04c3bc", "ü"],
    ["bytes", "0401ff", "Af8="],
    [{ type: "bytes", logicalType: "decimal", precision: 12, scale: 2 }, "041edc", "Htw="],
    [{ type: "long", logicalType: "timestamp-millis" }, "02", 1],
    [{ type: "fixed", name: "f", size: 2 }, "01ff", "Af8="],
    [{ type: "enum", name: "e", symbols: ["A", "B"] }, "02", "B"],
    [["null", "long", "string"], "040261", "a"],
    [{ type: "map", values: "int" }, "0202610200", { a: 1 }],
    [{ type: { type: "string", "connect.name": "io.debezium.data.Enum" } }, "0261", "a"],
  ])("%j of %s", (schema, hex, value) => {
    expect(read(schema, hex)).toEqual({ value });
  });

  test("lists come in blocks, with or without their size", () => {
    expect(read({ type: "array", items: "int" }, "040204020600")).toEqual({ value: [1, 2, 3] });
    expect(read({ type: "array", items: "int" }, "03040204020600")).toEqual({ value: [1, 2, 3] });
  });

  test("a field named __proto__ is a field", () => {
    const schema = { type: "record", name: "r", fields: [{ name: "__proto__", type: "string" }] };
    const { value } = read(schema, "0261");
    expect(Object.entries(value as JsonObject)).toEqual([["__proto__", "a"]]);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });

  test("names: of a namespace, of the record itself, of a reference", () => {
    const node = {
      type: "record",
      name: "Node",
      namespace: "a.b",
      fields: [
        { name: "of", type: "c.Kind" },
        { name: "next", type: ["null", "Node"] },
      ],
    };
    const kind = { type: "enum", name: "c.Kind", symbols: ["X", "Y"] };
    expect(avro(node, kind)(framed(Buffer.from("00020200", "hex")))).toEqual({
      value: { of: "X", next: { of: "Y", next: null } },
    });
    expect(avro(node)(framed(Buffer.from("00", "hex"))).why).toBe(
      'the schema is no Avro schema: it names a type "c.Kind" that is not defined',
    );
  });

  test("JSON in the same framing is read, with every digit", () => {
    const json = readerOf({ type: "JSON", schema: "{}", references: [] });
    expect(json(framed(Buffer.from('{"lsn":9223372036854775807}')))).toEqual({
      value: { lsn: 9_223_372_036_854_775_807n },
    });
    expect(json(framed(Buffer.from("{"))).why).toBe("JSON cannot be read as JSON");
    expect(json(framed(Buffer.from([0xff]))).why).toBeDefined();
  });
});

describe("what cannot be read says why", () => {
  test.each<[JsonValue | object, string, string]>([
    ["long", "", "the value is not what its schema says: it ends 1 bytes too early"],
    ["long", "80", "it ends 1 bytes too early"],
    ["long", "ffffffffffffffffff02", "a whole number is longer than 64 bits"],
    ["int", "8080808010", "a whole number of 32 bits is 2147483648"],
    ["string", "0aff", "it ends 4 bytes too early"],
    ["string", "01", "a length is -1"],
    ["string", "02ff", "a text is not UTF-8"],
    ["boolean", "02", "a boolean is 2"],
    [["null", "long"], "04", "the branch of a union has the number 2 of 2"],
    [{ type: "enum", name: "e", symbols: ["A"] }, "02", "an enumeration's symbol has the number 1 of 1"],
    [{ type: "array", items: "int" }, "01c801", "a block of 100 bytes, where 0 are left"],
    ["null", "00", "1 bytes are left over"],
  ])("%j of %s", (schema, hex, why) => {
    expect(read(schema, hex).why).toContain(why);
  });

  test.each<[string, string]>([
    ["{", "the schema cannot be read as JSON"],
    ["7", "the schema is no Avro schema: a type is neither a name, a list nor an object"],
    ['{"type":"record","name":"r"}', "a record has no fields"],
    ['{"type":"record","fields":[]}', 'a type "record" has no name'],
    ['{"type":"enum","name":"e"}', "an enumeration has no list of symbols"],
    ['{"type":"fixed","name":"f"}', "a fixed type has no size"],
    [`${"[".repeat(600)}${"]".repeat(600)}`, "the schema is nested too deep to be read"],
  ])("the schema %.30s", (schema, why) => {
    expect(readerOf({ type: "AVRO", schema, references: [] })(framed(Buffer.alloc(1))).why).toContain(why);
  });

  test("Protobuf", () => {
    const reader = readerOf({ type: "PROTOBUF", schema: "", references: [] });
    expect(reader(framed(Buffer.alloc(3)))).toEqual({ why: "it is PROTOBUF, which is not read" });
  });

  test("counts, nesting and fields that take no bytes end at a bound", () => {
    const long = "feffffffffffff1f";
    expect(read({ type: "array", items: "null" }, long).why).toContain("more than 1,000,000 values");
    const both = ["a", "b"].map((name) => ({ name, type: "r" }));
    expect(read({ type: "record", name: "r", fields: both.slice(1) }, "").why).toContain(
      "deeper than 500 levels",
    );
    expect(read({ type: "record", name: "r", fields: both }, "").why).toContain("deeper than 500 levels");
    const empty = Array.from({ length: 1_000 }, (_, at) => ({ name: `f${at}`, type: "null" }));
    const wide = { type: "array", items: { type: "record", name: "w", fields: empty } };
    expect(read(wide, "feff7f").why).toContain("more than 1,000,000 values");
  });
});

// ── against an independent encoder

/** A type with what avsc encodes as one of its values, and what our reader should make of that. */
interface Case {
  schema: JsonValue | object;
  /** The branch that a union has for it. */
  branch: string;
  given: unknown;
  expected: JsonValue;
}

const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const small = (value: bigint): JsonValue => {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
};
const simple = <T>(
  schema: string,
  values: fc.Arbitrary<T>,
  expected: (value: T) => JsonValue = (v) => v as JsonValue,
): fc.Arbitrary<Case> =>
  values.map((given) => ({ schema, branch: schema, given, expected: expected(given) }));
const finite = (value: number): JsonValue =>
  Number.isFinite(value) ? (Object.is(value, -0) ? new NumberText("-0.0") : value) : String(value);
const unicode = fc.string({ unit: "binary", maxLength: 12 });

const { value: values } = fc.letrec<{ value: Case }>((tie) => {
  const inner = tie("value");
  const record = fc.array(inner, { maxLength: 4 }).map(
    (fields): Case => ({
      schema: {
        type: "record",
        name: "N",
        fields: fields.map(({ schema }, at) => ({ name: `f${at}`, type: schema })),
      },
      branch: "N",
      given: Object.fromEntries(fields.map(({ given }, at) => [`f${at}`, given])),
      expected: Object.fromEntries(fields.map(({ expected }, at) => [`f${at}`, expected])),
    }),
  );
  const list = fc.tuple(inner, fc.nat(3)).map(
    ([{ schema, given, expected }, length]): Case => ({
      schema: { type: "array", items: schema },
      branch: "array",
      given: Array.from({ length }, () => given),
      expected: Array.from({ length }, () => expected),
    }),
  );
  const map = fc.tuple(inner, fc.uniqueArray(unicode, { maxLength: 3 })).map(
    ([one, keys]): Case => ({
      schema: { type: "map", values: one.schema },
      branch: "map",
      given: Object.fromEntries(keys.map((key) => [key, one.given])),
      expected: Object.fromEntries(keys.map((key) => [key, one.expected])),
    }),
  );
  const optional = fc
    .tuple(inner, fc.boolean(), fc.boolean())
    .filter(([one]) => !Array.isArray(one.schema) && one.branch !== "null");
  const union = optional.map(
    ([one, first, there]): Case => ({
      schema: first ? ["null", one.schema] : [one.schema, "null"],
      branch: "union",
      given: there ? { [one.branch]: one.given } : null,
      expected: there ? one.expected : null,
    }),
  );
  return {
    value: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      simple("null", fc.constant(null)),
      simple("boolean", fc.boolean()),
      simple("int", fc.integer()),
      simple("long", fc.oneof(int64, fc.integer().map(BigInt)), small),
      // Six digits are as many as every float keeps.
      fc
        .tuple(fc.integer({ min: -999_999, max: 999_999 }), fc.integer({ min: -30, max: 30 }))
        .map(([digits, exponent]): Case => {
          const value = Number(`${digits}e${exponent}`);
          return { schema: "float", branch: "float", given: Math.fround(value), expected: finite(value) };
        }),
      simple("double", fc.double(), finite),
      simple("string", unicode),
      simple(
        "bytes",
        fc.uint8Array({ maxLength: 9 }).map((b) => Buffer.from(b)),
        (b) => b.toString("base64"),
      ),
      record,
      list,
      map,
      union,
    ),
  };
});

const longType = avsc.types.LongType.__with({
  fromBuffer: (bytes: Buffer) => bytes.readBigInt64LE(),
  toBuffer: (value: bigint) => {
    const bytes = Buffer.alloc(8);
    bytes.writeBigInt64LE(value);
    return bytes;
  },
  fromJSON: BigInt,
  toJSON: String,
  isValid: (value: unknown) => typeof value === "bigint",
  compare: (a: bigint, b: bigint) => Number(a - b),
});

/** Names must differ: numbers the records, and their branches with them. */
function named(one: Case): Case {
  let count = 0;
  const rename = (schema: unknown): unknown => {
    if (Array.isArray(schema)) return schema.map(rename);
    if (typeof schema !== "object" || schema === null) return schema;
    const copy: Record<string, unknown> = { ...schema };
    if (copy.type === "record") {
      copy.name = `N${count++}`;
      copy.fields = (copy.fields as { name: string; type: unknown }[]).map((f) => ({
        ...f,
        type: rename(f.type),
      }));
    }
    if (copy.items !== undefined) copy.items = rename(copy.items);
    if (copy.values !== undefined) copy.values = rename(copy.values);
    return copy;
  };
  return { ...one, schema: rename(one.schema) as object };
}

/** Renames the branches of unions in a value as the schema's names say. */
function branched(schema: unknown, given: unknown): unknown {
  if (Array.isArray(schema)) {
    if (given === null) return null;
    const branch = schema.find((one) => one !== "null") as { type?: string; name?: string } | string;
    const [value] = Object.values(given as object);
    const name = typeof branch === "string" ? branch : (branch.name ?? branch.type ?? "");
    return { [name]: branched(branch, value) };
  }
  if (typeof schema !== "object" || schema === null) return given;
  const type = schema as {
    type: string;
    fields?: { name: string; type: unknown }[];
    items?: unknown;
    values?: unknown;
  };
  if (type.fields) {
    const value = given as Record<string, unknown>;
    return Object.fromEntries(type.fields.map((f) => [f.name, branched(f.type, value[f.name])]));
  }
  if (type.items !== undefined) return (given as unknown[]).map((one) => branched(type.items, one));
  const entries = Object.entries(given as object).map(([key, value]) => [key, branched(type.values, value)]);
  return Object.fromEntries(entries);
}

function encoded(one: Case): Buffer {
  const type = avsc.Type.forSchema(one.schema as avsc.Schema, {
    registry: { long: longType },
    wrapUnions: "always",
  });
  return framed(type.toBuffer(branched(one.schema, one.given)));
}

describe("what another library wrote", () => {
  test("is read as what was written", () => {
    fc.assert(
      fc.property(values.map(named), (one) => {
        expect(avro(one.schema)(encoded(one))).toEqual({ value: one.expected });
      }),
      { numRuns: 500 },
    );
  });

  test("cut anywhere, it ends too early", () => {
    fc.assert(
      fc.property(values.map(named), fc.nat(), (one, at) => {
        const bytes = encoded(one);
        fc.pre(bytes.length > 5);
        expect(avro(one.schema)(bytes.subarray(0, 5 + (at % (bytes.length - 5)))).why).toBeDefined();
      }),
    );
  });

  test("random bytes and flipped bits never throw, hang or grow", () => {
    const record = Buffer.from(fixtures.records[0]?.value ?? "", "base64");
    const reader = readerOf({ type: "AVRO", schema: schemas["2"] ?? "", references: [] });
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
        const { value, why } = reader(framed(bytes));
        expect(value === undefined).toBe(why !== undefined);
      }),
      { numRuns: 5_000 },
    );
    for (let bit = 0; bit < (record.length - 5) * 8; bit++) {
      const flipped = Buffer.from(record);
      const at = 5 + (bit >> 3);
      flipped[at] = (flipped[at] ?? 0) ^ (1 << (bit & 7));
      const { value, why } = reader(flipped);
      expect(value === undefined).toBe(why !== undefined);
    }
  });
});
