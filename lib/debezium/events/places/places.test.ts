import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type ConnectorType, connectorTypes } from "../../connector-type";
import { type JsonObject, type JsonValue, parseJson, stringifyJson } from "../../json";
import { positionKinds } from "../../positions/kinds";
import { EventScanner } from "../event-scanner";
import { capturedRecords } from "../fixtures/read";
import { readRecord } from "../read-record";
import type { Place } from "./place";
import { placesOf } from "./places";

type Members = readonly [key: string, value: JsonValue][];

function eventOf(source: Members): Buffer {
  const fields = source.map(([key, value]) => `${JSON.stringify(key)}:${stringifyJson(value)}`).join(",");
  return Buffer.from(
    `{"before":null,"after":null,"source":{"connector":"x",${fields}},"transaction":null,"op":"c","ts_ms":1}`,
  );
}

/** Reads one event after the other into places of one kind; null for an event without a position. */
function placesIn(type: ConnectorType, events: readonly Buffer[]): (Place<unknown> | null)[] {
  const kind = placesOf(type);
  const scanner = new EventScanner(kind.fields);
  const reused = kind.create();
  return events.map((event) => {
    expect(scanner.scan(event, 0, event.length)).toBe("change");
    if (!reused.read(scanner)) return null;
    const kept = kind.create();
    kept.copyFrom(reused);
    return kept;
  });
}

function objectOf(source: Members): JsonObject {
  return parseJson(stringifyJson(Object.fromEntries(source))) as JsonObject;
}

/** Every place and every pair of them is what the kind says from the parsed block. */
function agrees(type: ConnectorType, sources: readonly Members[]): void {
  const kind = positionKinds[type];
  const places = placesIn(type, sources.map(eventOf));
  const positions = sources.map((source) => kind.decodeSource(objectOf(source)).position);
  expect(places.map((place) => place?.position() ?? null)).toEqual(positions);
  for (const [i, a] of places.entries()) {
    for (const [j, b] of places.entries()) {
      if (a === null || b === null) continue;
      const { order } = kind.order(positions[i], positions[j]);
      const compared = a.compare(b);
      const said = Number.isNaN(compared)
        ? "unordered"
        : compared < 0
          ? "before"
          : compared > 0
            ? "after"
            : "equal";
      // An assertion for each pair would take most of the time.
      if (said !== order) expect([said, sources[i], sources[j]]).toEqual([order, sources[i], sources[j]]);
    }
  }
}

const flag = fc.constantFrom<JsonValue>("false", "false", "false", null, "true", "last", "incremental");
const few = fc.integer({ min: 0, max: 3 });
const wide = fc.oneof(
  { weight: 8, arbitrary: few.map((n): JsonValue => n) },
  fc.constantFrom<JsonValue>(
    null,
    2 ** 53 - 1,
    2n ** 53n,
    2n ** 53n + 1n,
    2n ** 63n - 1n,
    2n ** 64n,
    -1,
    "2",
    "x",
    true,
  ),
);

const pair = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.tuple(fc.option(few), few).map(([a, b]) => JSON.stringify([a?.toString() ?? null, `${b}`])),
  },
  fc.constantFrom<JsonValue>(
    null,
    "[null,null]",
    '["9007199254740993","9007199254740994"]',
    '["1"]',
    '["1","2","3"]',
    "[1,2]",
    '[ "1","2"]',
    '["1","x"]',
    "x",
    5,
  ),
);
const postgres = fc.tuple(flag, pair, wide, wide).map(
  ([snapshot, sequence, txId, lsn]): Members => [
    ["ts_ms", 1_795_957_617_832],
    ["snapshot", snapshot],
    ["sequence", sequence],
    ["txId", txId],
    ["lsn", lsn],
  ],
);

const file = fc.constantFrom<JsonValue>(
  "mysql-bin.000001",
  "mysql-bin.000002",
  "mysql-bin.999999",
  "mysql-bin.1000000",
  "other.000001",
  "mysql-bin",
  " mysql-bin.000001",
  'a\\"b.000001',
  "mysql-bin.9007199254740993",
  "",
  null,
);
const mySqlGtid = fc.constantFrom<JsonValue>(
  null,
  "",
  "3e11fa47-71ca-11e1-9e33-c80aa9429562:1",
  "3e11fa47-71ca-11e1-9e33-c80aa9429562:2",
  "3E11FA47-71CA-11E1-9E33-C80AA9429562:3",
  "3e11fa47-71ca-11e1-9e33-c80aa9429562:02",
  "3e11fa47-71ca-11e1-9e33-c80aa9429562:9007199254740993",
  "3e11fa47-71ca-11e1-9e33-c80aa9429562:1-3",
  "4e11fa47-71ca-11e1-9e33-c80aa9429562:9",
  "4e11fa47-71ca-11e1-9e33-c80aa9429562:tag:9",
  "x:5",
  7,
);
const mariaDbGtid = fc.constantFrom<JsonValue>(
  null,
  "0-1-1",
  "0-1-2",
  "0-2-3",
  "1-1-2",
  "0-1-0",
  "0-1-18446744073709551615",
  " 0-1-2",
  "99999999999-1-2",
  "x",
);
const binlog = (gtid: fc.Arbitrary<JsonValue>) =>
  fc
    .tuple(
      flag,
      gtid,
      fc.oneof({ weight: 4, arbitrary: fc.constant("mysql-bin.000001") }, file),
      wide,
      wide,
      wide,
    )
    .map(
      ([snapshot, gtid, file, server, pos, row]): Members => [
        ["ts_ms", 1_795_957_617_832],
        ["snapshot", snapshot],
        ["server_id", server],
        ["gtid", gtid],
        ["file", file],
        ["pos", pos],
        ["row", row],
      ],
    );

describe("places taken from bytes are those of the kind", () => {
  test.each([
    ["postgresql", postgres],
    ["mysql", binlog(mySqlGtid)],
    ["mariadb", binlog(mariaDbGtid)],
  ] as const)("%s", (type, source) => {
    const sources = fc.array(source, { minLength: 2, maxLength: 5 });
    fc.assert(
      fc.property(sources, (list) => agrees(type, list)),
      { numRuns: 500 },
    );
  });

  test("a connector whose positions are no plain numbers goes by its kind", () => {
    const sqlserver = [3, 1, 2].map(
      (n): Members => [
        ["snapshot", "false"],
        ["change_lsn", `0000002b:00000550:000${n}`],
        ["commit_lsn", `0000002b:00000550:000${n}`],
        ["event_serial_no", 1],
      ],
    );
    agrees("sqlserver", sqlserver);
    expect(placesIn("sqlserver", sqlserver.map(eventOf)).every((place) => place !== null)).toBe(true);
  });

  test("every type has places, and an unknown connector has none to read", () => {
    for (const type of connectorTypes) expect(placesOf(type).create()).toBeDefined();
    expect(placesIn("unknown", [eventOf([["lsn", 1]])])).toEqual([null]);
  });

  test("more streams of GTIDs than are kept compare all the same", () => {
    const sources = Array.from(
      { length: 300 },
      (_, i): Members => [
        ["file", "b.1"],
        ["pos", 1],
        ["gtid", `${i}-1-${5 + i}`],
      ],
    );
    agrees(
      "mariadb",
      [...sources.slice(290), ["file", "b.1"], ["pos", 1]].filter(Array.isArray).slice(0, 3) as Members[],
    );
    const places = placesIn("mariadb", [...sources, ...sources].map(eventOf));
    for (let i = 0; i < 300; i++) expect(places[i]?.compare(places[300 + i] as Place<unknown>)).toBe(0);
    const first: Members = [
      ["file", "b.1"],
      ["pos", 0],
      ["gtid", "299-1-1"],
    ];
    const [last, earlier] = placesIn("mariadb", [...sources, first].map(eventOf)).slice(299);
    expect(last?.compare(earlier as Place<unknown>)).toBeGreaterThan(0);
  });

  test.each(["postgresql", "mariadb"] as const)("captured events of %s", (type) => {
    const changes = capturedRecords().filter(({ topic, record }) => {
      const reading = readRecord(record, { topic });
      return reading.kind === "change" && reading.op !== "m" && reading.source.connector === type;
    });
    const kind = positionKinds[type];
    const places = placesIn(
      type,
      changes.map(({ value }) => Buffer.from(value ?? "")),
    );
    expect(places.length).toBeGreaterThan(5);
    for (const [i, { topic, record }] of changes.entries()) {
      const reading = readRecord(record, { topic });
      const source = reading.kind === "change" ? reading.source : {};
      expect(places[i]?.position()).toEqual(kind.decodeSource(source).position);
    }
  });
});

test("numbers just below and above 2^53 keep their last digit", () => {
  const near = [
    9_007_199_254_740_959n,
    9_007_199_254_740_963n,
    9_007_199_254_740_991n,
    9_007_199_254_740_993n,
  ];
  agrees(
    "postgresql",
    near.map(
      (n): Members => [
        ["snapshot", "false"],
        ["sequence", `["${n}","${n}"]`],
        ["txId", n],
        ["lsn", n],
      ],
    ),
  );
});
