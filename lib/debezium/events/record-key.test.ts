import { expect, test } from "vitest";
import { recordKey } from "./record-key";

const key = (text: string) => recordKey(Buffer.from(text));

test.each([
  ['{"b":1,"a":{"d":2,"c":9007199254740993}}', '{"a":{"c":9007199254740993,"d":2},"b":1}'],
  ['{"schema":{"type":"struct","fields":[]},"payload":{"id":1}}', '{"id":1}'],
  ['{"schema":1,"payload":{"id":1}}', '{"payload":{"id":1},"schema":1}'],
  ["shop", '"shop"'],
  ['"shop"', '"shop"'],
  ["42", "42"],
])("%s", (text, canonical) => expect(key(text)).toBe(canonical));

test("no key, and keys that are no text", () => {
  expect(recordKey(null)).toBeNull();
  expect(recordKey(Buffer.from("00000000020a", "hex"))).toBe("0x00000000020a");
  expect(recordKey(Buffer.from("ff", "hex"))).toBe("0xff");
});
