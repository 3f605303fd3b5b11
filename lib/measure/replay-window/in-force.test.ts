import { describe, expect, test } from "vitest";
import type { ConnectorConfig } from "@/lib/debezium/config";
import { isJsonObject, type JsonValue, stringifyJson } from "@/lib/debezium/json";
import { reportedCase } from "@/lib/debezium/positions/fixtures/read";
import type { CommitHistory } from "@/lib/observed/commits";
import type { StoredOffsets } from "@/lib/observed/connector";
import { commitsInForce } from "./in-force";

const at = Date.parse("2026-11-29T12:00:00.000Z");
const iso = (ms: number) => new Date(ms).toISOString();

const stored = (partition: JsonValue, offset: JsonValue, committedAt: number | null = at) => ({
  partition: stringifyJson(partition),
  offset: stringifyJson(offset),
  committedAt: committedAt === null ? null : iso(committedAt),
});
const topicOffsets = (...offsets: StoredOffsets["offsets"]): StoredOffsets => ({ offsets, from: "topic" });

const history = (partition: string, ...commits: (readonly [number, string | null])[]): CommitHistory => ({
  topics: ["connect-offsets"],
  partitions: [
    {
      partition,
      commits: commits.map(([time, offset], i) => ({
        at: iso(time),
        offset,
        topic: "connect-offsets",
        kafkaPartition: 0,
        kafkaOffset: i,
      })),
    },
  ],
});

const shop: ConnectorConfig = { "topic.prefix": "shop" };
const server = { server: "shop" };

/** The entries of a case's input; each an object. */
const entries = (value: JsonValue) => (Array.isArray(value) ? value : []).filter(isJsonObject);

describe("one source partition", () => {
  const offset = { lsn: 9007199254740993n, ts_usec: (at - 2_500) * 1_000 + 999 };

  test("its commit, its time, the time of the commit before, the source's time rounded down", () => {
    const past = history('{"server":"shop"}', [at - 120_000, "{}"], [at - 60_000, "{}"], [at, "{}"]);
    const found = commitsInForce("postgresql", shop, topicOffsets(stored(server, offset)), past);
    expect(found).toMatchObject({ kind: "streaming", why: null });
    expect(found.commits).toEqual([
      {
        partition: server,
        partitionText: '{"server":"shop"}',
        offset,
        committedAt: at,
        before: at - 60_000,
        sourceAt: at - 2_500,
        snapshot: false,
      },
    ]);
    expect(found.forTopic("shop.public.orders")).toEqual({
      commit: found.commits[0],
      committedAt: at,
      sourceAt: at - 2_500,
      before: at - 60_000,
      atMost: false,
      why: null,
    });
  });

  test("without a history no time before; none either where that deleted what was stored", () => {
    const one = topicOffsets(stored(server, offset));
    expect(commitsInForce("postgresql", shop, one, null).commits[0]?.before).toBeNull();
    const deleted = history('{"server":"shop"}', [at - 60_000, "{}"], [at - 30_000, null], [at, "{}"]);
    expect(commitsInForce("postgresql", shop, one, deleted).commits[0]?.before).toBeNull();
  });

  test("a source whose clock is ahead of the commit has no time to count from", () => {
    const ahead = { lsn: 1, ts_usec: (at + 3_000) * 1_000 };
    const found = commitsInForce("postgresql", shop, topicOffsets(stored(server, ahead)), null);
    expect(found.commits[0]?.sourceAt).toBe(at + 3_000);
    expect(found.forTopic("shop.public.orders")).toMatchObject({ committedAt: at, sourceAt: null });
  });

  test("REST tells no time: the source's own is still there, and the commit's if the topic holds the same offset", () => {
    const rest: StoredOffsets = { offsets: [stored(server, offset, null)], from: "rest" };
    const alone = commitsInForce("postgresql", shop, rest, null);
    expect(alone.kind).toBe("streaming");
    expect(alone.forTopic("shop.public.orders")).toMatchObject({
      committedAt: null,
      sourceAt: at - 2_500,
      why: expect.stringContaining("does not tell when an offset was committed"),
    });
    const same = `{"ts_usec":${stringifyJson(offset.ts_usec)},"lsn":9007199254740993}`;
    const both = commitsInForce("postgresql", shop, rest, history('{"server":"shop"}', [at, same]));
    expect(both.commits[0]?.committedAt).toBe(at);
    const older = history('{"server":"shop"}', [at, '{"lsn":5}']);
    expect(commitsInForce("postgresql", shop, rest, older).commits[0]?.committedAt).toBeNull();
  });

  test("a topic.prefix that only the worker can resolve: the only partition counts, of several none is picked", () => {
    const config = { "topic.prefix": `\${file:/etc/cdc.properties:prefix}` };
    const one = topicOffsets(stored(server, offset));
    expect(commitsInForce("postgresql", config, one, null)).toMatchObject({ kind: "streaming" });
    const two = topicOffsets(stored(server, offset), stored({ server: "other" }, offset));
    const found = commitsInForce("postgresql", config, two, null);
    expect(found).toMatchObject({
      kind: "unknown",
      why: expect.stringContaining("2 partitions"),
      commits: [],
    });
    expect(found.forTopic("shop.public.orders")).toMatchObject({ committedAt: null, why: found.why });
  });
});

describe("snapshots", () => {
  test("OFF-04: the flag in all its spellings", () => {
    const kinds = entries(reportedCase("OFF-04").input).map(
      ({ offset = {} }) =>
        commitsInForce("postgresql", shop, topicOffsets(stored(server, offset)), null).kind,
    );
    expect(kinds).toEqual(["snapshot", "snapshot", "streaming", "streaming"]);
  });

  test("OFF-05: MySQL without GTIDs: two of a running snapshot, one streaming", () => {
    const kinds = entries(reportedCase("OFF-05").input).map(
      (offset) => commitsInForce("mysql", shop, topicOffsets(stored(server, offset)), null).kind,
    );
    expect(kinds).toEqual(["snapshot", "snapshot", "streaming"]);
  });

  test("one that runs holds the time of a row's reading, which is no change's", () => {
    const offset = { lsn: 1, snapshot: "BLOCKING", ts_usec: (at - 50) * 1_000 };
    const found = commitsInForce("postgresql", shop, topicOffsets(stored(server, offset)), null);
    expect(found).toMatchObject({
      kind: "snapshot",
      why: "a snapshot is running, and a start would begin it again",
      commits: [{ snapshot: true, sourceAt: null }],
    });
  });

  test("an incremental one goes on where it was", () => {
    const offset = { lsn: 1, snapshot: "INCREMENTAL", ts_usec: (at - 50) * 1_000 };
    const found = commitsInForce("postgresql", shop, topicOffsets(stored(server, offset)), null);
    expect(found).toMatchObject({ kind: "streaming", commits: [{ snapshot: false, sourceAt: at - 50 }] });
  });

  test("a flag that nobody knows is unknown", () => {
    const offsets = topicOffsets(stored(server, { lsn: 1, snapshot: "SOMETIMES" }));
    const found = commitsInForce("postgresql", shop, offsets, null);
    expect(found).toMatchObject({
      kind: "unknown",
      why: expect.stringContaining("whether a snapshot is running"),
    });
  });

  test("Vitess: a copy of rows without a stored key begins again, one with a key goes on", () => {
    const of = (shard: JsonValue) => {
      const vgtid = stringifyJson([shard]);
      return commitsInForce("vitess", shop, topicOffsets(stored(server, { vgtid })), null).kind;
    };
    const shard = { keyspace: "ks", shard: "-80", gtid: "" };
    expect(of(shard)).toBe("snapshot");
    const key = { table_name: "orders", lastpk: { fields: [], rows: [] } };
    expect(of({ ...shard, table_p_ks: [key] })).toBe("streaming");
    expect(of({ ...shard, gtid: "current" })).toBe("streaming");
  });

  test("CockroachDB before its first resolved time is unknown", () => {
    const offsets = topicOffsets(stored(server, { "offset.cursor": "initial" }));
    expect(commitsInForce("cockroachdb", shop, offsets, null).kind).toBe("unknown");
  });
});

describe("nothing that counts", () => {
  test("OFF-22: no offset stored is no commit, never a window of 0", () => {
    const found = commitsInForce("mysql", { "topic.prefix": "inv" }, { offsets: [] }, null);
    expect(found).toMatchObject({
      kind: "no-commit",
      why: "no offset is stored: a start would be its first",
      commits: [],
    });
    expect(found.forTopic("inv.a.b")).toMatchObject({ committedAt: null, sourceAt: null, why: found.why });
  });

  test("OFF-20: a partition of the old topic.prefix never counts", () => {
    const { input } = reportedCase("OFF-20");
    const offsets = entries(isJsonObject(input) ? (input.offsets ?? null) : null).map(
      ({ partition = {}, offset = {} }, i) => stored(partition, offset, at - i * 1_000),
    );
    const config = { "topic.prefix": "shop2" };
    const found = commitsInForce("postgresql", config, topicOffsets(...offsets), null);
    expect(found.commits.map((c) => c.partitionText)).toEqual(['{"server":"shop2"}']);
    expect(found.forTopic("shop2.public.orders").committedAt).toBe(at - 1_000);
    const left = commitsInForce("postgresql", config, topicOffsets(...offsets.slice(0, 1)), null);
    expect(left).toMatchObject({ kind: "no-commit", why: expect.stringContaining("does not read") });
  });

  test("a deleted offset is no commit, and says when", () => {
    const past = history('{"server":"shop"}', [at - 60_000, '{"lsn":1}'], [at, null]);
    const found = commitsInForce("postgresql", shop, topicOffsets(), past);
    expect(found.why).toBe(`the stored offset was deleted (${iso(at)}): a start would be its first`);
  });

  test("what cannot be read is unknown: another connector, no JSON map, an empty map", () => {
    const broken = { offsets: [{ partition: '{"server":"shop"}', offset: "{lsn" }] };
    expect(commitsInForce("unknown", {}, { offsets: [] }, null).kind).toBe("unknown");
    expect(commitsInForce("postgresql", shop, broken, null).kind).toBe("unknown");
    expect(commitsInForce("postgresql", shop, topicOffsets(stored(server, {})), null)).toMatchObject({
      kind: "unknown",
      why: "the stored offset is an empty map: it holds no position",
    });
  });
});

describe("connectors without a source time in their offset", () => {
  test("Oracle", () => {
    const offset = { scn: "123456789", commit_scn: "123456790:1:0a0b" };
    const found = commitsInForce("oracle", shop, topicOffsets(stored(server, offset)), null);
    expect(found.forTopic("shop.HR.EMPLOYEES")).toMatchObject({ committedAt: at, sourceAt: null });
  });

  test("MongoDB tells it, in whole seconds", () => {
    const seconds = Math.floor(at / 1_000) - 7;
    const offset = { sec: seconds, ord: 3, transaction_id: null };
    const partition = { server_id: "shop", rs: "rs0" };
    const found = commitsInForce("mongodb", shop, topicOffsets(stored(partition, offset)), null);
    expect(found.forTopic("shop.inventory.products")).toMatchObject({ sourceAt: seconds * 1_000 });
  });
});

describe("SQL Server with several databases", () => {
  const offset = { commit_lsn: "00000027:00000ac0:0002", change_lsn: "NULL", event_serial_no: 1 };
  const of = (database: string, committedAt: number) =>
    stored({ server: "shop", database }, offset, committedAt);
  const config = { "topic.prefix": "shop", "database.names": "Sales,stock, old.stock ,new" };
  const found = commitsInForce(
    "sqlserver",
    config,
    topicOffsets(
      of("sales", at),
      of("stock", at - 5_000),
      of("old.stock", at - 9_000),
      of("dropped", at - 86_400_000),
    ),
    null,
  );

  test("each topic counts from the commit of its own database", () => {
    const time = (topic: string) => found.forTopic(topic).committedAt;
    expect(time("shop.sales.dbo.orders")).toBe(at);
    expect(time("shop.stock.dbo.moves")).toBe(at - 5_000);
    expect(time("shop.old.stock.dbo.moves")).toBe(at - 9_000);
    expect(found.forTopic("shop.stock.dbo.moves")).toMatchObject({ atMost: false, sourceAt: null });
  });

  test("a topic whose name tells no database counts from the oldest, which is at most", () => {
    expect(found.forTopic("routed")).toMatchObject({ commit: null, committedAt: at - 9_000, atMost: true });
    expect(found.forTopic("shop.salesman.dbo.x")).toMatchObject({ commit: null, atMost: true });
  });

  test("databases that one flush committed together need no telling apart", () => {
    const one = commitsInForce("sqlserver", config, topicOffsets(of("sales", at), of("stock", at)), null);
    expect(one.forTopic("routed")).toMatchObject({ committedAt: at, atMost: false });
  });

  test("a database that is captured no more does not count; one that has nothing stored yet says so", () => {
    expect(found.commits.map((c) => c.partition.database)).toEqual(["sales", "stock", "old.stock"]);
    expect(found.forTopic("shop.new.dbo.x")).toMatchObject({
      commit: null,
      committedAt: null,
      why: "no offset is stored for database new: a start would be its first",
    });
  });

  test("names with characters that no topic has, and a delimiter of one's own", () => {
    const partition = { server: "shop", database: "my db" };
    const other = stored({ server: "shop", database: "x" }, offset, at - 1);
    const spaced = commitsInForce(
      "sqlserver",
      { "topic.prefix": "shop", "topic.delimiter": "_" },
      topicOffsets(stored(partition, offset), other),
      null,
    );
    expect(spaced.forTopic("shop_my_db_dbo_t").commit?.partition).toEqual(partition);
  });
});

describe("Spanner", () => {
  const token = (name: string, offset: JsonValue, committedAt: number) =>
    stored({ partitionToken: name }, offset, committedAt);
  const found = commitsInForce(
    "spanner",
    {},
    topicOffsets(
      token("a", { offset: "2026-11-29T11:00:00Z" }, at - 3_600_000),
      token("b", { offset: "2026-11-29T11:59:59Z" }, at),
      token("ended", {}, at + 1),
    ),
    null,
  );

  test("tokens that ended stay stored: the newest commit says what is sure, and nothing is an upper bound", () => {
    expect(found.kind).toBe("streaming");
    expect(found.commits).toHaveLength(2);
    expect(found.forTopic("any")).toMatchObject({
      commit: null,
      committedAt: at,
      sourceAt: null,
      atMost: false,
    });
  });
});
