import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isJsonObject, type JsonObject, parseJson, stringifyJson } from "../json";
import { type InformixPosition, informix } from "./informix";
import { informixLsnText } from "./informix-lsn";
import { expectTotalOrder, opposite } from "./testing/order-laws";

function offset(map: JsonObject): InformixPosition {
  const { position, problems } = informix.decodeOffset(map);
  if (!position) throw new Error(problems[0]?.text);
  return position;
}

function event(map: JsonObject): InformixPosition {
  const { position, problems } = informix.decodeSource({ snapshot: "false", ...map });
  if (!position) throw new Error(problems[0]?.text);
  return position;
}

const at = (commit: bigint, change: bigint | null, begin: bigint | null = null): JsonObject => ({
  commit_lsn: commit.toString(),
  change_lsn: change === null ? "-1" : change.toString(),
  begin_lsn: begin === null ? null : begin.toString(),
});

describe("Informix LSNs", () => {
  test.each([
    [(7n << 32n) + 0x8a209cn, "LSN(7,8a209c)"],
    [0n, "LSN(0,0)"],
    [2n ** 63n - 1n, "LSN(2147483647,ffffffff)"],
  ])("%s is written %s, as Informix does", (lsn, text) => {
    expect(informixLsnText(lsn)).toBe(text);
    expect(informix.fields.commit_lsn?.read(lsn.toString())).toEqual({ text });
  });

  test.each([null, "NULL", "null", "-1", -1])("%j is none", (value) => {
    expect(informix.fields.change_lsn?.read(value)).toEqual({ text: "none" });
    expect(informix.fields.begin_lsn?.read(value)).toEqual({ text: "none; a restart reads from commit_lsn" });
  });

  test.each([true, "abc", "-2", "9223372036854775808", 1.5])("%j is not an LSN", (value) => {
    expect(informix.fields.commit_lsn?.read(value).problem).toContain("not an LSN");
  });
});

describe("Informix offsets", () => {
  const seven = 7n << 32n;

  test.each<[string, JsonObject, RegExp, string[]]>([
    ["a transaction done", at(seven + 9n, seven + 9n, seven + 1n), /all of its changes were sent/, []],
    ["inside one", at(seven + 9n, seven + 4n, seven + 1n), /change LSN\(7,4\)/, ["mid-transaction"]],
    [
      "a snapshot",
      { snapshot: true, snapshot_completed: false, commit_lsn: (seven + 9n).toString() },
      /running snapshot/,
      [],
    ],
    [
      "a snapshot done",
      { snapshot: "INITIAL", snapshot_completed: true, commit_lsn: (seven + 9n).toString() },
      /no change was sent since/,
      [],
    ],
    ["numbers instead of texts", { commit_lsn: seven + 9n, change_lsn: seven + 9n }, /all of its/, []],
  ])("%s", (_, map, meaning, slugs) => {
    expect(informix.headline(map)).toEqual({
      text: "LSN(7,9)",
      meaning: expect.stringMatching(meaning),
    });
    expect(informix.warnings(map).map((w) => w.slug)).toEqual(slugs);
    expect(informix.decodeOffset(map).problems).toEqual([]);
  });

  test("what cannot be read says why", () => {
    expect(informix.decodeOffset({}).problems.map((p) => p.text)).toEqual([
      "commit_lsn is missing; every Informix offset has one.",
    ]);
    expect(informix.decodeOffset({ commit_lsn: "x" }).problems.map((p) => p.text)).toEqual([
      'commit_lsn is "x", not an LSN as a whole number.',
    ]);
    expect(informix.headline({ commit_lsn: "-1" }).text).toBe("none yet");
    expect(informix.decodeSource({}).problems.map((p) => p.text)).toEqual(["The event has no commit_lsn."]);
  });

  test("a position written back reads the same", () => {
    const lsn = fc.bigInt({ min: 0n, max: 2n ** 63n - 1n });
    fc.assert(
      fc.property(lsn, fc.option(lsn), fc.option(lsn), (commit, change, begin) => {
        const again = parseJson(stringifyJson(at(commit, change, begin)));
        const position = offset(isJsonObject(again) ? again : {});
        expect([position.commit, position.change, position.begin]).toEqual([commit, change, begin]);
        const [, log, place] = /^LSN\((\d+),([0-9a-f]+)\)$/.exec(informixLsnText(commit)) ?? [];
        expect((BigInt(log ?? -1) << 32n) + BigInt(`0x${place}`)).toBe(commit);
      }),
    );
  });
});

describe("order of Informix positions", () => {
  test.each([
    ["an earlier transaction, whose changes have higher LSNs", at(5n, 3n), at(4n, 4n), "after"],
    ["a later transaction, whose changes have lower LSNs", at(5n, 5n), at(8n, 2n), "before"],
    ["its own change", at(5n, 3n), at(5n, 3n), "equal"],
    ["the next change", at(5n, 3n), at(5n, 4n), "before"],
    ["a change of a transaction that is done", at(5n, 5n), at(5n, 4n), "after"],
    [
      "after a snapshot, what it covers",
      { ...at(5n, null), snapshot: true, snapshot_completed: true },
      at(5n, 4n),
      "after",
    ],
    ["in a snapshot", { ...at(5n, null), snapshot: "INITIAL" }, at(9n, 4n), "unordered"],
  ] as const)("an offset and %s", (_, stored, delivered, expected) => {
    expect(informix.order(offset(stored), event(delivered)).order).toBe(expected);
    expect(informix.order(event(delivered), offset(stored)).order).toBe(opposite[expected]);
  });

  test("a record of an incremental snapshot has no place", () => {
    expect(informix.order(event({ ...at(1n, 1n), snapshot: "incremental" }), event(at(2n, 1n))).order).toBe(
      "unordered",
    );
  });

  test("is total among offsets and among events", () => {
    const n = fc.bigInt({ min: 0n, max: 3n });
    const place = fc.tuple(n, fc.option(n), fc.option(n)).map((parts) => at(...parts));
    expectTotalOrder(informix, place.map(offset));
    expectTotalOrder(informix, place.map(event));
  });
});

describe("distance and identity", () => {
  test.each([
    [at(7n << 32n, null), at(9n << 32n, null), /^2 logical logs later; how long the logs are/],
    [at(9n << 32n, null), at(8n << 32n, null), /^1 logical log earlier;/],
    [at(4096n, null), at(8192n, null), /^In the same logical log; .*no number of bytes/],
    [at(4096n, null), { commit_lsn: "-1" }, /no commit LSN/],
  ])("from %j to %j", (from, to, why) => {
    expect(informix.distance(offset(from), offset(to))).toEqual({
      amount: null,
      why: expect.stringMatching(why),
    });
  });

  test("changes are named by their LSNs, with a doubt", () => {
    const record = (op: string, source: JsonObject) =>
      informix.identity({ topic: "t", key: "k", op, source });
    expect(record("u", at(5n, 3n)).id).not.toBe(record("u", at(5n, 4n)).id);
    expect(record("u", at(5n, 3n))).toMatchObject({ caveat: expect.stringContaining("share a change LSN") });
    expect(record("r", at(5n, 3n)).id).toBeNull();
    expect(record("u", at(5n, null)).id).toBeNull();
  });
});
