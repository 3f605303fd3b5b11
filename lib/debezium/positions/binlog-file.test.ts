import { describe, expect, test } from "vitest";
import { isJsonObject, type JsonValue } from "../json";
import { binlogFile, filesBetween, filesText } from "./binlog-file";
import { reportedCase } from "./fixtures/read";

describe("binlog files", () => {
  test("OFF-11 the suffix is compared as a number", () => {
    const { input } = reportedCase("OFF-11");
    const file = (value: JsonValue | undefined) => (isJsonObject(value) ? String(value.file) : "");
    const [first, second] = Array.isArray(input) ? [file(input[0]), file(input[1])] : ["", ""];
    expect(binlogFile(first)).toEqual({ base: "db.eu-1.mysql-bin", number: 999999n });
    expect(binlogFile(second)).toEqual({ base: "db.eu-1.mysql-bin", number: 1000000n });
    expect(filesBetween(first, second)).toBe(1n);
  });

  test("files of different series have no order", () => {
    expect(filesBetween("mysql-bin.000001", "binlog.000002")).toBeNull();
    expect(filesBetween("odd", "odd")).toBe(0n);
    expect(filesBetween("odd", "odd2")).toBeNull();
  });

  test("for a person", () => {
    expect(filesText(1n)).toBe("1 file later");
    expect(filesText(-3n)).toBe("3 files earlier");
  });
});
