import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { capturedRecords } from "./fixtures/read";
import { KeySpans } from "./key-spans";
import { recordKey } from "./record-key";
import { compact, row, withSchema } from "./testing/random-events";

const spans = new KeySpans();

/** The span of a key that lies between other bytes. */
function span(key: string): string {
  const bytes = Buffer.concat([Buffer.from('{"schema":'), Buffer.from(key), Buffer.from("}}")]);
  spans.find(bytes, 10, bytes.length - 2);
  return bytes.toString("utf8", spans.from, spans.to);
}

describe("keys as bytes", () => {
  test("with and without schema are the same", () => {
    fc.assert(
      fc.property(row, (key) => {
        const members = Object.entries(key);
        expect(span(withSchema(members, "t"))).toBe(compact(members));
        expect(span(compact(members))).toBe(compact(members));
      }),
    );
  });

  test("captured ones are what the full reading makes of them", () => {
    const keys = capturedRecords().flatMap(({ record }) =>
      record.key instanceof Uint8Array ? [record.key] : [],
    );
    expect(keys.length).toBeGreaterThan(60);
    for (const key of keys) expect(recordKey(Buffer.from(span(key.toString())))).toBe(recordKey(key));
  });

  test.each([
    "",
    "{",
    "shop",
    '{"schema":1,"payload":2}',
    '{"schema":{"type":"struct"},"payload":',
    '{"schema":{"type":"struct"},"payload":}',
    '{"schema":{"type":"struct"},"value":1}',
  ])("%s is left whole", (key) => expect(span(key)).toBe(key));

  test("a payload that is no map", () => {
    expect(span('{"schema":{"type":"int64"},"payload":42}')).toBe("42");
  });
});
