import fc from "fast-check";
import { describe, expect, test } from "vitest";
import samples from "./fixtures/java-keys.json";
import { hexBytes } from "./hex";
import { keyText, readJavaKey } from "./java-key";
import { readJavaStream } from "./java-stream";

/** Written by ObjectOutputStream of OpenJDK 17, with the classes of bson 5.2.1. */
const sample = (name: keyof typeof samples) => samples[name];

describe("keys that Java wrote", () => {
  test.each<[keyof typeof samples, string]>([
    ["long", "-7"],
    ["max long", "9223372036854775807"],
    ["integer", "12400"],
    ["short", "-12"],
    ["byte", "5"],
    ["string", "nörd € 🌊\0z"],
    ["boolean", "true"],
    ["null column", "null"],
    ["double", "2.5"],
    ["float", "0.5"],
    ["decimal", "-12345678901234567890.1250"],
    ["decimal scale", "1300"],
    ["decimal whole", "42"],
    ["decimal zero", "0.00"],
    ["big integer", "-340282366920938463463374607431768211456"],
    ["uuid", "6bdfafd3-ab88-11f1-ac78-663f1c0f15f3"],
    ["bytes", "00ff10"],
    ["objectid", "6aa794680123456789abcdef"],
    ["decimal128", "not read: org.bson.types.Decimal128"],
    ["timestamp", "not read: java.sql.Timestamp"],
    ["date", "not read: java.sql.Date"],
    ["localdate", "not read: java.time.LocalDate"],
    ["offsetdatetime", "not read: java.time.OffsetDateTime"],
    ["enum", "not read: java.time.DayOfWeek"],
    ["chars", "not read: java.lang.Character"],
    ["list", "not read: java.util.ArrayList"],
    ["hashmap", "not read: java.util.HashMap"],
    ["nested", "not read: [Ljava.lang.Object;"],
    ["empty", "()"],
    ["composite", "(7, north, 8, null, north)"],
    ["strings of one", "(a, a)"],
    [
      "after unknown",
      "(not read: java.sql.Timestamp, not read: java.time.LocalDate, 3.50, 42, not read: java.sql.Timestamp, 43)",
    ],
  ])("%s", (name, text) => {
    const { columns, problem } = readJavaKey(sample(name));
    expect(problem).toBeUndefined();
    expect(keyText(columns ?? [])).toBe(text);
  });

  test("no key yet", () => {
    expect(readJavaKey(sample("null array"))).toEqual({ columns: null });
  });

  test("numbers serve for progress, other values do not", () => {
    const numbers = (name: keyof typeof samples) => readJavaKey(sample(name)).columns?.map((c) => c.number);
    expect(numbers("after unknown")).toEqual([null, null, 3.5, 42, null, 43]);
    expect(numbers("uuid")).toEqual([null]);
  });
});

describe("what is no key says why", () => {
  const head = "aced0005757200135b4c6a6176612e6c616e672e4f626a6563743b90ce589f1073296c0200007870";

  test.each([
    ["not hex", "xyz", 'is "xyz", not hex'],
    ["odd number of digits", "ace", 'is "ace", not hex'],
    ["empty", "", "is no serialised key: it ends before its value does"],
    ["cut", sample("long").slice(0, -2), "is no serialised key: it ends before its value does"],
    ["more", `${sample("long")}00`, "is no serialised key: it has 1 bytes after its value"],
    ["other bytes", "cafebabe", "is no serialised key: it does not begin with ACED0005"],
    ["one Long", sample("no array"), "is no serialised key: it holds no array of columns"],
    ["array of texts", sample("string array"), "is no serialised key: it holds no array of columns"],
    ["four billion columns", `${head}ffffffff70`, "is no serialised key: it ends before its value does"],
    [
      "a reference to nothing",
      `${head}00000001710000ffff`,
      "is no serialised key: it refers to a value that it does not hold",
    ],
    [
      "an unknown mark",
      `${head}0000000199`,
      "is no serialised key: it has byte 0x99 where a value should begin",
    ],
    ["too long", "00".repeat(70_000), "has 140000 characters, which is too long"],
    [
      "a text of 2^62 bytes",
      `${head}000000017c4000000000000000`,
      "is no serialised key: it holds a text that is too long",
    ],
  ])("%s", (_, hex, problem) => {
    expect(readJavaKey(hex)).toEqual({ problem });
  });

  test("arrays in arrays without end", () => {
    // Each level refers to the class of the first: [[[[…
    const nested = `${head}00000001${"7571007e000000000001".repeat(4_000)}70`;
    expect(readJavaKey(nested).problem).toBe("is no serialised key: it is nested too deeply");
  });

  test("an array that holds itself", () => {
    const self = readJavaKey(`${head}0000000171007e0001`);
    expect(keyText(self.columns ?? [])).toBe("not read: [Ljava.lang.Object;");
  });

  test("a class that is its own parent", () => {
    const stream = `aced0005737200014100000000000000000200007871007e0000`;
    expect(readJavaKey(stream).problem).toBe(
      "is no serialised key: it has a class that is nested too deeply",
    );
  });
});

describe("bytes from anywhere", () => {
  const valid = Object.values(samples).map((hex) => hexBytes(hex) ?? new Uint8Array());
  const answers = (bytes: Uint8Array) => {
    const { value, problem } = readJavaStream(bytes);
    expect(value === undefined).toBe(problem !== undefined);
  };

  test("random bytes after the header give a value or a sentence", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        answers(bytes);
        answers(Uint8Array.from([0xac, 0xed, 0, 5, ...bytes]));
      }),
      { numRuns: 2_000 },
    );
  });

  test("real streams with bytes changed and cut give a value or a sentence", () => {
    const change = fc.record({ at: fc.nat({ max: 400 }), byte: fc.nat({ max: 255 }) });
    fc.assert(
      fc.property(
        fc.constantFrom(...valid),
        fc.array(change, { maxLength: 4 }),
        fc.nat({ max: 400 }),
        (bytes, changes, length) => {
          const damaged = Uint8Array.from(bytes);
          for (const { at, byte } of changes) if (at < damaged.length) damaged[at] = byte;
          answers(damaged);
          answers(damaged.subarray(0, length));
        },
      ),
      { numRuns: 5_000 },
    );
  });

  test("any text as a key gives columns or a sentence", () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom(..."0123456789abcdef") })),
        (text) => {
          const reading = readJavaKey(text);
          expect(reading.problem === undefined).toBe(reading.columns !== undefined);
        },
      ),
    );
  });

  test("a whole number written as Java does is read back", () => {
    const head = sample("max long").slice(0, -16);
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (n) => {
        const hex = BigInt.asUintN(64, n).toString(16).padStart(16, "0");
        expect(keyText(readJavaKey(head + hex).columns ?? [])).toBe(n.toString());
      }),
    );
  });
});
