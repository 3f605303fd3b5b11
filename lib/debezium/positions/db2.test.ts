import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isJsonObject, type JsonObject, parseJson, stringifyJson } from "../json";
import type { ChangeTablePosition } from "./change-table-order";
import { db2 } from "./db2";
import { expectTotalOrder, opposite } from "./testing/order-laws";

function offset(map: JsonObject): ChangeTablePosition {
  const { position, problems } = db2.decodeOffset(map);
  if (!position) throw new Error(problems[0]?.text);
  return position;
}

function event(map: JsonObject): ChangeTablePosition {
  const { position, problems } = db2.decodeSource({ db: "SAMPLE", snapshot: "false", ...map });
  if (!position) throw new Error(problems[0]?.text);
  return position;
}

const lsn = (n: number) => `00000000:00000000:${n.toString(16).padStart(16, "0")}`;
const at = (commit: number, change: number | null): JsonObject => ({
  commit_lsn: lsn(commit),
  change_lsn: change === null ? null : lsn(change),
});

describe("Db2 positions", () => {
  test("an offset of every phase", () => {
    const running = { snapshot: true, snapshot_completed: false, commit_lsn: lsn(9) };
    expect(db2.headline(running)).toEqual({
      text: lsn(9),
      meaning: expect.stringContaining("running snapshot"),
    });
    expect(db2.headline({ ...running, snapshot_completed: true }).meaning).toContain(
      "no change was sent since",
    );
    expect(db2.headline({ ...at(9, 7), event_serial_no: 2 })).toEqual({
      text: lsn(9),
      meaning: expect.stringContaining(`change LSN ${lsn(7)}, number 2 there`),
    });
    expect(db2.fields.commit_lsn?.read(lsn(0x2af))).toEqual({ text: lsn(0x2af) });
    expect(db2.fields.change_lsn?.read("NULL", {})).toEqual({ text: "none" });
  });

  test.each([
    ["an earlier commit", at(5, 3), at(4, 9), "after"],
    ["a later commit", at(5, 3), at(6, 1), "before"],
    ["an earlier change", at(5, 3), at(5, 2), "after"],
    ["a later change", at(5, 3), at(5, 4), "before"],
    ["its own LSNs, which carry no number", at(5, 3), at(5, 3), "unordered"],
  ] as const)("an offset and an event with %s", (_, stored, delivered, expected) => {
    const answer = db2.order(offset({ ...stored, event_serial_no: 1 }), event(delivered));
    expect(answer.order).toBe(expected);
    expect(answer.order === "unordered" ? answer.why : "no event_serial_no").toContain("no event_serial_no");
    expect(db2.order(event(delivered), offset(stored)).order).toBe(opposite[expected]);
  });

  test("LSNs of different lengths do not compare", () => {
    const zos = { commit_lsn: "00000000:00000000:0005", change_lsn: "NULL" };
    expect(db2.order(offset(zos), event(at(5, 3)))).toMatchObject({
      order: "unordered",
      why: expect.stringContaining("differ in length"),
    });
    expect(db2.distance(offset(zos), offset(at(5, 3)))).toMatchObject({ amount: null });
  });

  test("order is total among offsets and among events", () => {
    const n = fc.integer({ min: 0, max: 3 });
    const place = fc.tuple(n, fc.option(n)).map(([commit, change]) => at(commit, change));
    expectTotalOrder(
      db2,
      fc.tuple(place, n).map(([map, serial]) => offset({ ...map, event_serial_no: serial })),
    );
    expectTotalOrder(db2, place.map(event));
  });

  test("a position written back reads the same", () => {
    const bytes = fc.uint8Array({ minLength: 16, maxLength: 16 });
    const text = bytes.map((b) =>
      Buffer.from(b)
        .toString("hex")
        .replace(/^(.{8})(.{8})/, "$1:$2:"),
    );
    fc.assert(
      fc.property(text, fc.option(text), (commit, change) => {
        const again = parseJson(
          stringifyJson({ commit_lsn: commit, change_lsn: change, event_serial_no: 1 }),
        );
        const position = offset(isJsonObject(again) ? again : {});
        expect([position.commit, position.change]).toEqual([commit, change]);
      }),
    );
  });

  test("a change is named by its LSNs; without a key that may not be enough", () => {
    const record = (key: string | null, source: JsonObject) =>
      db2.identity({ topic: "t", key, op: "u", source });
    expect(record("k", at(1, 2))).toMatchObject({ caveat: null });
    expect(record("k", at(1, 2)).id).not.toBe(record("k", at(1, 3)).id);
    expect(record(null, at(1, 2))).toMatchObject({ caveat: expect.stringContaining("no key") });
  });

  test("no amount lies between two LSNs", () => {
    expect(db2.distance(offset(at(1, 2)), offset(at(9, 2)))).toEqual({
      amount: null,
      why: "Two LSNs of Db2 tell which came first, not how much lies in between.",
    });
  });
});
