import { describe, expect, test } from "vitest";
import { decodeText } from "../decode-input";
import { isJsonObject, type JsonObject, stringifyJson } from "../json";
import captured from "./fixtures/incremental-offsets.json";
import javaKeys from "./fixtures/java-keys.json";
import { reportedCase } from "./fixtures/read";
import { phaseOf } from "./snapshot-state";

function decodeOne(text: string) {
  const [report] = decodeText(text);
  const [partition] = report?.partitions ?? [];
  if (!partition) throw new Error("no partition");
  const text_ = (name: string) => partition.position.fields.find((f) => f.name === name)?.text;
  return { ...partition, field: text_ };
}

const queue = (...tables: JsonObject[]) =>
  JSON.stringify(
    tables.map(({ id, filter = null, surrogate = null }) => ({
      incremental_snapshot_collections_id: id,
      incremental_snapshot_collections_additional_condition: filter,
      incremental_snapshot_collections_surrogate_key: surrogate,
    })),
  );

test("OFF-18 the keys of an incremental snapshot and how far it is", () => {
  const { input, expected } = reportedCase("OFF-18");
  const wanted = isJsonObject(expected) ? expected : {};
  const partition = decodeOne(stringifyJson(input));
  expect(partition.phase).toBe("incremental-snapshot");
  expect(partition.phaseText).toContain(`${wanted.state}: ${wanted.table}, ${wanted.queue} table remaining`);
  expect(partition.phaseText).toContain(String(wanted.rough_progress));
  expect(partition.field("incremental_snapshot_primary_key")).toBe("12400");
  expect(partition.field("incremental_snapshot_maximum_key")).toBe("50000");
  expect(partition.field("incremental_snapshot_collections")).toBe("public.orders (1 table remaining)");
  expect(partition.field("incremental_snapshot_correlation_id")).toBe("sig-7");
  expect(partition.warnings).toEqual([]);
});

describe("captured while an incremental snapshot ran", () => {
  test.each([
    [
      "mariadb-offsets-during-incremental",
      "inventory.stock_moves, 1 table",
      "4810",
      "68192",
      "about 7 %",
      "7.1",
    ],
    [
      "pg-offsets-during-incremental",
      "public.orders, 1 table",
      "42",
      "1005002",
      "less than 1 %",
      "under 0.1",
    ],
    ["pg-offsets-paused-incremental", "public.orders, 3 tables", "64514", "1005002", "about 6 %", "6.4"],
  ] as const)("%s", (name, table, at, end, about, percent) => {
    const partition = decodeOne(captured[name]);
    expect(partition.phaseText).toBe(
      `incremental snapshot running: ${table} remaining; ${about} if keys are evenly spread (${percent}); a restart goes on from the last row sent`,
    );
    expect(partition.field("incremental_snapshot_primary_key")).toBe(at);
    expect(partition.field("incremental_snapshot_maximum_key")).toBe(end);
    expect(partition.warnings.filter((w) => w.slug === "offset-malformed")).toEqual([]);
  });

  test("the queue names each table, also one that comes twice", () => {
    const partition = decodeOne(captured["pg-offsets-paused-incremental"]);
    expect(partition.field("incremental_snapshot_collections")).toBe(
      "public.orders, public.customers, public.orders (3 tables remaining)",
    );
    expect(partition.field("transaction_data_collection_order_public.debezium_signal")).toBe("1");
  });
});

describe("progress is said only where the keys tell", () => {
  const phase = (at: string | null, end: string | null) =>
    phaseOf({
      incremental_snapshot_collections: queue({ id: "public.orders" }),
      incremental_snapshot_primary_key: at,
      incremental_snapshot_maximum_key: end,
    }).phaseText;
  const without =
    "incremental snapshot running: public.orders, 1 table remaining; a restart goes on from the last row sent";

  const long = (n: bigint) => javaKeys["max long"].slice(0, -16) + n.toString(16).padStart(16, "0");

  test.each([
    [0n, "about 0 % if keys are evenly spread (0.0)"],
    [1n, "less than 1 % if keys are evenly spread (under 0.1)"],
    [50_000n, "about 50 % if keys are evenly spread (50.0)"],
    [99_999n, "about 100 % if keys are evenly spread (99.9)"],
    [100_000n, "about 100 % if keys are evenly spread (100.0)"],
  ])("%i of 100000", (at, text) => {
    expect(phase(long(at), long(100_000n))).toContain(`; ${text};`);
  });

  test("by the first of several columns, and said so", () => {
    expect(phase(javaKeys.composite, javaKeys["composite max"])).toContain(
      "about 25 % by the first of 5 key columns, if it is evenly spread (25.0)",
    );
  });

  test.each([
    ["texts", javaKeys.string, javaKeys.string],
    ["UUIDs", javaKeys.uuid, javaKeys.uuid],
    ["ObjectIds", javaKeys.objectid, javaKeys.objectid],
    ["a negative key", javaKeys.long, javaKeys["max long"]],
    ["a key beyond the highest", javaKeys["max long"], javaKeys.integer],
    ["a first column that is not read", javaKeys["after unknown"], javaKeys["after unknown"]],
    ["no row sent yet", javaKeys["null array"], javaKeys.integer],
    ["no key stored", null, javaKeys.integer],
    ["keys that are none", "cafe", "cafe"],
  ])("not of %s", (_, at, end) => {
    expect(phase(at, end)).toBe(without);
  });
});

describe("the queue", () => {
  const table = (list: string) =>
    decodeOne(JSON.stringify({ lsn: 5, incremental_snapshot_collections: list }));

  test("a filter and a surrogate key are shown to be there", () => {
    const list = queue(
      { id: "a.b", filter: "ssn = '123'", surrogate: "row_no" },
      { id: "a.c", filter: "", surrogate: "" },
    );
    const text = table(list).field("incremental_snapshot_collections");
    expect(text).toBe("a.b (with a filter, by the surrogate key row_no), a.c (2 tables remaining)");
  });

  test("one that cannot be read leaves the phase unknown", () => {
    expect(table("[{}]")).toMatchObject({
      phase: "unknown",
      phaseText: "the queue of the incremental snapshot cannot be read",
      warnings: [{ slug: "offset-malformed" }],
    });
  });

  test("an empty one is no snapshot", () => {
    expect(table("[]").phase).toBe("streaming");
  });
});

test("a key that cannot be read is warned of, and its raw text stays", () => {
  const partition = decodeOne('{"lsn":5,"incremental_snapshot_primary_key":"aced00"}');
  expect(partition.warnings).toEqual([
    {
      slug: "offset-malformed",
      text: "incremental_snapshot_primary_key is no serialised key: it ends before its value does.",
    },
  ]);
  expect(partition.position.fields.find((f) => f.name === "incremental_snapshot_primary_key")?.raw).toBe(
    '"aced00"',
  );
});
