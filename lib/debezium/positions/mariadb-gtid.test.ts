import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type MariaDbGtidSet, mariaDbGtids, parseMariaDbGtid } from "./mariadb-gtid";

function set(text: string): MariaDbGtidSet {
  const parsed = mariaDbGtids.parse(text);
  if (!parsed.set) throw new Error(parsed.problem ?? "no GTID");
  return parsed.set;
}

const gtidText = fc
  .array(
    fc.tuple(fc.integer({ min: 0, max: 2 }), fc.integer({ min: 1, max: 2 }), fc.integer({ min: 1, max: 9 })),
    {
      minLength: 1,
      maxLength: 5,
    },
  )
  .map((list) => list.map((parts) => parts.join("-")).join(","));

describe("GTID sets of MariaDB", () => {
  test("a printed set parses to the same set", () => {
    fc.assert(
      fc.property(gtidText, (text) => {
        expect(set(mariaDbGtids.print(set(text)))).toEqual(set(text));
      }),
    );
  });

  test("a set covers itself, and covering is transitive", () => {
    fc.assert(
      fc.property(gtidText, gtidText, gtidText, (x, y, z) => {
        const { covers } = mariaDbGtids;
        expect(covers(set(x), set(x))).toBe(true);
        if (covers(set(x), set(y)) && covers(set(y), set(z))) expect(covers(set(x), set(z))).toBe(true);
      }),
    );
  });

  test("of one stream the highest sequence stays", () => {
    expect(mariaDbGtids.print(set("1-5-7, 0-1-2,\n0-1-9"))).toBe("0-1-9,1-5-7");
  });

  test("a new server in the domain covers what the old one wrote; Debezium says it does not", () => {
    expect(mariaDbGtids.covers(set("0-2-101"), set("0-1-100"))).toBe(true);
    expect(mariaDbGtids.coversAsDebezium(set("0-2-101"), set("0-1-100"))).toBe(false);
    expect(mariaDbGtids.coversAsDebezium(set("0-1-101"), set("0-1-100"))).toBe(true);
    expect(mariaDbGtids.countBeyond(set("0-2-101,1-1-5"), set("0-1-90"))).toBe(16n);
  });

  test("the same number from two servers is not the same transaction", () => {
    expect(mariaDbGtids.covers(set("0-2-100"), set("0-1-100"))).toBe(false);
    expect(mariaDbGtids.covered(set("0-2-100"), "0-1-100")).toBe(false);
  });

  test("one transaction against a set", () => {
    expect(mariaDbGtids.covered(set("0-1-100"), "0-1-100")).toBe(true);
    expect(mariaDbGtids.covered(set("0-1-100"), "1-1-1")).toBe(false);
    expect(mariaDbGtids.covered(set("0-1-100"), "x")).toBeNull();
    expect(mariaDbGtids.isNext(set("0-1-100"), "0-1-101")).toBe(true);
    expect(mariaDbGtids.compareIds("0-1-100", "0-2-101")).toBe(-1n);
    expect(mariaDbGtids.compareIds("0-1-100", "1-1-101")).toBeNull();
  });

  test.each(["1-2", "0-1--3", "0-4294967296-1", "0-1-18446744073709551616", "a-b-c"])(
    "%j is no GTID",
    (text) => {
      expect(parseMariaDbGtid(text)).toBeNull();
      expect(mariaDbGtids.parse(text).problem).toContain(text);
    },
  );
});

test("many ids take time by their number, not by its square", () => {
  const ids = Array.from({ length: 100_000 }, (_, i) => `${i}-1-${i}`);
  const { set } = mariaDbGtids.parse(ids.join());
  expect(set).toHaveLength(ids.length);
  expect(set && mariaDbGtids.coversAsDebezium(set, set)).toBe(true);
}, 4_000);
