import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isJsonObject } from "../json";
import { reportedCase } from "./fixtures/read";
import {
  gtidCount,
  gtidSources,
  type MySqlGtidSet,
  mergeIntervals,
  mySqlGtids,
  parseMySqlGtids,
} from "./mysql-gtid";

const a = "3e11fa47-71ca-11e1-9e33-c80aa9429562";
const b = "5c9d1e5e-0000-11ee-be56-0242ac120002";

function set(text: string): MySqlGtidSet {
  const parsed = parseMySqlGtids(text);
  if (!parsed.set) throw new Error(parsed.problem ?? "no GTID");
  return parsed.set;
}

/** The same set the slow way: every single transaction. */
function naive(text: string): Set<string> {
  const all = new Set<string>();
  for (const part of text.split(",")) {
    const [source, ...ranges] = part.split(":");
    for (const range of ranges) {
      const [first = 0, last = first] = range.split("-").map(Number);
      for (let n = first; n <= last; n++) all.add(`${source}:${n}`);
    }
  }
  return all;
}

const intervalText = fc
  .tuple(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 0, max: 20 }))
  .map(([first, more]) => (more === 0 ? `${first}` : `${first}-${first + more}`));
const sourceText = fc
  .tuple(fc.constantFrom(a, b), fc.array(intervalText, { minLength: 1, maxLength: 6 }))
  .map(([uuid, parts]) => [uuid, ...parts].join(":"));
const gtidText = fc.array(sourceText, { minLength: 1, maxLength: 4 }).map((parts) => parts.join(","));

describe("GTID sets of MySQL", () => {
  test("OFF-06 repeated and upper-case sources, line breaks, overlapping and single-number intervals", () => {
    const { input } = reportedCase("OFF-06");
    const gtids = isJsonObject(input) ? String(input.gtids) : "";
    expect(gtidSources(set(gtids))).toEqual([
      { source: a, intervals: "1-5:11-29:40", count: 25n },
      { source: b, intervals: "7", count: 1n },
    ]);
    expect(gtidCount(set(gtids))).toBe(26n);
    expect(mySqlGtids.describe(set(gtids))).toBe(
      `${a}: 1-5:11-29:40 (25 transactions), ${b}: 7 (1 transaction); 26 in all`,
    );
  });

  test("a printed set parses to the same set, and holds what the slow way holds", () => {
    fc.assert(
      fc.property(gtidText, (text) => {
        const parsed = set(text);
        expect(set(mySqlGtids.print(parsed))).toEqual(parsed);
        expect(naive(mySqlGtids.print(parsed))).toEqual(naive(text));
        expect(gtidCount(parsed)).toBe(BigInt(naive(text).size));
      }),
    );
  });

  test("covers, equal and countBeyond agree with the slow way", () => {
    fc.assert(
      fc.property(gtidText, gtidText, (x, y) => {
        const [slowX, slowY] = [naive(x), naive(y)];
        const beyond = [...slowX].filter((id) => !slowY.has(id)).length;
        expect(mySqlGtids.countBeyond(set(x), set(y))).toBe(BigInt(beyond));
        expect(mySqlGtids.covers(set(y), set(x))).toBe(beyond === 0);
        expect(mySqlGtids.equal(set(x), set(y))).toBe(beyond === 0 && slowX.size === slowY.size);
      }),
    );
  });

  test("merged intervals are sorted and neither overlap nor touch", () => {
    const interval = fc
      .tuple(fc.bigInt({ min: 1n, max: 90n }), fc.bigInt({ min: 0n, max: 9n }))
      .map(([first, more]) => ({ first, last: first + more }));
    fc.assert(
      fc.property(fc.array(interval), (list) => {
        const merged = mergeIntervals(list);
        merged.slice(1).forEach((next, i) => {
          expect(next.first > (merged[i]?.last ?? 0n) + 1n).toBe(true);
        });
      }),
    );
  });

  test.each(["", "  ", "null", "NULL", "\n"])("%j records no GTID", (text) => {
    expect(parseMySqlGtids(text)).toEqual({ set: null });
  });

  test.each([
    ["0-223344-12", /server UUID/],
    [`${a}`, /no transaction numbers/],
    [`${a}:5-1`, /not a range/],
    [`${a}:0`, /not a range/],
    [`${a}:1-2-3`, /not a range/],
    [`${a}:9223372036854775807`, /not a range/],
  ])("%j is told to be wrong", (text, problem) => {
    expect(parseMySqlGtids(text).problem).toMatch(problem);
  });

  test("tagged GTIDs (8.3+) are counted apart from untagged ones", () => {
    expect(gtidSources(set(`${a}:1-3:Blue:1-2`))).toEqual([
      { source: a, intervals: "1-3", count: 3n },
      { source: `${a}:blue`, intervals: "1-2", count: 2n },
    ]);
  });

  test("one transaction against a set", () => {
    expect(mySqlGtids.covered(set(`${a}:1-5:11-29`), `${a}:5`)).toBe(true);
    expect(mySqlGtids.covered(set(`${a}:1-5:11-29`), `${a.toUpperCase()}:6`)).toBe(false);
    expect(mySqlGtids.covered(set(`${a}:1-5`), "nonsense")).toBeNull();
    expect(mySqlGtids.isNext(set(`${a}:1-5:11-29`), `${a}:30`)).toBe(true);
    expect(mySqlGtids.isNext(set(`${a}:1-5`), `${a}:7`)).toBe(false);
    expect(mySqlGtids.compareIds(`${a}:7`, `${a}:9`)).toBe(-2n);
    expect(mySqlGtids.compareIds(`${a}:7`, `${b}:9`)).toBeNull();
  });
});
