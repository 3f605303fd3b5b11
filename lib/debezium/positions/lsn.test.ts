import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { lsnText, parseLsn, walBytes } from "./lsn";

describe("LSN text", () => {
  test.each([
    [26120704n, "0/18E9200"],
    [5300419614704n, "4D2/19A0D7F0"],
    [9007199254741001n, "200000/9"],
    [401210345408n, "5D/6A0007C0"],
    [0x16_03002d50n, "16/3002D50"],
    [0n, "0/0"],
    [-1n, "FFFFFFFF/FFFFFFFF"],
  ])("%s is printed as PostgreSQL prints it: %s", (lsn, text) => {
    expect(lsnText(lsn)).toBe(text);
  });

  test("any unsigned 64-bit number comes back from its text, in either case", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), (lsn) => {
        expect(parseLsn(lsnText(lsn))).toBe(lsn);
        expect(parseLsn(lsnText(lsn).toLowerCase())).toBe(lsn);
      }),
    );
  });

  test.each(["", "16", "16/", "/1", "G/1", "123456789/0", "1/123456789", "1/2/3"])("%j is no LSN", (text) => {
    expect(parseLsn(text)).toBeNull();
  });

  test("bytes between two LSNs", () => {
    expect(walBytes(9007199254740993n, 9007199254741001n)).toBe(8n);
    expect(walBytes(2n, 1n)).toBe(-1n);
  });
});
