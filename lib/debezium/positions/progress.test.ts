import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type ConnectorType, connectorTypes } from "../connector-type";
import { isJsonObject, type JsonObject, type JsonValue } from "../json";
import { capturedCommits, reportedCase } from "./fixtures/read";
import { progress } from "./progress";

const uuid = "8a94f357-aab4-11df-86ab-c80aa9429562";
const other = "0d9f3c11-aab4-11df-86ab-c80aa9429562";

function offsetsOf(id: string): [JsonObject, JsonObject] {
  const { input } = reportedCase(id);
  const read = (value: JsonValue | undefined) =>
    isJsonObject(value) && isJsonObject(value.offset) ? value.offset : null;
  const [first, second] = Array.isArray(input) ? input.map(read) : [];
  if (!first || !second) throw new Error("two offsets");
  return [first, second];
}

function expectedOf(id: string): JsonObject {
  const { expected } = reportedCase(id);
  return isJsonObject(expected) ? expected : {};
}

const slugs = (type: ConnectorType, a: JsonObject, b: JsonObject) =>
  progress(type, a, b).warnings.map((w) => w.slug);

const words = (type: ConnectorType, a: JsonObject, b: JsonObject) => {
  const { text, warnings } = progress(type, a, b);
  return [text, ...warnings.map((w) => w.text)].join(" ");
};

describe("reported steps of MySQL", () => {
  test("OFF-08: the GTID set stands still while file and position move", () => {
    const [first, second] = offsetsOf("OFF-08");
    const step = progress("mysql", first, second);
    expect(expectedOf("OFF-08").progress).toContain("+989200 bytes in the same file");
    expect(step).toMatchObject({ move: "forward", distance: { amount: 989200n } });
    expect(step.text).toBe("+989200 bytes in the same binlog file");
    expect(slugs("mysql", first, second)).toEqual(["offset-not-comparable"]);
    expect(step.warnings[0]?.text).toMatch(
      /GTID set has not changed while file and position moved.*gtid_mode is probably not ON.*restart may fail or replay/,
    );
  });

  test("OFF-10: binlog numbering restarts; the GTIDs go on", () => {
    const [first, second] = offsetsOf("OFF-10");
    const step = progress("mysql", first, second);
    expect(step.move).toBe("forward");
    expect(step.text).toBe(expectedOf("OFF-10").progress_by_gtid);
    expect(step.distance).toEqual({ amount: 45n, unit: "transactions" });
    expect(slugs("mysql", first, second)).toEqual(["offset-not-comparable"]);
    expect(step.warnings[0]?.text.toLowerCase()).toMatch(
      /binlog numbering restarted .*different server.* restored or reset/,
    );
    expect(words("mysql", first, second)).not.toMatch(/up to date|lag|-\d+ (bytes|transactions)|unchanged/i);
  });

  test("OFF-11: a later file is a step forward of unknown length", () => {
    const { input } = reportedCase("OFF-11");
    const [first = null, second = null] = Array.isArray(input) ? input : [];
    if (!isJsonObject(first) || !isJsonObject(second)) throw new Error("two offsets");
    expect(progress("mysql", first, second)).toMatchObject({
      move: "forward",
      distance: { amount: null },
      text: "forward; 1 file later; how long the files are is not in the offset",
      warnings: [],
    });
  });
});

describe("steps of MySQL and MariaDB", () => {
  const at = (file: string, pos: number, more: JsonObject = {}): JsonObject => ({ file, pos, ...more });

  test.each<[string, JsonObject, JsonObject, string, string, string[]]>([
    [
      "one transaction",
      at("b.1", 4, { gtids: `${uuid}:1` }),
      at("b.1", 400, { gtids: `${uuid}:1-2` }),
      "forward",
      "+1 transaction",
      [],
    ],
    [
      "back",
      at("b.2", 4, { gtids: `${uuid}:1-9` }),
      at("b.1", 4, { gtids: `${uuid}:1-2` }),
      "back",
      "-7 transactions",
      ["offset-went-back"],
    ],
    [
      "a GTID event and no more",
      at("b.1", 500, { gtids: `${uuid}:1` }),
      at("b.1", 579, { gtids: `${uuid}:1` }),
      "forward",
      "+79 bytes in the same binlog file",
      [],
    ],
    [
      "the head of a file",
      at("b.1", 4, { gtids: `${uuid}:1` }),
      at("b.1", 9000, { gtids: `${uuid}:1` }),
      "forward",
      "+8996 bytes in the same binlog file",
      [],
    ],
    [
      "a rotation without transactions",
      at("b.1", 900, { gtids: `${uuid}:1` }),
      at("b.2", 4, { gtids: `${uuid}:1` }),
      "forward",
      "forward; 1 file later; how long the files are is not in the offset",
      [],
    ],
    [
      "events of one transaction",
      at("b.1", 4, { event: 1 }),
      at("b.1", 4, { event: 3 }),
      "forward",
      "+2 events of one transaction",
      [],
    ],
    [
      "rows of one event",
      at("b.1", 4, { event: 1 }),
      at("b.1", 4, { event: 1, row: 1 }),
      "forward",
      "+1 row of one event",
      [],
    ],
    ["bytes without GTIDs", at("b.1", 4), at("b.1", 5), "forward", "+1 byte in the same binlog file", []],
    ["only the time", at("b.1", 4, { ts_sec: 1 }), at("b.1", 4, { ts_sec: 2 }), "unchanged", "unchanged", []],
    [
      "GTIDs switched on",
      at("b.1", 4),
      at("b.1", 9, { gtids: `${uuid}:1` }),
      "forward",
      "+5 bytes in the same binlog file",
      [],
    ],
    [
      "set back, by the source's time",
      at("b.3", 900, { ts_sec: 9 }),
      at("b.1", 4, { ts_sec: 5 }),
      "back",
      "back; 2 files earlier; how long the files are is not in the offset",
      ["offset-went-back"],
    ],
    [
      "set back in the file",
      at("b.1", 900),
      at("b.1", 4),
      "back",
      "-896 bytes in the same binlog file",
      ["offset-went-back"],
    ],
  ])("%s", (_, a, b, move, text, found) => {
    expect(progress("mysql", a, b)).toMatchObject({ move, text });
    expect(slugs("mysql", a, b)).toEqual(found);
  });

  test.each<[string, JsonObject, JsonObject, RegExp]>([
    [
      "numbering restarted, the source's time went on",
      at("b.9", 900, { ts_sec: 5 }),
      at("b.1", 4, { ts_sec: 9 }),
      /numbering restarted \(b.9 : 900, then b.1 : 4\)/,
    ],
    [
      "the first file anew",
      at("b.1", 900, { ts_sec: 5 }),
      at("b.1", 4, { ts_sec: 9 }),
      /numbering restarted/,
    ],
    ["a lower file, no time", at("b.9", 4), at("b.1", 4), /Or the offset was set back/],
    ["another series", at("a.1", 4), at("b.1", 4), /from a.1 to b.1: the connector reads a different server/],
    [
      "another server, no GTIDs",
      at("b.1", 4, { server_id: 1 }),
      at("b.1", 9, { server_id: 2 }),
      /servers 1 and 2/,
    ],
    [
      "parted histories",
      at("b.1", 4, { gtids: `${uuid}:1` }),
      at("b.1", 9, { gtids: `${other}:1` }),
      /histories have parted/,
    ],
    ["GTIDs gone", at("b.1", 4, { gtids: `${uuid}:1` }), at("b.1", 9), /no longer holds GTIDs/],
    [
      "the same GTIDs in an earlier file",
      at("b.5", 4, { gtids: `${uuid}:1` }),
      at("b.1", 9, { gtids: `${uuid}:1` }),
      /By GTID nothing was added/,
    ],
  ])("not comparable: %s", (_, a, b, why) => {
    const step = progress("mysql", a, b);
    expect(step).toMatchObject({ move: "unknown", distance: { amount: null } });
    expect(step.text).toMatch(/^unknown: /);
    expect(slugs("mysql", a, b)).toEqual(["offset-not-comparable"]);
    expect(words("mysql", a, b)).toMatch(why);
  });

  test("MariaDB counts by domain, across servers, and has no gtid_mode", () => {
    const a = at("a.1", 4, { gtids: "0-1-100", server_id: 1 });
    const b = at("b.9", 4, { gtids: "0-2-103", server_id: 2 });
    expect(progress("mariadb", a, b)).toMatchObject({ move: "forward", text: "+3 transactions" });
    const frozen = words("mariadb", at("a.1", 100, { gtids: "0-1-1" }), at("a.1", 9000, { gtids: "0-1-1" }));
    expect(frozen).toContain("no longer followed");
    expect(frozen).not.toContain("gtid_mode");
  });
});

describe("steps of other connectors", () => {
  const pg = (lsn: number, more: JsonObject = {}): JsonObject => ({
    lsn,
    lsn_proc: lsn,
    lsn_commit: lsn,
    messageType: "COMMIT",
    ...more,
  });
  const ms = (commit: number, change: number): JsonObject => ({
    commit_lsn: `0000006a:00006608:000${commit}`,
    change_lsn: `0000006a:00006608:000${change}`,
    event_serial_no: 1,
  });
  const snapshot = { snapshot: "INITIAL", snapshot_completed: false };

  test.each<[string, ConnectorType, JsonObject, JsonObject, string, RegExp, string[]]>([
    ["WAL", "postgresql", pg(100), pg(180), "forward", /^\+80 bytes of WAL$/, []],
    ["WAL back", "postgresql", pg(180), pg(100), "back", /^-80 bytes of WAL$/, ["offset-went-back"]],
    [
      "a transaction that began before the last commit",
      "postgresql",
      pg(200),
      { lsn: 150, lsn_proc: 150, lsn_commit: 200, messageType: "INSERT" },
      "forward",
      /^forward; What lies between cannot be counted in bytes of WAL/,
      [],
    ],
    [
      "a snapshot that began further on",
      "postgresql",
      pg(100),
      { lsn: 900, ...snapshot },
      "forward",
      /^\+800 bytes/,
      [],
    ],
    [
      "a snapshot that began lower",
      "postgresql",
      pg(900),
      { lsn: 100, ...snapshot },
      "back",
      /^-800 bytes/,
      ["offset-went-back"],
    ],
    ["a snapshot's end", "postgresql", { lsn: 100, ...snapshot }, pg(100), "forward", /^forward;/, []],
    [
      "virtual log files",
      "sqlserver",
      ms(1, 1),
      ms(2, 1),
      "forward",
      /^forward; In the same virtual log file/,
      [],
    ],
    ["a commit back", "sqlserver", ms(2, 1), ms(1, 1), "back", /^back;/, ["offset-went-back"]],
    [
      "changes that fall in one transaction",
      "sqlserver",
      ms(9, 5),
      ms(9, 2),
      "unchanged",
      /in the same transaction/,
      [],
    ],
    [
      "changes that fall in one of Db2",
      "db2",
      { commit_lsn: "0".repeat(32), change_lsn: "1".repeat(32) },
      { commit_lsn: "0".repeat(32), change_lsn: "0".repeat(32) },
      "back",
      /^back;/,
      ["offset-went-back"],
    ],
    [
      "logical logs",
      "informix",
      { commit_lsn: `${7n << 32n}` },
      { commit_lsn: `${9n << 32n}` },
      "forward",
      /^forward; 2 logical logs later/,
      [],
    ],
    [
      "SCNs",
      "oracle",
      { scn: "1", commit_scn: "5:1:" },
      { scn: "1", commit_scn: "9:1:" },
      "forward",
      /^\+4 SCNs$/,
      [],
    ],
    ["one SCN", "oracle", { scn: "1" }, { scn: "2" }, "forward", /^\+1 SCN$/, []],
    [
      "RESETLOGS",
      "oracle",
      { scn: "9", commit_scn: "9:1:" },
      { scn: "5", commit_scn: "5:1:" },
      "back",
      /^-4 SCNs$/,
      ["offset-went-back"],
    ],
    [
      "redo threads apart",
      "oracle",
      { scn: "1", commit_scn: "9:1:,5:2:" },
      { scn: "1", commit_scn: "8:1:,6:2:" },
      "unknown",
      /^unknown: In one redo thread/,
      ["offset-not-comparable"],
    ],
    [
      "XStream",
      "oracle",
      { lcr_position: "01" },
      { lcr_position: "02" },
      "forward",
      /^forward; An XStream/,
      [],
    ],
    [
      "XStream after its snapshot",
      "oracle",
      { scn: "9", ...snapshot },
      { lcr_position: "02" },
      "forward",
      /^forward; The snapshot is done$/,
      [],
    ],
    [
      "a snapshot after XStream",
      "oracle",
      { lcr_position: "02" },
      { scn: "9", ...snapshot },
      "unknown",
      /^unknown: A snapshot began/,
      [],
    ],
    [
      "XStream switched to LogMiner",
      "oracle",
      { lcr_position: "02" },
      { scn: "9" },
      "unknown",
      /XStream/,
      ["offset-not-comparable"],
    ],
  ])("%s", (_, type, a, b, move, text, found) => {
    expect(progress(type, a, b)).toMatchObject({ move, text: expect.stringMatching(text) });
    expect(slugs(type, a, b)).toEqual(found);
  });

  test("Oracle: another last transaction after the same commits is no finding", () => {
    const at = (txId: string) => ({ scn: "1", commit_scn: "9:1:0a", txId, txSeq: 3 });
    expect(progress("oracle", at("0b"), at("0c"))).toMatchObject({
      move: "unchanged",
      text: "unchanged; the last transaction that was sent is another",
      warnings: [],
    });
    expect(progress("oracle", at("0a"), at("0c")).move).toBe("forward");
  });

  test("a step back names what can cause it for this database", () => {
    expect(words("oracle", { scn: "9" }, { scn: "5" })).toContain("RESETLOGS");
    expect(words("postgresql", pg(9), pg(5))).toContain("new timeline");
    expect(words("sqlserver", ms(2, 1), ms(1, 1))).toContain("CDC was disabled");
  });

  test("the same map in another order of keys is unchanged", () => {
    const step = progress("postgresql", { lsn: 5, txId: 1 }, { txId: 1, lsn: 5 });
    expect(step).toMatchObject({ move: "unchanged", text: "unchanged", warnings: [] });
  });

  test("an incremental snapshot moves while the position stands", () => {
    const key = (hex: string) => ({ incremental_snapshot_primary_key: hex });
    expect(progress("postgresql", pg(5, key("aa")), pg(5, key("ab"))).text).toBe(
      "unchanged; the incremental snapshot moved",
    );
    const at = { file: "b.1", pos: 4 };
    expect(progress("mysql", { ...at, ...key("aa") }, { ...at, ...key("ab") }).text).toContain("moved");
  });

  test("what cannot be read is unknown and no finding; nor is what is not decoded", () => {
    expect(progress("oracle", {}, { scn: "5" })).toMatchObject({
      move: "unknown",
      text: "unknown: One of the two positions cannot be read",
      warnings: [],
    });
    expect(progress("unknown", { a: 1 }, { a: 2 })).toMatchObject({
      move: "unknown",
      text: "unknown: Positions of this connector are not decoded",
    });
  });
});

test("captured commits go forward or stand, through a kill, a snapshot anew and connecting by GTID", () => {
  // The LSN, or the sequence in the only GTID: numbers below 2^53 in these runs.
  const height = ({ lsn, gtids }: JsonObject) => Number(lsn ?? String(gtids).split("-")[2]);
  const last = new Map<string, JsonObject>();
  const moves = new Set<string>();
  for (const { run, connector, offset } of capturedCommits()) {
    const before = last.get(`${run} ${connector}`);
    last.set(`${run} ${connector}`, offset);
    if (!before) continue;
    const step = progress(connector === "orders-cdc" ? "postgresql" : "mariadb", before, offset);
    const rise = height(offset) - height(before);
    // An empty map was stored in between: it holds no position.
    expect(step.move).toBe(Number.isNaN(rise) ? "unknown" : rise > 0 ? "forward" : "unchanged");
    expect(step.warnings).toEqual([]);
    moves.add(step.move);
  }
  expect([...moves].sort()).toEqual(["forward", "unchanged", "unknown"]);
});

describe("whatever two offsets hold", () => {
  const anyValue = fc.oneof(
    fc.constantFrom(
      null,
      true,
      "",
      "NULL",
      "INITIAL",
      "9:1:0a,7:2:",
      `${uuid}:1-5`,
      "0-1-9",
      "b.000002",
      "0a0b",
    ),
    fc.integer({ min: -2, max: 9 }),
    fc.bigInt({ min: 0n, max: 2n ** 70n }),
    fc.integer({ min: 0, max: 9 }).map((n) => `0000006a:00006608:000${n}`),
  );
  const keys =
    "lsn lsn_proc lsn_commit file pos gtids event row server_id ts_sec snapshot snapshot_completed";
  const more = "commit_lsn change_lsn event_serial_no begin_lsn scn commit_scn lcr_position txId txSeq";
  const anyOffset = fc.dictionary(fc.constantFrom(...`${keys} ${more}`.split(" ")), anyValue, {
    maxKeys: 8,
    noNullPrototype: true,
  }) as fc.Arbitrary<JsonObject>;

  test.each(connectorTypes)("%s: an answer without a false zero, opposite when turned around", (type) => {
    fc.assert(
      fc.property(anyOffset, anyOffset, (a, b) => {
        const [there, back] = [progress(type, a, b), progress(type, b, a)];
        const { amount } = there.distance;
        if (amount !== null) expect(amount > 0n).toBe(there.move === "forward");
        if (amount !== null) expect(amount < 0n).toBe(there.move === "back");
        expect(there.text).not.toMatch(/[+-]0 /);
        if (there.move === "back") expect(slugs(type, a, b)).toContain("offset-went-back");
        else expect(slugs(type, a, b)).not.toContain("offset-went-back");
        if (there.move === "back") expect(["forward", "unknown"]).toContain(back.move);
        expect(progress(type, a, a).move).toBe("unchanged");
      }),
    );
  });
});
