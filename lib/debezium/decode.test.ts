import { describe, expect, test } from "vitest";
import { decodeOffsets } from "./decode";
import { decodeText } from "./decode-input";
import { type DecodedPartition, type DecodeReport, decodeReportSchema } from "./decode-report";
import { isJsonObject, type JsonObject, type JsonValue, parseJson, stringifyJson } from "./json";
import { capturedOffsets, reportedCase } from "./positions/fixtures/read";

const pg = "io.debezium.connector.postgresql.PostgresConnector";

function decodeOne(
  offset: JsonObject,
  type?: "postgresql" | "mysql" | "mariadb" | "oracle",
): DecodedPartition {
  const partition = { server: "shop" };
  const report = decodeOffsets({ ...(type ? { type } : {}), offsets: [{ partition, offset }] });
  expect(decodeReportSchema.parse(report)).toEqual(report);
  const [only] = report.partitions;
  if (!only) throw new Error("no partition");
  return only;
}

function field(partition: DecodedPartition | undefined, name: string) {
  const found = partition?.position.fields.find((f) => f.name === name);
  if (!found) throw new Error(`no field ${name}`);
  return found;
}

function inputs(id: string): JsonObject[] {
  const { input } = reportedCase(id);
  return (Array.isArray(input) ? input : [input]).filter((item) => isJsonObject(item));
}

const slugs = (partition: DecodedPartition | undefined) => partition?.warnings.map((w) => w.slug);

describe("reported cases", () => {
  test("OFF-01 a 64-bit LSN keeps every digit", () => {
    const { input } = reportedCase("OFF-01");
    const [report] = decodeText(String(input));
    const [partition] = report?.partitions ?? [];
    expect(report?.connector).toBe("postgresql");
    expect(field(partition, "lsn")).toMatchObject({ raw: "9007199254741001", text: "200000/9" });
    expect(field(partition, "lsn_proc")).toMatchObject({ raw: "9007199254740993", text: "200000/1" });
    expect(field(partition, "lsn_commit").text).toBe("200000/1");
    expect(field(partition, "ts_usec").text).toBe("2026-09-14T06:30:00.123457Z");
    for (const wrong of ["9007199254741000", "200000/8", "200000/0"])
      expect(JSON.stringify(report)).not.toContain(wrong);
  });

  test("OFF-03 lsn_events_processed is explained", () => {
    const { input } = reportedCase("OFF-03");
    const [report] = decodeText(stringifyJson(input));
    const [partition] = report?.partitions ?? [];
    expect(partition?.position.text).toBe("4D2/19A0D7F0");
    expect(field(partition, "lsn_proc").text).toBe("4D2/19A0D7B0");
    expect(field(partition, "lsn_events_processed").text).toBe("3 row events already sent at this LSN");
    expect(slugs(partition)).toEqual(["mid-transaction"]);
  });

  test("OFF-04 the snapshot flag in all its spellings", () => {
    const { input } = reportedCase("OFF-04");
    const [report] = decodeText(stringifyJson(input));
    expect(report?.partitions.map((p) => [p.phase, p.phaseText])).toEqual([
      ["snapshot", "snapshot running; a crash replays the whole snapshot"],
      ["snapshot", "snapshot running; a crash replays the whole snapshot"],
      ["streaming", "snapshot complete, streaming not yet recorded"],
      ["streaming", "streaming"],
    ]);
    expect(report?.partitions.map(slugs)).toEqual([
      ["offset-snapshot-unfinished"],
      ["offset-snapshot-unfinished"],
      [],
      [],
    ]);
  });

  test('OFF-05 gtids null, "null" or blank: none recorded', () => {
    for (const type of ["mysql", "mariadb"] as const) {
      const partitions = inputs("OFF-05").map((offset) => decodeOne(offset, type));
      for (const partition of partitions) {
        expect(field(partition, "gtids").text).toBe("none recorded");
        expect(partition.position.text).toBe("binlog.000412 : 7713");
        expect(slugs(partition)).not.toContain("offset-malformed");
      }
      expect(partitions.map((p) => p.phase)).toEqual(["snapshot", "snapshot", "streaming"]);
    }
  });

  test("OFF-06 a GTID set with several sources", () => {
    const partition = decodeOne(inputs("OFF-06")[0] ?? {}, "mysql");
    const { text } = field(partition, "gtids");
    expect(text).toContain("3e11fa47-71ca-11e1-9e33-c80aa9429562: 1-5:11-29:40 (25 transactions)");
    expect(text).toContain("5c9d1e5e-0000-11ee-be56-0242ac120002: 7 (1 transaction)");
    expect(text).toContain("26 in all");
  });

  test.each(["OFF-12", "OFF-14", "OFF-15"])("%s shows every stored value as it came", (id) => {
    for (const offset of inputs(id).filter((item) => item.rule === undefined)) {
      const { position, warnings } = decodeOne(offset);
      const raw = position.fields.map((f) => f.raw).sort();
      const stored = Object.values(offset).map((value) => stringifyJson(value));
      expect(raw).toEqual(stored.sort());
      expect(warnings.map((w) => w.slug)).not.toContain("offset-malformed");
    }
  });

  test("OFF-20 a partition of an old topic.prefix is left over", () => {
    const [input] = inputs("OFF-20");
    const config = { "connector.class": pg, "topic.prefix": "shop2" };
    const [report] = decodeText(stringifyJson(input ?? null), { config });
    expect(report?.partitions).toMatchObject([
      {
        partition: '{"server":"shop"}',
        used: false,
        why: "does not match topic.prefix",
        position: { text: "0/18E9200" },
      },
      { partition: '{"server":"shop2"}', used: true, position: { text: "4D2/19A0D7F0" } },
    ]);
    expect(report?.partitions[1]).not.toHaveProperty("why");
  });

  test("OFF-22 an empty list is no error and no position", () => {
    const [input] = inputs("OFF-22");
    const config = isJsonObject(input?.config) ? (input.config as Record<string, string>) : {};
    expect(decodeText(stringifyJson(input?.offsets ?? null), { config })).toEqual([
      { name: null, connector: "mysql", partitions: [] },
    ]);
  });
});

describe("captured offsets", () => {
  test.each(capturedOffsets)("%s", (line) => {
    const record = parseJson(line);
    const stored = isJsonObject(record) && isJsonObject(record.value) ? record.value : {};
    const [report] = decodeText(line);
    const [partition] = report?.partitions ?? [];
    expect(partition?.position.fields.map((f) => f.name).sort()).toEqual(Object.keys(stored).sort());
    if (Object.keys(stored).length === 0) {
      expect(partition?.position.text).toMatch(/unknown|not decoded/);
      return;
    }
    expect(slugs(partition)).not.toContain("offset-malformed");
    expect(partition?.position.fields.filter((f) => f.meaning.includes("not known"))).toEqual([]);
    expect(report?.connector).toBe(report?.name === "orders-cdc" ? "postgresql" : "mariadb");
    const expected = stored.gtids ?? hexLsn(stored.lsn ?? 0);
    expect(partition?.position.text).toBe(expected);
  });

  function hexLsn(lsn: JsonValue): string {
    const digits = Number(lsn).toString(16).toUpperCase();
    return `0/${digits}`;
  }

  test("an empty map is said to be one", () => {
    expect(decodeOne({}, "mariadb")).toMatchObject({
      position: { text: "unknown" },
      warnings: [{ slug: "offset-malformed", text: "The offset is an empty map: it holds no position." }],
    });
  });
});

describe("shapes of PostgreSQL offsets", () => {
  const base = { lsn: 38112328, txId: 832, ts_usec: 1795957832162314 };

  test.each<[string, JsonObject, string, string]>([
    [
      "1.9 snapshot",
      { ...base, snapshot: true, last_snapshot_record: false },
      "snapshot",
      "snapshot running; a crash replays the whole snapshot",
    ],
    [
      "1.9 last snapshot record",
      { ...base, snapshot: true, last_snapshot_record: true },
      "streaming",
      "snapshot complete, streaming not yet recorded",
    ],
    [
      "3.0.2+ initial",
      { ...base, snapshot: "INITIAL", snapshot_completed: false },
      "snapshot",
      "snapshot running; a crash replays the whole snapshot",
    ],
    [
      "3.0.2+ initial, done",
      { ...base, snapshot: "INITIAL", snapshot_completed: true, last_snapshot_record: true },
      "streaming",
      "snapshot complete, streaming not yet recorded",
    ],
    [
      "blocking",
      { ...base, snapshot: "BLOCKING", snapshot_completed: false },
      "snapshot",
      "blocking snapshot running; a crash replays the whole snapshot",
    ],
    [
      "blocking, done",
      { ...base, snapshot: "BLOCKING", snapshot_completed: true },
      "streaming",
      "snapshot complete, streaming not yet recorded",
    ],
    [
      "last record of an incremental snapshot",
      { ...base, snapshot: "INCREMENTAL", snapshot_completed: true },
      "streaming",
      "streaming; the last record sent was from an incremental snapshot",
    ],
    ["no snapshot", { ...base, snapshot: false }, "streaming", "streaming"],
    [
      "a spelling of the future",
      { ...base, snapshot: "LUNAR" },
      "unknown",
      'the snapshot flag "LUNAR" is not known to Tidemark',
    ],
  ])("%s", (_, offset, phase, phaseText) => {
    expect(decodeOne(offset)).toMatchObject({ phase, phaseText });
  });

  test("streaming, with every key", () => {
    const offset = {
      ...base,
      lsn_proc: 38112328,
      lsn_commit: 38112256,
      messageType: "INSERT",
      xmin: 815,
      lsn_events_processed: 1,
      transaction_id: "832",
      "transaction_data_collection_order_public.orders": 4,
    };
    const partition = decodeOne(offset);
    expect(partition.position.fields.map(({ name, text }) => [name, text])).toEqual([
      ["lsn", "0/2458C48"],
      ["lsn_proc", "0/2458C48"],
      ["lsn_commit", "0/2458C00"],
      ["lsn_events_processed", "1 row event already sent at this LSN"],
      ["messageType", "INSERT"],
      ["txId", "832"],
      ["ts_usec", "2026-11-29T13:10:32.162314Z"],
      ["xmin", "815"],
      ["transaction_id", "832"],
      ["transaction_data_collection_order_public.orders", "4"],
    ]);
    expect(field(partition, "transaction_data_collection_order_public.orders").meaning).toContain(
      "public.orders",
    );
    expect(partition.sourceTime).toBe("2026-11-29T13:10:32.162314Z");
  });

  test("the connector's clock during a snapshot is no source time", () => {
    expect(decodeOne({ ...base, snapshot: true }).sourceTime).toBeNull();
  });

  test("an incremental snapshot, with its queue", () => {
    const entry = (table: string, filter: string | null) => ({
      incremental_snapshot_collections_id: table,
      incremental_snapshot_collections_additional_condition: filter,
      incremental_snapshot_collections_surrogate_key: null,
    });
    const partition = decodeOne({
      ...base,
      incremental_snapshot_collections: JSON.stringify([
        entry("public.orders", null),
        entry("public.customers", "id > 5"),
      ]),
      incremental_snapshot_primary_key: "aced0005",
      incremental_snapshot_maximum_key: "aced0005",
      incremental_snapshot_correlation_id: "big-2",
    });
    expect(partition.phase).toBe("incremental-snapshot");
    expect(partition.phaseText).toContain("public.orders, 2 tables remaining");
    expect(field(partition, "incremental_snapshot_collections").text).toBe(
      "public.orders, public.customers (with a filter) (2 tables remaining)",
    );
    expect(field(partition, "incremental_snapshot_primary_key").text).toContain("no serialised key");
  });

  test("a key of the future is shown as it came", () => {
    expect(field(decodeOne({ ...base, tide: [1] }), "tide")).toEqual({
      name: "tide",
      raw: "[1]",
      text: "[1]",
      meaning: "Not known to Tidemark; shown as stored.",
    });
  });
});

describe("shapes of MySQL and MariaDB offsets", () => {
  test("MySQL inside a transaction, with every key", () => {
    const uuid = "6bdfafd3-ab88-11f1-ac78-663f1c0f15f3";
    const partition = decodeOne({
      file: "mysql-bin.000006",
      pos: 1200,
      gtids: `${uuid}:1-18`,
      event: 2,
      row: 1,
      server_id: 7,
      ts_sec: 1789367400,
    });
    expect(partition.position.text).toBe("mysql-bin.000006 : 1200");
    expect(partition.position.fields.map((f) => f.text)).toEqual([
      "mysql-bin.000006",
      "1200",
      `${uuid}: 1-18 (18 transactions)`,
      "2 events to skip",
      "1 row to skip",
      "7",
      "2026-09-14T06:30:00Z",
    ]);
    expect(partition.sourceTime).toBe("2026-09-14T06:30:00Z");
    expect(slugs(partition)).toEqual(["mid-transaction"]);
  });

  test("MariaDB shows its GTID first, and the place to read on from", () => {
    const { position } = decodeOne({ file: "binlog.000001", pos: 139251, gtids: "0-223344-21" });
    expect(position.text).toBe("0-223344-21");
    expect(position.meaning).toContain("binlog.000001 : 139251");
  });

  test("without GTIDs it cannot be told which of the two it is", () => {
    const offsets = [{ partition: { server: "x" }, offset: { file: "binlog.000001", pos: 4 } }];
    expect(decodeOffsets({ offsets }).connector).toBe("MySQL or MariaDB");
  });

  test.each<[string, JsonObject, string]>([
    ["to 3.0.1", { snapshot: true }, "snapshot"],
    ["3.0.2+", { snapshot: "INITIAL" }, "snapshot"],
    ["blocking", { snapshot: "BLOCKING" }, "snapshot"],
    ["incremental", { snapshot: "INCREMENTAL" }, "streaming"],
  ])("snapshot %s", (_, more, phase) => {
    expect(decodeOne({ file: "b.1", pos: 4, ...more }, "mysql").phase).toBe(phase);
  });
});

describe("a bad field hides nothing else", () => {
  test.each<[string, JsonObject, string]>([
    ["lsn", { lsn: "abc", txId: 1 }, 'lsn is "abc", not an LSN as a whole number.'],
    ["lsn missing", { lsn_proc: 5 }, "lsn is missing; every PostgreSQL offset has one."],
    ["negative pos", { file: "b.1", pos: -4 }, "pos is -4, not a whole number from 0."],
    ["file missing", { pos: 4, gtids: null }, "file is missing; Debezium cannot start without it."],
    [
      "gtids",
      { file: "b.1", pos: 4, gtids: "rubbish" },
      'gtids cannot be read: "rubbish" does not begin with a server UUID.',
    ],
    ["ts_usec", { lsn: 5, ts_usec: 1.5 }, "ts_usec is 1.5, not a time as a whole number."],
    [
      "time out of range",
      { lsn: 5, ts_usec: 9_223_372_036_854_775_807n },
      "ts_usec is 9223372036854775807, not a time as a whole number.",
    ],
    [
      "queue",
      { lsn: 5, incremental_snapshot_collections: "[{]" },
      'incremental_snapshot_collections is "[{]", not a JSON list of tables.',
    ],
    ["a boolean", { lsn: 5, snapshot_completed: 7 }, "snapshot_completed is 7, not true or false."],
  ])("%s", (_, offset, text) => {
    const good = { partition: { server: "good" }, offset: { lsn: 26120704, file: "b.1", pos: 1 } };
    const type = "lsn" in offset || "lsn_proc" in offset ? "postgresql" : "mysql";
    const report = decodeOffsets({ type, offsets: [{ partition: { server: "bad" }, offset }, good] });
    expect(report.partitions[0]?.warnings).toContainEqual({ slug: "offset-malformed", text });
    expect(report.partitions[1]?.position.text).toBe(type === "mysql" ? "b.1 : 1" : "0/18E9200");
  });

  test("an offset that is no map", () => {
    const report = decodeOffsets({ type: "postgresql", offsets: [{ partition: null, offset: 5 }] });
    expect(report.partitions[0]?.warnings.map((w) => w.text)).toEqual(["The offset is not a JSON object."]);
  });
});

describe("which partition a start would read", () => {
  const two = ["a", "b"].map((server) => ({ partition: { server }, offset: { lsn: 5 } }));
  const used = (report: DecodeReport) => report.partitions.map((p) => [p.used, p.why]);

  test("without a configuration the only one is taken, with a word of doubt", () => {
    expect(used(decodeOffsets({ offsets: two.slice(0, 1) }))).toEqual([
      [true, "no configuration given; it is the only partition"],
    ]);
  });

  test("of several none is picked", () => {
    const why = "not known: no configuration given, and there are 2 partitions";
    expect(used(decodeOffsets({ offsets: two }))).toEqual([
      [false, why],
      [false, why],
    ]);
  });

  test("a reference cannot be compared", () => {
    const config = { "connector.class": pg, "topic.prefix": ["$", "{env:PREFIX}"].join("") };
    expect(used(decodeOffsets({ config, offsets: two }))[0]?.[1]).toContain("only the worker can resolve");
  });

  test("the databases of one SQL Server connector belong together", () => {
    const offsets = ["d1", "d2"].map((database) => ({ partition: { server: "s", database }, offset: {} }));
    expect(decodeOffsets({ type: "sqlserver", offsets }).partitions.map((p) => p.used)).toEqual([true, true]);
  });

  test("1.x names and MongoDB's server_id", () => {
    const config = {
      "connector.class": "io.debezium.connector.mongodb.MongoDbConnector",
      "mongodb.name": "crm",
    };
    const offsets = ["crm", "old"].map((server_id) => ({ partition: { server_id }, offset: { sec: 1 } }));
    expect(decodeOffsets({ config, offsets }).partitions.map((p) => p.used)).toEqual([true, false]);
  });

  test("an unknown class is shown as it came", () => {
    const offsets = [{ partition: { a: 1 }, offset: { b: 2 } }];
    expect(decodeOffsets({ connectorClass: "com.example.Source", offsets })).toMatchObject({
      connector: "com.example.Source",
      partitions: [{ phase: "unknown", position: { fields: [{ name: "b", raw: "2" }] } }],
    });
  });
});

describe("a time that none can be is not told", () => {
  test.each<[string, JsonObject, string]>([
    ["PostgreSQL", { lsn: 5, ts_usec: 0 }, "ts_usec"],
    ["MySQL", { file: "b.1", pos: 4, gtids: "3e11fa47-71ca-11e1-9e33-c80aa9429562:1", ts_sec: 0 }, "ts_sec"],
  ])("0 of %s is unknown, not 1970", (_, offset, key) => {
    const [partition] = decodeOffsets({ offsets: [{ partition: {}, offset }] }).partitions;
    expect(partition?.sourceTime).toBeNull();
    expect(partition?.position.fields.find((f) => f.name === key)?.text).toBe("unknown (0)");
    expect(partition?.warnings).toEqual([]);
  });

  test("milliseconds where microseconds are due are no source time in 1970", () => {
    const offset = { lsn: 5, ts_usec: 1_789_367_400_000 };
    const [partition] = decodeOffsets({ offsets: [{ partition: {}, offset }] }).partitions;
    expect(partition?.sourceTime).toBeNull();
  });

  test("milliseconds where seconds are due are no year 58672", () => {
    const offset = { file: "b.1", pos: 4, ts_sec: 1_789_367_400_000 };
    const [partition] = decodeOffsets({ type: "mysql", offsets: [{ partition: {}, offset }] }).partitions;
    expect(partition?.sourceTime).toBeNull();
    expect(partition?.warnings.map((w) => w.text)).toEqual([
      "ts_sec is 1789367400000, not a time as a whole number.",
    ]);
  });
});
