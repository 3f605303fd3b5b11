import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { pickVersion, TooNewError, TooOldError, WireError, WireReader, WireWriter } from "./wire";

const of = (flexible: boolean) => ({ apiName: "Test", flexible });

const things = fc.array(
  fc.record({
    text: fc.option(fc.string({ unit: "grapheme", maxLength: 300 })),
    small: fc.integer({ min: -128, max: 127 }),
    whole: fc.integer(),
    long: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    id: fc.uint8Array({ minLength: 16, maxLength: 16 }).map((bytes) => Buffer.from(bytes).toString("hex")),
  }),
  { maxLength: 200 },
);

describe("what is written is read back", () => {
  test.each([true, false])("flexible: %s", (flexible) => {
    fc.assert(
      fc.property(things, (list) => {
        const writer = new WireWriter(flexible);
        writer.array(list, (one) => {
          writer.string(one.text).int8(one.small).int32(one.whole).int64(one.long).uuid(one.id).tags();
        });
        const reader = new WireReader(writer.bytes(), of(flexible));
        const read = reader.array(() => {
          const [text, small, whole] = [reader.string(), reader.int8(), reader.int32()];
          const [long, id] = [reader.int64(), reader.uuid()];
          reader.tags();
          return { text, small, whole, long, id };
        });
        expect(read).toEqual(list);
        expect(() => reader.int8()).toThrow(WireError);
      }),
    );
  });
});

test("any bytes at all are read within their length, or refused", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), fc.boolean(), (bytes, flexible) => {
      const reader = new WireReader(Buffer.from(bytes), of(flexible));
      try {
        const items = reader.array(() => [reader.string(), reader.view(), reader.tags(), reader.offset()]);
        expect(items.length).toBeLessThanOrEqual(bytes.length);
      } catch (error) {
        expect(error).toBeInstanceOf(WireError);
      }
    }),
    { numRuns: 2_000 },
  );
});

test("the newest version that both sides know", () => {
  const versions = { 3: { minVersion: 2, maxVersion: 9 } };
  expect(pickVersion(versions, 3, 4, 12)).toBe(9);
  expect(pickVersion(versions, 3, 1, 5)).toBe(5);
  expect(() => pickVersion(versions, 3, 10, 12)).toThrow(TooOldError);
  expect(() => pickVersion(versions, 3, 0, 1)).toThrow(TooNewError);
  expect(() => pickVersion({}, 3, 4, 12)).toThrow(TooOldError);
});
