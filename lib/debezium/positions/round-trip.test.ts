import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ConnectorType } from "../connector-type";
import { isJsonObject, type JsonObject, parseJson, stringifyJson } from "../json";
import { positionKinds } from "./kinds";
import { lsnText } from "./lsn";
import { mariaDbGtids } from "./mariadb-gtid";
import { mySqlGtids } from "./mysql-gtid";

// Positions are written as their connector writes them, in any order of keys, and read back.

const long = fc.bigInt({ min: 0n, max: 2n ** 63n - 1n });
const hex = (bytes: number) =>
  fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((b) =>
    Buffer.from(b)
      .toString("hex")
      .replace(/^(.{8})(.{8})/, "$1:$2:"),
  );
const uuid = fc.uuid();
const file = fc
  .tuple(fc.constantFrom("mysql-bin", "binlog", "a.b"), fc.nat())
  .map(([base, n]) => `${base}.${n}`);

interface Written {
  map: JsonObject;
  position: object;
}

const postgresOffset = fc.record({ lsn: long, proc: long, commit: long, txId: long, sent: long }).map(
  ({ lsn, proc, commit, txId, sent }): Written => ({
    map: { lsn, lsn_proc: proc, lsn_commit: commit, txId, messageType: "INSERT", lsn_events_processed: sent },
    position: { lsn, lastCommit: commit, txId, messageType: "INSERT", eventsAtLsn: sent, snapshot: null },
  }),
);

const postgresSource = fc.record({ lsn: long, commit: fc.option(long), txId: long }).map(
  ({ lsn, commit, txId }): Written => ({
    map: {
      lsn,
      txId,
      sequence: JSON.stringify([commit?.toString() ?? null, lsn.toString()]),
      snapshot: "false",
    },
    position: { lsn, lastCommit: commit, txId, sequenced: true, snapshot: null },
  }),
);

const binlogOffset = (gtids: fc.Arbitrary<string>, parse: (text: string) => unknown) =>
  fc
    .record({
      file,
      pos: long,
      event: long,
      row: long,
      server: fc.bigInt({ min: 1n, max: 2n ** 32n }),
      gtids,
    })
    .map(
      ({ file, pos, event, row, server, gtids }): Written => ({
        map: { file, pos, event, row, server_id: server, gtids, ts_sec: 1_789_367_400 },
        position: { file, pos, event, row, serverId: server, seconds: 1_789_367_400n, gtids: parse(gtids) },
      }),
    );

const binlogSource = fc.record({ file, pos: long, row: long, server: long.filter((n) => n > 0n) }).map(
  ({ file, pos, row, server }): Written => ({
    map: { file, pos, row, server_id: server, snapshot: "incremental" },
    position: { file, pos, row, serverId: server, snapshot: "incremental" },
  }),
);

const changeTableSource = (bytes: number) =>
  fc.record({ commit: hex(bytes), change: hex(bytes), serial: fc.option(long) }).map(
    ({ commit, change, serial }): Written => ({
      map: { db: "shop", commit_lsn: commit, change_lsn: change, event_serial_no: serial, snapshot: "false" },
      position: { commit, change, serial, database: "shop", snapshot: null },
    }),
  );

const informixSource = fc.record({ commit: long, change: long, begin: long }).map(
  ({ commit, change, begin }): Written => ({
    map: { commit_lsn: `${commit}`, change_lsn: `${change}`, begin_lsn: `${begin}`, txId: "7" },
    position: { commit, change, begin, snapshot: null },
  }),
);

const oracleSource = fc.record({ scn: long, commit: long, thread: fc.nat(), seq: long, xid: hex(8) }).map(
  ({ scn, commit, thread, seq, xid }): Written => ({
    map: {
      scn: `${scn}`,
      commit_scn: `${commit}`,
      redo_thread: thread,
      txSeq: seq,
      txId: xid.replace(/:/g, ""),
    },
    position: { scn, commit, thread: BigInt(thread), txSeq: seq, txId: xid.replace(/:/g, "") },
  }),
);

const mySqlText = fc
  .uniqueArray(fc.tuple(uuid, fc.nat({ max: 9 })), { minLength: 1, selector: ([id]) => id })
  .map((sources) => sources.map(([id, n]) => `${id}:1-${n + 2}:${n + 20}`).join(","));
const mariaDbText = fc
  .uniqueArray(fc.tuple(fc.nat({ max: 9 }), fc.nat(), fc.nat()), {
    minLength: 1,
    selector: ([domain]) => domain,
  })
  .map((ids) => ids.map((id) => id.join("-")).join(","));

/** The map as it comes back from Connect: as text, its keys in another order. */
function again(map: JsonObject): JsonObject {
  const value = parseJson(stringifyJson(Object.fromEntries(Object.entries(map).reverse())));
  if (!isJsonObject(value)) throw new Error("no map");
  return value;
}

describe("a stored offset reads back as it was written", () => {
  test.each<[ConnectorType, fc.Arbitrary<Written>]>([
    ["postgresql", postgresOffset],
    ["mysql", binlogOffset(mySqlText, (text) => mySqlGtids.parse(text).set)],
    ["mariadb", binlogOffset(mariaDbText, (text) => mariaDbGtids.parse(text).set)],
  ])("%s", (type, written) => {
    fc.assert(
      fc.property(written, ({ map, position }) => {
        const reading = positionKinds[type].decodeOffset(again(map));
        expect(reading.problems).toEqual([]);
        expect(reading.position).toMatchObject({ of: "offset", ...position });
      }),
    );
  });
});

describe("a source block reads back as it was written", () => {
  test.each<[ConnectorType, fc.Arbitrary<Written>]>([
    ["postgresql", postgresSource],
    ["mysql", binlogSource],
    ["mariadb", binlogSource],
    ["sqlserver", changeTableSource(10)],
    ["db2", changeTableSource(16)],
    ["informix", informixSource],
    ["oracle", oracleSource],
  ])("%s", (type, written) => {
    fc.assert(
      fc.property(written, ({ map, position }) => {
        const reading = positionKinds[type].decodeSource(again(map));
        expect(reading.problems).toEqual([]);
        expect(reading.position).toMatchObject({ of: "event", ...position });
      }),
    );
  });
});

test("the headline of an offset is its position in the database's own spelling", () => {
  fc.assert(
    fc.property(long, (lsn) => {
      expect(positionKinds.postgresql.headline(again({ lsn })).text).toBe(lsnText(lsn));
      expect(positionKinds.oracle.headline(again({ scn: `${lsn}` })).text).toBe(`${lsn}`);
      expect(positionKinds.mysql.headline(again({ file: "b.1", pos: lsn })).text).toBe(`b.1 : ${lsn}`);
    }),
  );
});
