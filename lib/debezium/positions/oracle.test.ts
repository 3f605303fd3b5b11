import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodeOffsets } from "../decode";
import { isJsonObject, type JsonObject, type JsonValue, parseJson, stringifyJson } from "../json";
import { reportedCase } from "./fixtures/read";
import { oracle } from "./oracle";
import type { OraclePosition } from "./oracle-order";
import { parseCommitScn, pendingTransactions } from "./oracle-scn";
import { scnAge } from "./oracle-scn-age";

function offset(map: JsonObject): OraclePosition {
  const { position, problems } = oracle.decodeOffset(map);
  if (!position) throw new Error(problems[0]?.text);
  return position;
}

function objects(value: JsonValue): JsonObject[] {
  return (Array.isArray(value) ? value : []).filter((item) => isJsonObject(item));
}

function decoded(map: JsonObject) {
  const [only] = decodeOffsets({
    type: "oracle",
    offsets: [{ partition: { server: "erp" }, offset: map }],
  }).partitions;
  if (!only) throw new Error("no partition");
  const text = (name: string) => only.position.fields.find((f) => f.name === name)?.text;
  return { ...only, text };
}

describe("reported Oracle offsets", () => {
  test("OFF-14: commit_scn of every age, one redo thread or several, beyond 2^63", () => {
    const { input, expected } = reportedCase("OFF-14");
    const [wanted, read] = [objects(expected), objects(input)];
    expect(read).toHaveLength(4);
    for (const [i, map] of read.entries()) {
      const { commits } = parseCommitScn(map.commit_scn);
      const want = wanted[i]?.threads;
      if (!isJsonObject(want)) throw new Error("no expected threads");
      expect([...(commits ?? [])].map(([thread]) => thread.toString())).toEqual(Object.keys(want));
      for (const [thread, commit] of commits ?? []) {
        const { scn, tx } = want[thread.toString()] as JsonObject;
        expect(commit.scn?.toString()).toBe(scn);
        if (tx !== undefined) expect(BigInt(commit.transactions.size)).toBe(BigInt(Number(tx)));
        expect(decoded(map).text("commit_scn")).toContain(`redo thread ${thread}: SCN ${scn}`);
      }
      expect(decoded(map).warnings).toEqual([]);
    }
    const { text, position } = decoded(read[0] ?? {});
    expect(text("commit_scn")).toBe(
      "redo thread 1: SCN 18446744073709552010 (2 transactions sent at it), redo thread 2: SCN 18446744073709552007 (0 transactions sent at it); the lowest is 18446744073709552007",
    );
    expect(text("commit_scn")).toContain(`the lowest is ${wanted[0]?.low_commit}`);
    expect(text("scn")).toBe(
      `18446744073709551999 (${wanted[0]?.scn_to_low_commit} below the lowest commit SCN)`,
    );
    expect(position.text).toBe("18446744073709551999");
    expect(read.slice(1).map((map) => decoded(map).position.text)).toEqual(["7766001", "7766001", "7766001"]);
  });

  test("OFF-15: no commit yet, transactions open at the snapshot, and an LCR instead of an SCN", () => {
    const { input, expected } = reportedCase("OFF-15");
    const [first, second] = objects(input).map(decoded);
    const [wantFirst, wantSecond] = objects(expected);
    expect(first?.position.text).toBe(wantFirst?.scn);
    expect(first?.text("scn")).toBe(wantFirst?.scn);
    expect(first?.text("commit_scn")).toBe(wantFirst?.commit);
    expect(first?.text("snapshot_pending_tx")).toBe(
      `${wantFirst?.pending_snapshot_transactions} transactions: 05000a00c1 from SCN 8823114390, 06 from SCN 8823114395`,
    );
    expect(first?.warnings).toEqual([
      {
        slug: "snapshot-transactions-pending",
        text: "2 transactions were open when the snapshot was taken: streaming first mines the redo log from SCN 8823114390, so it must still be kept.",
      },
    ]);
    expect(second?.position.text).toBe(wantSecond?.position);
    expect(second?.position.meaning).toContain("an SCN does not apply");
    expect(second?.text("commit_scn")).toBe("none yet");
    expect(second?.warnings).toEqual([]);
  });

  test("OFF-15: an SCN that stands still is a warning only against a retention that somebody told", () => {
    const hour = 3_600_000;
    const commits = ["8823114400", "8823114501", "8823114501", "8823114501"].map((scn, i) => ({
      at: i * hour,
      offset: { scn, commit_scn: `${scn}:1:` },
    }));
    const now = 30 * hour;
    expect(scnAge(commits, now, null)).toEqual({
      scn: 8823114501n,
      since: hour,
      unchangedForMs: 29 * hour,
      atLeast: false,
      warning: null,
    });
    expect(scnAge(commits, now, 24 * hour)?.warning).toContain("a restart may fail");
    expect(scnAge(commits, now, 29 * hour)?.warning).toBeNull();
    expect(scnAge(commits.slice(1), now, null)).toMatchObject({ since: hour, atLeast: true });
    expect(scnAge([{ at: 0, offset: { lcr_position: "0a" } }], now, hour)).toBeNull();
    expect(scnAge([], now, hour)).toBeNull();
  });
});

describe("shapes of Oracle offsets", () => {
  test.each<[string, JsonObject, string, RegExp]>([
    [
      "1.9 snapshot",
      { scn: "100", snapshot: true, snapshot_completed: false, snapshot_scn: "100" },
      "100",
      /running snapshot/,
    ],
    [
      "streaming",
      { scn: "100", commit_scn: "120:1:0A00" },
      "100",
      /Commits sent: redo thread 1: SCN 120 \(1 tr/,
    ],
    ["no SCN yet", { scn: null, commit_scn: null }, "none yet", /Commits sent: none yet/],
    ["XStream", { lcr_position: "0A0B" }, "XStream LCR 0a0b", /XStream/],
    ["nothing", {}, "unknown", /no scn or lcr_position/],
  ])("headline: %s", (_, map, text, meaning) => {
    expect(oracle.headline(map)).toEqual({ text, meaning: expect.stringMatching(meaning) });
    expect(oracle.sourceTime(map)).toBeNull();
  });

  test("every key is explained", () => {
    const { position, warnings } = decoded({
      scn: "100",
      scn_idx: 7,
      commit_scn: "100:1:",
      txId: "05000A00",
      txSeq: 3,
      snapshot_scn: "90",
      snapshot_commit_scn: "95",
      snapshot_pending_tx: "",
      window_advance_enabled: true,
      snapshot: "INITIAL",
      snapshot_completed: true,
    });
    expect(position.fields.map(({ name, text }) => [name, text])).toEqual([
      ["scn", "100 (the lowest commit SCN)"],
      ["scn_idx", "7"],
      ["commit_scn", "redo thread 1: SCN 100 (0 transactions sent at it)"],
      ["txId", "05000A00"],
      ["txSeq", "3"],
      ["snapshot_scn", "90"],
      ["snapshot_commit_scn", "95"],
      ["snapshot_pending_tx", "none"],
      ["window_advance_enabled", "yes"],
      ["snapshot", "initial"],
      ["snapshot_completed", "yes"],
    ]);
    expect(warnings).toEqual([]);
  });

  test("the last transaction is no sign of one sent in part: others may have committed since", () => {
    expect(oracle.warnings({ scn: "1", commit_scn: "9:1:0b", txId: "0A", txSeq: 3 })).toEqual([]);
  });

  test.each<[string, JsonObject, string]>([
    ["no SCN", { commit_scn: "9" }, "scn is missing; every Oracle offset has one, or an lcr_position."],
    ["a bad SCN", { scn: "x" }, 'scn is "x", not an SCN as a whole number.'],
    ["a negative SCN", { scn: -4 }, "scn is -4, not an SCN as a whole number."],
    [
      "two parts",
      { scn: "1", commit_scn: "9:1:aa,7:2" },
      'commit_scn has "7:2", which is not a commit SCN of a redo thread.',
    ],
    [
      "five parts",
      { scn: "1", commit_scn: "9:1:a:2:3" },
      'commit_scn has "9:1:a:2:3", which is not a commit SCN of a redo thread.',
    ],
    [
      "a thread of letters",
      { scn: "1", commit_scn: "9:x:" },
      'commit_scn has "9:x:", which is not a commit SCN of a redo thread.',
    ],
    ["not a text", { scn: "1", commit_scn: true }, "commit_scn is true, not a list of commit SCNs."],
    ["a bad LCR", { lcr_position: "0g" }, 'lcr_position is "0g", not a position in hexadecimal.'],
  ])("malformed: %s", (_, map, text) => {
    const { position, problems } = oracle.decodeOffset(map);
    expect(position).toBeNull();
    expect(problems.map((p) => p.text)).toEqual([text]);
    expect(oracle.headline(map).text).toBe("unknown");
  });

  test("a bad list of open transactions hides nothing else", () => {
    const { position, problems } = oracle.decodeOffset({ scn: "1", snapshot_pending_tx: "05:x" });
    expect(position?.scn).toBe(1n);
    expect(problems).toHaveLength(1);
    expect(pendingTransactions("a:1,,b:2")).toHaveLength(2);
  });

  test("a position written back reads the same", () => {
    const scn = fc.bigInt({ min: 0n, max: 2n ** 70n });
    const id = fc.uint8Array({ minLength: 8, maxLength: 8 }).map((b) => Buffer.from(b).toString("hex"));
    const ids = fc.uniqueArray(id, { maxLength: 3 });
    const threads = fc.uniqueArray(fc.tuple(fc.bigInt({ min: 1n, max: 16n }), scn, ids), {
      minLength: 1,
      selector: ([thread]) => thread,
    });
    fc.assert(
      fc.property(scn, threads, fc.option(id), fc.nat(), (resume, commits, txId, txSeq) => {
        const stored: JsonObject = {
          scn: resume.toString(),
          commit_scn: commits.map(([thread, at, tx]) => `${at}:${thread}:${tx.join("-")}`).join(","),
          ...(txId === null ? {} : { txId, txSeq }),
        };
        const again = parseJson(stringifyJson(stored));
        const position = offset(isJsonObject(again) ? again : {});
        expect([position.scn, position.txId]).toEqual([resume, txId]);
        expect(position.txSeq).toBe(txId === null ? null : BigInt(txSeq));
        expect(position.commits.size).toBe(commits.length);
        for (const [thread, at, tx] of commits)
          expect(position.commits.get(thread)).toMatchObject({ scn: at, transactions: new Set(tx) });
      }),
    );
  });
});

test("a source block as the documentation shows it, and one with no place", () => {
  const source: JsonObject = {
    connector: "oracle",
    ts_ms: 1520085154000,
    snapshot: "false",
    db: "ORCLPDB1",
    schema: "DEBEZIUM",
    table: "CUSTOMERS",
    txId: "6.28.807",
    scn: "2122185",
    commit_scn: "2122186",
    rs_id: "001234.00012345.0124",
    ssn: 0,
    redo_thread: 1,
  };
  expect(oracle.decodeSource(source)).toEqual({
    position: expect.objectContaining({ scn: 2122185n, commit: 2122186n, thread: 1n, txId: "6.28.807" }),
    problems: [],
  });
  expect(oracle.decodeSource({ txId: "6.28.807" }).problems.map((p) => p.text)).toEqual([
    "The event has neither scn, commit_scn nor lcr_position.",
  ]);
  expect(oracle.decodeSource({ scn: "x" }).problems.map((p) => p.text)).toEqual([
    'scn is "x", not an SCN as a whole number.',
  ]);
});

describe("identity of Oracle events", () => {
  const record = (source: JsonObject, op = "u") => oracle.identity({ topic: "t", key: "k", op, source });

  test("transaction and number, from 3.2 on", () => {
    const one = record({ txId: "0A", txSeq: 1, scn: "5" });
    expect(one).toMatchObject({ caveat: null });
    expect(record({ txId: "0a", txSeq: 1, scn: "5" })).toEqual(one);
    expect(record({ txId: "0a", txSeq: 2, scn: "5" }).id).not.toBe(one.id);
    expect(record({ txId: "0a", txSeq: 1, scn: "5" }, "d").id).not.toBe(one.id);
  });

  test("before it by SCN and row, with a doubt; ssn is always 0 and tells nothing", () => {
    const row = { txId: "0a", scn: "5", rs_id: "0x1", row_id: "AAA", ssn: 0 };
    expect(record(row)).toMatchObject({ caveat: expect.stringContaining("no txSeq") });
    expect(record({ ...row, row_id: "AAB" }).id).not.toBe(record(row).id);
    expect(record({ ...row, ssn: 1 })).toEqual(record(row));
  });

  test("XStream's position", () => {
    expect(record({ lcr_position: "0A0b", scn: "5" })).toEqual(record({ lcr_position: "0a0b", scn: "6" }));
  });

  test("none for re-reads and bare events", () => {
    expect(record({ txId: "0a", txSeq: 1 }, "r").id).toBeNull();
    expect(record({ txId: "0a" })).toEqual({ id: null, why: expect.stringContaining("nor an scn") });
  });
});
