import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodeOffsets } from "../decode";
import { decodeText } from "../decode-input";
import type { JsonObject, JsonValue } from "../json";
import { mySqlGtids } from "./mysql-gtid";
import type { Order } from "./position";
import { expectPartialOrder, opposite } from "./testing/order-laws";
import { parseVgtid } from "./vgtid";
import { vitess } from "./vitess";
import type { VitessPosition } from "./vitess-order";

const uuid = "19eb2657-abc2-11ea-8ffc-0242ac11000a";
const other = "6bdfafd3-ab88-11f1-ac78-663f1c0f15f3";
interface Shard {
  shard?: string;
  gtid: string;
  tables?: string[];
}
const to = (n: number) => `MySQL56/${uuid}:1-${n}`;

function vgtid(...shards: Shard[]): string {
  return JSON.stringify(
    shards.map(({ shard = "-80", gtid, tables = [] }) => ({
      keyspace: "commerce",
      shard,
      gtid,
      table_p_ks: tables.map((table_name) => ({
        table_name,
        lastpk: {
          fields: [{ name: "id", type: "INT64", charset: 63, flags: 53251 }],
          rows: [{ lengths: ["1"], values: "5" }],
        },
      })),
    })),
  );
}

function offset(...shards: Shard[]): VitessPosition {
  const { position, problems } = vitess.decodeOffset({ vgtid: vgtid(...shards) });
  if (!position) throw new Error(problems[0]?.text);
  return position;
}

function event(shard: string | null, ...shards: Shard[]): VitessPosition {
  const named: JsonObject = shard === null ? {} : { shard };
  const { position, problems } = vitess.decodeSource({
    keyspace: "commerce",
    snapshot: "false",
    vgtid: vgtid(...shards),
    ...named,
  });
  if (!position) throw new Error(problems[0]?.text);
  return position;
}

function decodeOne(map: JsonObject) {
  const [report] = decodeText(JSON.stringify([{ partition: { server: "shop" }, offset: map }]));
  const [partition] = report?.partitions ?? [];
  if (!report || !partition) throw new Error("no partition");
  const text = (name: string) => partition.position.fields.find((f) => f.name === name)?.text;
  return { ...partition, connector: report.connector, text };
}

describe("shapes of offsets", () => {
  test("one shard", () => {
    const decoded = decodeOne({ vgtid: vgtid({ gtid: to(7) }) });
    expect(decoded).toMatchObject({
      connector: "vitess",
      phase: "streaming",
      warnings: [],
      sourceTime: null,
      position: {
        text: `commerce/-80 ${uuid}:1-7`,
        meaning:
          "VGTID of the last transaction that was sent whole: a restart sends the one after it from its start.",
      },
    });
    expect(decoded.text("vgtid")).toBe(`commerce/-80: ${uuid}: 1-7 (7 transactions)`);
  });

  test("several shards, epochs, and the transaction being counted", () => {
    const two = [{ gtid: to(7) }, { shard: "80-", gtid: `MySQL56/${uuid}:1-3,${other}:5` }];
    const decoded = decodeOne({
      vgtid: vgtid(...two),
      transaction_id: vgtid({ gtid: to(8) }, { shard: "80-", gtid: to(3) }),
      transaction_epoch: '{"-80":0,"80-":1}',
      transaction_rank: "19",
      connector_generation: 1,
      "transaction_data_collection_order_commerce.orders": 2,
    });
    expect(decoded.position.text).toBe("commerce: 2 shards, 11 transactions");
    expect(decoded.text("vgtid")).toContain(`; commerce/80-: ${uuid}: 1-3 (3 transactions), ${other}: 5`);
    expect(decoded.text("transaction_id")).toContain("commerce/-80: ");
    expect(decoded.text("transaction_epoch")).toBe("-80: 0, 80-: 1");
    expect(decoded.position.fields.filter((f) => f.meaning.includes("Not known"))).toEqual([]);
    expect(decoded.warnings).toEqual([]);
  });

  test("copy of all rows", () => {
    expect(decodeOne({ vgtid: vgtid({ gtid: "" }) })).toMatchObject({
      phase: "snapshot",
      phaseText: "copy of rows running; a crash begins the copy again",
      position: { text: "commerce/-80 copy" },
      warnings: [{ slug: "offset-snapshot-unfinished" }],
    });
  });

  test("copy under way", () => {
    const decoded = decodeOne({ vgtid: vgtid({ gtid: to(7), tables: ["orders", "customers"] }) });
    expect(decoded.phaseText).toBe(
      "copy of rows running; a crash goes on after the last key stored of each table",
    );
    expect(decoded.text("vgtid")).toBe(
      `commerce/-80: ${uuid}: 1-7 (7 transactions), copying orders, customers`,
    );
  });

  test('"current" names no place', () => {
    const decoded = decodeOne({ vgtid: vgtid({ gtid: "current" }) });
    expect(decoded.position.text).toBe("commerce/-80 current");
    expect(decoded.text("vgtid")).toContain("from where the stream stands at its start");
    expect(decoded.phase).toBe("streaming");
  });

  test.each<[string, JsonObject, string]>([
    ["no vgtid", { transaction_id: "x" }, "vgtid is missing; every Vitess offset has one."],
    [
      "not JSON",
      { vgtid: "MySQL56/x" },
      'vgtid is "MySQL56/x", not a JSON list such as [{"keyspace":"commerce","shard":"-80","gtid":"MySQL56/…"}].',
    ],
    [
      "a map",
      { vgtid: "{}" },
      'vgtid is "{}", not a JSON list such as [{"keyspace":"commerce","shard":"-80","gtid":"MySQL56/…"}].',
    ],
    ["empty", { vgtid: "[]" }, "vgtid is a list without a shard."],
    [
      "no gtid",
      { vgtid: '[{"keyspace":"a","shard":"0"}]' },
      'vgtid holds {"keyspace":"a","shard":"0"}, which has no keyspace, shard and gtid.',
    ],
    [
      "rubbish",
      { vgtid: vgtid({ gtid: "MySQL56/rubbish" }) },
      'vgtid cannot be read for commerce/-80: "rubbish" does not begin with a server UUID.',
    ],
    [
      "another flavour",
      { vgtid: vgtid({ gtid: "FilePos/vt-0000000101-bin.000001:4" }) },
      "vgtid holds a GTID of the flavour FilePos for commerce/-80, not MySQL56.",
    ],
    [
      "epochs",
      { vgtid: vgtid({ gtid: to(1) }), transaction_epoch: "[]" },
      'transaction_epoch is "[]", not a JSON map of shards to epochs.',
    ],
  ])("malformed: %s", (_, map, text) => {
    const report = decodeOffsets({ type: "vitess", offsets: [{ partition: {}, offset: map }] });
    expect(report.partitions[0]?.warnings).toEqual([{ slug: "offset-malformed", text }]);
  });
});

describe("which partitions the tasks read", () => {
  const part = (task_key?: string): { partition: JsonObject; offset: JsonObject } => ({
    partition: task_key === undefined ? { server: "shop" } : { server: "shop", task_key },
    offset: { vgtid: vgtid({ gtid: to(1) }) },
  });
  const base = { "connector.class": "io.debezium.connector.vitess.VitessConnector", "topic.prefix": "shop" };
  const perTask = (generation: string) => ({
    ...base,
    "vitess.offset.storage.per.task": "true",
    "vitess.offset.storage.task.key.gen": generation,
  });
  const used = (config: Record<string, string>, ...parts: ReturnType<typeof part>[]) =>
    decodeOffsets({ config, offsets: parts }).partitions.map((p) => p.used);

  test.each<[string, Record<string, string>, (string | undefined)[], boolean[]]>([
    ["one task", base, [undefined, "task0_2_0"], [true, false]],
    ["generation 1", perTask("1"), ["task0_2_0", "task0_4_1", undefined], [false, true, false]],
    ["generation 1 begins from 0", perTask("1"), ["task0_2_0", undefined], [true, false]],
    ["generation 1 begins from one task, which counts as 0", perTask("1"), [undefined], [true]],
    ["generation 2 does not begin from 0", perTask("2"), ["task0_2_0", undefined], [false, false]],
    ["generation 0 begins from one task", perTask("0"), [undefined], [true]],
    ["generation 0 has begun", perTask("0"), [undefined, "task0_2_0"], [false, true]],
  ])("%s", (_, config, keys, expected) => {
    expect(used(config, ...keys.map(part))).toEqual(expected);
  });

  test("another topic.prefix stays left over", () => {
    const foreign = { ...part("task0_2_1"), partition: { server: "old", task_key: "task0_2_1" } };
    expect(used(perTask("1"), foreign, part("task0_2_0"))).toEqual([false, true]);
  });
});

describe("order", () => {
  const two = (a: number, b: number) => [{ gtid: to(a) }, { shard: "80-", gtid: to(b) }];

  test.each<[string, VitessPosition, VitessPosition, Order["order"]]>([
    ["one shard, fewer transactions", offset({ gtid: to(5) }), offset({ gtid: to(7) }), "before"],
    ["all shards are behind or the same", offset(...two(5, 5)), offset(...two(5, 7)), "before"],
    ["the same", offset(...two(5, 5)), offset(...two(5, 5)), "equal"],
    ["one shard ahead, one behind", offset(...two(5, 7)), offset(...two(7, 5)), "unordered"],
    ["histories have parted", offset({ gtid: `MySQL56/${other}:1` }), offset({ gtid: to(7) }), "unordered"],
    ["resharded", offset({ shard: "0", gtid: to(5) }), offset(...two(5, 7)), "unordered"],
    ["copy not begun", offset({ gtid: "" }), offset({ gtid: to(7) }), "before"],
    ["copy not begun, and begun", offset({ gtid: "" }), offset({ gtid: to(7), tables: ["a"] }), "before"],
    ["copy begun, and done", offset({ gtid: to(7), tables: ["a"] }), offset({ gtid: to(7) }), "before"],
    [
      "a copy that began after what was streamed",
      offset({ gtid: to(9), tables: ["a"] }),
      offset({ gtid: to(7) }),
      "unordered",
    ],
    [
      "two places of a copy",
      offset({ gtid: to(7), tables: ["a"] }),
      offset({ gtid: to(7), tables: ["b"] }),
      "unordered",
    ],
    ["current", offset({ gtid: "current" }), offset({ gtid: to(5) }), "unordered"],
    ["event: its transaction was sent", offset(...two(5, 5)), event("-80", ...two(4, 3)), "after"],
    ["event: of the last transaction sent", offset(...two(5, 5)), event("-80", ...two(5, 3)), "equal"],
    ["event: its transaction is sent again", offset(...two(5, 5)), event("-80", ...two(6, 5)), "before"],
    ["event: only its own shard counts", offset(...two(5, 5)), event("80-", ...two(9, 4)), "after"],
    [
      "event: with a VGTID of its shard alone",
      offset(...two(5, 5)),
      event("80-", { shard: "80-", gtid: to(6) }),
      "before",
    ],
    [
      "event: of a shard that the offset lacks",
      offset({ gtid: to(5) }),
      event("0", { shard: "0", gtid: to(1) }),
      "unordered",
    ],
    ["event: 1.x blocks name no shard", offset(...two(5, 5)), event(null, ...two(5, 6)), "before"],
    [
      "event: during a copy",
      offset({ gtid: to(5), tables: ["a"] }),
      event("-80", { gtid: to(1) }),
      "unordered",
    ],
    ["events of one shard", event("-80", ...two(5, 9)), event("-80", ...two(6, 1)), "before"],
    ["events of two shards, one stream", event("-80", ...two(5, 4)), event("80-", ...two(5, 5)), "before"],
    [
      "events of two shards, each by itself",
      event("-80", { gtid: to(5) }),
      event("80-", { shard: "80-", gtid: to(5) }),
      "unordered",
    ],
  ])("%s", (_, a, b, expected) => {
    expect(vitess.order(a, b).order).toBe(expected);
    expect(vitess.order(b, a).order).toBe(opposite[expected]);
  });

  test("why is said, with the shards", () => {
    expect(vitess.order(offset({ shard: "0", gtid: to(5) }), offset(...two(5, 7)))).toEqual({
      order: "unordered",
      why: "They do not hold the same shards (commerce/0, commerce/-80, commerce/80-): the keyspace was resharded, or they come from different tasks.",
    });
    expect(vitess.order(offset(...two(5, 7)), offset(...two(7, 5)))).toMatchObject({
      why: "One is ahead in shard commerce/80-, the other in shard commerce/-80.",
    });
  });

  test("of one stream it is total: positions that only grow are in the order in which they grew", () => {
    const steps = fc.array(fc.record({ shard: fc.nat({ max: 2 }), by: fc.nat({ max: 3 }) }), {
      maxLength: 12,
    });
    fc.assert(
      fc.property(steps, fc.nat({ max: 11 }), fc.nat({ max: 11 }), (grown, i, j) => {
        const done = [1, 1, 1];
        const stream = grown.map(({ shard, by }) => {
          done[shard] = (done[shard] ?? 0) + by;
          return done.map((n, k) => ({ shard: `${k}`, gtid: to(n) }));
        });
        const [a, b] = [stream[i % stream.length], stream[j % stream.length]];
        if (!a || !b) return;
        const same = JSON.stringify(a) === JSON.stringify(b);
        const expected = same ? "equal" : i % stream.length < j % stream.length ? "before" : "after";
        expect(vitess.order(offset(...a), offset(...b)).order).toBe(expected);
        const sum = (shards: Shard[]) =>
          shards.reduce((n, { gtid }) => n + BigInt(gtid.split("-").at(-1) ?? 0), 0n);
        expect(vitess.distance(offset(...a), offset(...b))).toEqual({
          amount: sum(b) - sum(a),
          unit: "transactions",
        });
      }),
      { numRuns: 300 },
    );
  });

  test("of any offsets it goes as far as their shards do", () => {
    const shard = fc.record({
      shard: fc.constantFrom("-80", "80-"),
      gtid: fc.oneof(
        fc.nat({ max: 4 }).map((last) => to(last + 1)),
        fc.constantFrom("", "current", `MySQL56/${other}:1-3`),
      ),
      tables: fc.subarray(["a", "b"]),
    });
    const any = fc.uniqueArray(shard, { selector: (s) => s.shard, minLength: 1 });
    expectPartialOrder(
      vitess,
      any.map((shards) => offset(...shards)),
    );
    fc.assert(
      fc.property(any, any, (a, b) => {
        const [x, y] = [offset(...a), event(null, ...b)];
        expect(vitess.order(y, x).order).toBe(opposite[vitess.order(x, y).order]);
      }),
    );
  });
});

describe("distance", () => {
  test.each<[string, VitessPosition, VitessPosition, JsonObject]>([
    [
      "over all shards",
      offset({ gtid: to(5) }, { shard: "80-", gtid: to(1) }),
      offset({ gtid: to(7) }, { shard: "80-", gtid: to(4) }),
      { amount: 5n, unit: "transactions" },
    ],
    ["back", offset({ gtid: to(7) }), offset({ gtid: to(5) }), { amount: -2n, unit: "transactions" }],
    [
      "a copy",
      offset({ gtid: "" }),
      offset({ gtid: to(5) }),
      { amount: null, why: "How much is left of the copy of shard commerce/-80 is not in the offset." },
    ],
    [
      "parted",
      offset({ gtid: `MySQL56/${other}:1` }),
      offset({ gtid: to(5) }),
      { amount: null, why: "Each has transactions of shard commerce/-80 that the other lacks." },
    ],
  ])("%s", (_, a, b, expected) => {
    expect(vitess.distance(a, b)).toEqual(expected);
  });
});

describe("identity", () => {
  const identity = (shards: Shard[], shard: string | null, transaction?: JsonValue, op = "u") =>
    vitess.identity({
      topic: "shop.commerce.orders",
      key: '{"id":1}',
      op,
      source: { keyspace: "commerce", vgtid: vgtid(...shards), ...(shard === null ? {} : { shard }) },
      ...(transaction === undefined ? {} : { transaction }),
    });
  const at = (n: number) => [{ gtid: to(5) }, { shard: "80-", gtid: to(n) }];

  test("it is the transaction on the event's own shard: other shards stand differently in another run", () => {
    expect(identity(at(3), "-80").id).toBe(identity(at(9), "-80").id);
    expect(identity(at(3), "80-").id).not.toBe(identity(at(9), "80-").id);
    expect(identity(at(3), null)).toMatchObject({
      caveat: expect.stringContaining("does not tell its shard"),
    });
  });

  test("a flattened event without its keyspace is known by its shard", () => {
    const source = { vgtid: vgtid(...at(3)), shard: "80-" };
    expect(vitess.decodeSource(source).position?.shard).toBe("commerce/80-");
  });

  test("the number in the transaction tells changes of one row apart, where there is one", () => {
    const first = identity(at(3), "-80", { id: "x", total_order: 1, data_collection_order: 1 });
    const second = identity(at(3), "-80", { id: "x", total_order: 2, data_collection_order: 2 });
    expect(first.id).not.toBe(second.id);
    expect(first).toMatchObject({ caveat: null });
    expect(identity(at(3), "-80")).toMatchObject({
      caveat: expect.stringContaining("provide.transaction.metadata"),
    });
  });

  test("a re-read and a block without vgtid have none", () => {
    expect(identity(at(3), "-80", undefined, "r").id).toBeNull();
    expect(vitess.identity({ topic: "t", key: "1", op: "c", source: {} }).id).toBeNull();
    expect(vitess.decodeSource({}).problems[0]?.text).toBe("vgtid is missing.");
    expect(vitess.decodeSource({ vgtid: 5 }).problems[0]?.text).toBe("vgtid is 5, not a text.");
  });
});

test("a VGTID written again is the same, and any text gives one or a sentence", () => {
  const shards = fc.uniqueArray(
    fc.record({ shard: fc.string({ minLength: 1 }), last: fc.integer({ min: 1 }) }),
    {
      selector: (s) => s.shard,
      minLength: 1,
    },
  );
  fc.assert(
    fc.property(shards, (list) => {
      const first = offset(...list.map(({ shard, last }) => ({ shard, gtid: to(last) })));
      const again = [...first.vgtid.values()].map(({ shard, gtids }) => ({
        shard,
        gtid: `MySQL56/${mySqlGtids.print(gtids ?? new Map())}`,
      }));
      expect(offset(...again)).toEqual(first);
    }),
  );
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
      const { vgtid: read, problem } = parseVgtid(text);
      expect(read === undefined).toBe(problem !== undefined);
    }),
  );
});
