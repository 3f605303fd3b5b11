import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { JudgedConnector } from "@/lib/checks/judged";
import type { Failure } from "@/lib/observed/observation";
import { dropConnectors, readConnector, saveReports } from "@/lib/store/connectors";
import { type Database, DatabaseUnavailable } from "@/lib/store/database";
import { readMeasuredPartitions } from "@/lib/store/measured-partitions";
import { readReplays } from "@/lib/store/replays";
import { saveRestart } from "@/lib/store/restarts";
import { queryOn, startTestServer, type TestServer } from "@/lib/store/test-server";
import type { ClusterWatch } from "./cluster-watch";
import { ClusterDuplicates } from "./duplicates/cluster-duplicates";
import { lookAtDuplicates } from "./duplicates-loop";
import { CLUSTER, connector, events, seen } from "./replay-window/testing/known-connector";
import { runIdAt } from "./replay-window/testing/made-up-events";
import { WrittenTopics } from "./replay-window/testing/written-topics";

const TOPIC = "shop.public.a";
const forbidden: Failure = {
  kind: "forbidden",
  sentence: "the brokers do not let Tidemark describe topic shop.public.a",
  remedy: "grant Describe on it",
};

describe("the loop over duplicates", () => {
  let server: TestServer;
  let url: string;
  let db: Database;
  let brokers: WrittenTopics;
  let watch: ClusterWatch;
  let duplicates: ClusterDuplicates;
  /** A minute ago. */
  let now: number;

  beforeAll(async () => {
    server = await startTestServer();
    ({ url, db } = await server.create());
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    now = Date.now() - 60_000;
    await queryOn(url, "TRUNCATE cluster, replay, restart CASCADE");
    brokers = new WrittenTopics();
    watch = watchOf();
    duplicates = opened();
    for (const prefix of ["shop", "crm"]) {
      brokers.topic(`${prefix}.public.a`, 2);
      brokers.topic(`__debezium-heartbeat.${prefix}`);
      await add(connector(`${prefix}-cdc`, prefix, [`${prefix}.public.a`, `__debezium-heartbeat.${prefix}`]));
    }
  });

  function watchOf(): ClusterWatch {
    const unasked = async () => ({ failure: { kind: "internal", sentence: "", remedy: null } as Failure });
    return {
      probe: {
        readRoot: unasked,
        listConnectors: unasked,
        readTopics: unasked,
        readOffsets: unasked,
        brokers: brokers.probe,
        close: async () => undefined,
      },
      brokers: [],
      offsetTopic: null,
      cluster: { name: CLUSTER, connect: null, kafka: null, failingSince: null, hasBrokers: true },
      connectors: new Map(),
      followed: new Set(),
      deletedOldAt: 0,
    };
  }
  const opened = (bytesPerLook = 64 * 1024 * 1024) =>
    new ClusterDuplicates({
      cluster: CLUSTER,
      registry: null,
      bytesPerLook,
      signal: new AbortController().signal,
    });
  async function add(known: JudgedConnector) {
    watch.connectors.set(known.connector, known);
    await saveReports(db, CLUSTER, [known]);
  }
  const look = () => lookAtDuplicates(watch, duplicates, db);
  const part = async (name = "shop-cdc") => (await readConnector(db, CLUSTER, name))?.duplicates ?? null;
  const ofTopic = async () => (await part())?.value?.topics.find(({ topic }) => topic === TOPIC);
  const ever = { from: new Date(0), to: new Date(Date.now() + 3_600_000) };
  const replays = () => readReplays(db, { cluster: CLUSTER }, ever);

  /** Changes `first` to before `last` of the source, written by the n-th run. */
  function write(
    first: number,
    last: number,
    run: number,
    { partition = 0, prefix = "shop", at = now } = {},
  ) {
    const made = events(prefix, 1_000 + first * 10, last - first, at + first);
    const runId = runIdAt(now - 1_000 + run * 100, run);
    for (let i = 0; i < made.length; i += 10)
      brokers.write(
        `${prefix}.public.a`,
        partition,
        made.slice(i, i + 10).map((one) => ({ ...one, run: runId })),
      );
  }

  test("finds what came again in what is retained, stores it, and shows it with its base", async () => {
    write(0, 100, 1);
    write(60, 150, 2);
    write(140, 160, 3);
    expect(await look()).toBeNull();
    expect(await replays()).toMatchObject([
      { id: `${TOPIC}/0/190`, count: 10, firstCopyOf: 180, connector: "shop-cdc" },
      { id: `${TOPIC}/0/100`, count: 40, lastOffset: 139, firstCopyOf: 60, cause: "unknown" },
    ]);
    expect(await ofTopic()).toMatchObject({
      records: 210,
      behind: 0,
      duplicates: 50,
      replays: 2,
      day: { records: 210, duplicates: 50, replays: 2 },
      sure: "whole",
      notMeasurable: [],
    });
    expect((await part())?.value?.replays).toHaveLength(2);
    expect((await part())?.value?.topics.map(({ topic }) => topic)).toEqual([TOPIC]);
    expect(watch.connectors.get("shop-cdc")?.duplicates?.value?.topics).toHaveLength(1);
    expect((await part("crm-cdc"))?.value?.topics).toMatchObject([{ records: 0, duplicates: 0, behind: 0 }]);
  });

  test("a topic that has not grown is not read again", async () => {
    write(0, 100, 1);
    await look();
    const { length } = brokers.log.reads;
    const before = await part();
    await look();
    expect(brokers.log.reads).toHaveLength(length);
    expect((await part())?.trueAt).not.toEqual(before?.trueAt);
    expect((await part())?.value).toEqual(before?.value);
  });

  test("a replay that goes on from look to look is one, wherever a look ends in it", async () => {
    write(0, 100, 1);
    await look();
    write(50, 53, 2);
    await look();
    expect(await replays()).toMatchObject([{ id: `${TOPIC}/0/100`, count: 3 }]);
    write(53, 80, 2);
    await look();
    write(80, 120, 2);
    await look();
    await look();
    write(120, 200, 2);
    await look();
    expect(await replays()).toMatchObject([
      { id: `${TOPIC}/0/100`, count: 50, lastOffset: 149, firstCopyOf: 50 },
    ]);
    expect(await ofTopic()).toMatchObject({ records: 250, duplicates: 50, replays: 1 });
  });

  test("a collector that is started again goes on where the last one stopped, also in the middle of a replay", async () => {
    write(0, 100, 1);
    write(50, 60, 2);
    await look();
    duplicates = opened();
    const { length } = brokers.log.reads;
    await look();
    expect(brokers.log.reads).toHaveLength(length);
    write(60, 130, 2);
    await look();
    expect(await replays()).toMatchObject([{ id: `${TOPIC}/0/100`, count: 50 }]);
  });

  test("a cause that was seen stays when another collector, which saw nothing, finds the same again", async () => {
    write(0, 100, 1);
    await look();
    const connect = { ...seen({ version: "4", commit: null, kafkaClusterId: null, connectors: [] }) };
    watch.cluster.connect = { ...connect, failure: null };
    duplicates.seen.take(watch, new Date(now - 5_000));
    watch.cluster.connect = { ...connect, failure: { ...forbidden, kind: "unreachable" } };
    duplicates.seen.take(watch, new Date(now - 2_000));
    watch.cluster.connect = connect;
    duplicates.seen.take(watch, new Date(now + 3_000));
    write(50, 60, 2);
    await look();
    expect(await replays()).toMatchObject([
      { cause: "crash", causeWhy: expect.stringMatching(/did not answer/) },
    ]);
    duplicates = opened();
    write(60, 130, 2);
    await look();
    expect(await replays()).toMatchObject([{ cause: "crash", count: 50 }]);
  });

  test("the restart that is measured afterwards, and what the page said before it, come to the replay", async () => {
    write(0, 100, 1);
    write(50, 130, 2);
    await look();
    const runAfter = runIdAt(now - 800, 2);
    expect(await replays()).toMatchObject([{ restart: null, runAfter }]);
    await saveRestart(db, {
      id: runAfter,
      cluster: CLUSTER,
      connector: "shop-cdc",
      at: new Date(now - 800).toISOString(),
      noticedAt: new Date(now).toISOString(),
      runBefore: null,
      runAfter,
      shown: { events: 47, at: new Date(now - 5_000).toISOString(), by: "position" },
      recomputed: 50,
      replayed: 50,
      state: "measured",
      why: null,
      partitions: [],
    });
    await look();
    expect(await replays()).toMatchObject([{ restart: runAfter, predicted: 47, count: 50 }]);
  });

  test("a small budget: no partition waits for ever, and all is found in the end", async () => {
    for (const prefix of ["shop", "crm"])
      for (const partition of [0, 1]) {
        write(0, 2_000, 1, { prefix, partition });
        write(1_900, 2_500, 2, { prefix, partition });
      }
    duplicates = opened(300_000);
    const served: number[] = [];
    for (let i = 0; i < 12; i++) {
      await look();
      served.push((await readMeasuredPartitions(db, CLUSTER)).length);
    }
    expect(served[0]).toBeLessThan(4);
    expect(await replays()).toMatchObject(Array(4).fill({ count: 100, bound: "exact" }));
    expect((await ofTopic())?.behind).toBe(0);
  });

  test("a topic that may not be read says so, and harms no other", async () => {
    brokers.failing.set(TOPIC, forbidden);
    write(0, 20, 1, { prefix: "crm" });
    write(10, 30, 2, { prefix: "crm" });
    expect(await look()).toBeNull();
    expect(await ofTopic()).toMatchObject({
      records: null,
      sure: null,
      notMeasurable: [{ slug: "forbidden", count: null, remedy: "grant Describe on it" }],
    });
    expect((await part("crm-cdc"))?.value?.topics).toMatchObject([{ duplicates: 10 }]);
    brokers.failing.delete(TOPIC);
    write(0, 10, 1);
    await look();
    expect(await ofTopic()).toMatchObject({ records: 10, notMeasurable: [] });
  });

  test("a read that fails in the middle keeps what was known, and heals", async () => {
    write(0, 100, 1);
    await look();
    brokers.log.of(TOPIC).fails = {
      at: 0,
      failure: { kind: "timeout", sentence: "no answer", remedy: null },
    };
    write(50, 130, 2);
    await look();
    expect(await ofTopic()).toMatchObject({ records: 100, behind: 80, notMeasurable: [{ slug: "timeout" }] });
    delete brokers.log.of(TOPIC).fails;
    await look();
    expect(await ofTopic()).toMatchObject({ records: 180, duplicates: 50, behind: 0, notMeasurable: [] });
  });

  test("while the brokers are away the figures stand, and the look says why they are not newer", async () => {
    write(0, 100, 1);
    write(50, 130, 2);
    await look();
    const before = await part();
    brokers.down = { kind: "unreachable", sentence: "no broker answers", remedy: null };
    expect(await look()).toMatchObject({ kind: "unreachable" });
    expect(await part()).toMatchObject({ value: before?.value, failure: { kind: "unreachable" } });
    brokers.down = null;
    expect(await look()).toBeNull();
    expect((await part())?.failure).toBeNull();
  });

  test("a topic that is deleted and made again is measured anew: nothing of the old one is left", async () => {
    write(0, 100, 1);
    write(50, 130, 2);
    await look();
    brokers.log.forget(TOPIC);
    brokers.topic(TOPIC, 3);
    write(0, 30, 3);
    write(20, 40, 4);
    write(0, 10, 4, { partition: 2 });
    await look();
    expect(await replays()).toMatchObject([{ id: `${TOPIC}/0/30`, count: 10 }]);
    expect(await ofTopic()).toMatchObject({ records: 60, duplicates: 10, replays: 1 });
  });

  test("partitions that are added are measured from their start", async () => {
    write(0, 100, 1);
    await look();
    brokers.grow(TOPIC, 3);
    write(0, 30, 2, { partition: 2 });
    write(20, 40, 3, { partition: 2 });
    await look();
    expect(await replays()).toMatchObject([{ id: `${TOPIC}/2/30`, count: 10 }]);
    expect(await ofTopic()).toMatchObject({ records: 150 });
  });

  test("records that retention took first are said to be gone; what comes after is measured", async () => {
    write(0, 100, 1);
    await look();
    write(100, 200, 1);
    write(150, 250, 2);
    brokers.deleteBefore(TOPIC, 0, 160);
    brokers.log.of(TOPIC).first = 160;
    await look();
    expect(await ofTopic()).toMatchObject({ behind: 0, notMeasurable: [{ slug: "deleted", count: 60 }] });
    expect(await replays()).toMatchObject([{ firstOffset: 200, count: 50 }]);
  });

  test("a connector that is gone is forgotten, its replays are not", async () => {
    write(0, 100, 1);
    write(50, 130, 2);
    await look();
    watch.connectors.delete("shop-cdc");
    await dropConnectors(db, CLUSTER, ["shop-cdc"]);
    await look();
    expect(await readMeasuredPartitions(db, CLUSTER, "shop-cdc")).toEqual([]);
    expect(await replays()).toHaveLength(1);
    await add(connector("shop-cdc", "shop", [TOPIC]));
    await look();
    expect(await ofTopic()).toMatchObject({ records: 180, duplicates: 50, replays: 1 });
  });

  test("while the database is away nothing is lost, nothing read twice and nothing counted twice", async () => {
    write(0, 100, 1);
    await look();
    const away = new DatabaseUnavailable("Tidemark's database does not answer.");
    const failing: Database = {
      ...db,
      run: (work) => db.run(work),
      transaction: () => Promise.reject(away),
    };
    write(50, 130, 2);
    await expect(lookAtDuplicates(watch, duplicates, failing)).rejects.toThrow(away);
    const { length } = brokers.log.reads;
    await expect(lookAtDuplicates(watch, duplicates, failing)).rejects.toThrow(away);
    expect(brokers.log.reads).toHaveLength(length);
    expect(await replays()).toEqual([]);
    await look();
    expect(brokers.log.reads).toHaveLength(length);
    expect(await replays()).toMatchObject([{ count: 50 }]);
    expect(await ofTopic()).toMatchObject({ records: 180, duplicates: 50 });
  });

  test("a process that ends between a measurement and its storing leaves neither half of it", async () => {
    write(0, 100, 1);
    write(50, 130, 2);
    const dying: Database = {
      ...db,
      transaction: (work) =>
        db.transaction(async (statements) => {
          await work(statements);
          throw new Error("killed");
        }),
    };
    await expect(lookAtDuplicates(watch, duplicates, dying)).rejects.toThrow("killed");
    expect(await readMeasuredPartitions(db, CLUSTER)).toEqual([]);
    expect(await replays()).toEqual([]);
    duplicates = opened();
    await look();
    expect(await replays()).toHaveLength(1);
  });

  test("a topic that two connectors write: each finds its own", async () => {
    await add(connector("crm-cdc", "crm", ["crm.public.a", TOPIC]));
    write(0, 100, 1);
    const made = events("crm", 1_000, 40, now + 200).map((one) => ({ ...one, run: runIdAt(now - 500, 9) }));
    brokers.write(TOPIC, 0, made);
    write(90, 120, 2);
    brokers.write(
      TOPIC,
      0,
      made.slice(30).map((one) => ({ ...one, run: runIdAt(now - 400, 10) })),
    );
    await look();
    expect(await replays()).toMatchObject([
      { connector: "crm-cdc", firstOffset: 170, count: 10 },
      { connector: "shop-cdc", firstOffset: 140, count: 10 },
    ]);
  });
});
