import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { JudgedConnector } from "@/lib/checks/judged";
import type { Failure } from "@/lib/observed/observation";
import { readConnector, saveReports } from "@/lib/store/connectors";
import type { Database } from "@/lib/store/database";
import { startTestServer, type TestServer } from "@/lib/store/test-server";
import { readRollups } from "@/lib/store/window-rollups";
import { readPoints } from "@/lib/store/window-series";
import type { ClusterProbe } from "./cluster-probe";
import type { ClusterWatch } from "./cluster-watch";
import { ClusterWindows } from "./replay-window/cluster-windows";
import { rollUpFinished } from "./replay-window/roll-ups";
import { CLUSTER, COMMITTED_LSN, connector, events, seen, T } from "./replay-window/testing/known-connector";
import { WrittenTopics } from "./replay-window/testing/written-topics";
import { lookAtReplayWindows } from "./replay-window-loop";
import { openRestartWatch } from "./restarts/watch-restarts";

describe("the loop over replay windows", () => {
  let server: TestServer;
  let db: Database;
  let brokers: WrittenTopics;
  let watch: ClusterWatch;
  let windows: ClusterWindows;

  beforeAll(async () => {
    server = await startTestServer();
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    db = (await server.create()).db;
    brokers = new WrittenTopics();
    watch = watchOf(brokers.probe);
    windows = openWindows();
    for (const prefix of ["shop", "crm"]) {
      const topic = `${prefix}.public.a`;
      brokers.topic(topic);
      brokers.topic(`__debezium-heartbeat.${prefix}`);
      // Covered, then sent and not acknowledged at the flush, then later than it.
      brokers.write(topic, 0, events(prefix, COMMITTED_LSN - 100, 10, T - 5_000));
      brokers.write(topic, 0, events(prefix, COMMITTED_LSN, 3, T - 500));
      brokers.write(topic, 0, events(prefix, COMMITTED_LSN + 30, 20, T + 1_000));
      await add(connector(`${prefix}-cdc`, prefix, [topic, `__debezium-heartbeat.${prefix}`]));
    }
  });

  function watchOf(probe: ClusterProbe["brokers"]): ClusterWatch {
    const unasked = async () => ({
      failure: { kind: "internal", sentence: "not asked", remedy: null } as Failure,
    });
    return {
      probe: {
        readRoot: unasked,
        listConnectors: unasked,
        readTopics: unasked,
        readOffsets: unasked,
        brokers: probe,
        close: async () => undefined,
      },
      brokers: [],
      offsetTopic: null,
      cluster: { name: CLUSTER, connect: null, kafka: null, failingSince: null, hasBrokers: probe !== null },
      connectors: new Map(),
      followed: new Set(),
      deletedOldAt: 0,
    };
  }
  const openWindows = () => {
    const restarts = watch.probe.brokers && openRestartWatch(CLUSTER, watch.probe.brokers.log, db);
    const { signal } = new AbortController();
    return new ClusterWindows({ watches: [watch], restarts, registry: null, signal });
  };
  async function add(known: JudgedConnector) {
    watch.connectors.set(known.connector, known);
    await saveReports(db, CLUSTER, [known]);
  }
  const poll = () => lookAtReplayWindows(watch, windows, db);
  const stored = async (name: string) => (await readConnector(db, CLUSTER, name))?.window ?? null;
  const points = (name: string) =>
    readPoints(
      db,
      { cluster: CLUSTER, connector: name },
      { from: new Date(T), to: new Date(Date.now() + 9_000) },
    );

  test("counts by position inside the bracket by time, and keeps it in the watch, the store and the series", async () => {
    expect(await poll()).toBeNull();
    const window = await stored("shop-cdc");
    expect(window).toMatchObject({ failure: null });
    expect(window?.value).toMatchObject({
      kind: "events",
      events: 23,
      by: "position",
      byTime: { low: { records: 20 }, high: { records: 23 } },
      byPosition: { events: 23, unread: 0 },
      ownTopics: { records: 0 },
      exactlyOnce: { asked: false, seen: false },
    });
    expect(watch.connectors.get("shop-cdc")?.window?.value?.events).toBe(23);
    expect(await points("shop-cdc")).toMatchObject([
      { between: false, produced: 0, events: 23, low: 20, high: 23, by: "position", committedAt: T },
    ]);
  });

  test("what stands still is not read again; what moves is", async () => {
    await poll();
    const { length } = brokers.log.reads;
    await poll();
    expect(brokers.log.reads).toHaveLength(length);
    brokers.write("shop.public.a", 0, events("shop", COMMITTED_LSN + 500, 7, Date.now()));
    await poll();
    // Its run wrote all of the window: what was counted is not read again, only the batch in which it went on.
    expect(new Set(brokers.log.reads.slice(length))).toEqual(new Set(["shop.public.a/0 33"]));
    expect((await stored("shop-cdc"))?.value).toMatchObject({ events: 30, by: "position" });
    expect((await points("shop-cdc")).filter((p) => !p.between).map((p) => p.produced)).toEqual([0, 0, 7]);
    expect((await stored("crm-cdc"))?.value?.grewAt).toBeNull();
  });

  test("a topic that cannot be looked at makes its own connector's window unknown, and no other's", async () => {
    brokers.failing.set("shop.public.a", {
      kind: "forbidden",
      sentence: "no right to describe it",
      remedy: null,
    });
    expect(await poll()).toBeNull();
    const broken = (await stored("shop-cdc"))?.value;
    expect(broken).toMatchObject({ kind: "unknown", events: null });
    expect(broken?.why).toContain("no right to describe it");
    expect((await points("shop-cdc"))[0]).toMatchObject({ produced: null, events: null });
    expect((await stored("crm-cdc"))?.value).toMatchObject({ kind: "events", events: 23 });
  });

  test("brokers that are away keep the last window, with the reason; the series has a poll of unknown", async () => {
    await poll();
    brokers.down = { kind: "unreachable", sentence: "no broker answers", remedy: null };
    expect(await poll()).toMatchObject({ kind: "unreachable" });
    expect(await stored("shop-cdc")).toMatchObject({
      value: { events: 23 },
      failure: { kind: "unreachable" },
    });
    expect((await points("shop-cdc")).map((p) => p.events)).toEqual([23, null]);
    brokers.down = null;
    expect(await poll()).toBeNull();
    expect(await stored("shop-cdc")).toMatchObject({ value: { events: 23 }, failure: null });
  });

  test("without brokers the window is not known, and that is no failure of the loop", async () => {
    const known = [...watch.connectors.values()];
    watch = watchOf(null);
    windows = openWindows();
    for (const one of known) watch.connectors.set(one.connector, one);
    expect(await poll()).toBeNull();
    expect(await stored("shop-cdc")).toMatchObject({ value: null, failure: { kind: "not-configured" } });
  });

  test("a connector whose topics are not known has a reason, no window of 0", async () => {
    await add({ ...connector("new-cdc", "new", []), topics: null });
    expect(await poll()).toBeNull();
    expect(await stored("new-cdc")).toMatchObject({ value: null, failure: { kind: "not-found" } });
  });

  test("transactional batches are exactly-once: nothing is sent again, and markers are not counted", async () => {
    brokers.topic("bank.public.a");
    brokers.write("bank.public.a", 0, events("bank", COMMITTED_LSN - 20, 2, T - 1), { id: 7n });
    brokers.commit("bank.public.a", 0, 7n, T + 1);
    await add(connector("bank-cdc", "bank", ["bank.public.a"]));
    await poll();
    await poll();
    const window = (await stored("bank-cdc"))?.value;
    expect(window).toMatchObject({ kind: "exactly-once", events: 0, by: "exactly-once", bound: "exact" });
    expect(window?.byTime).toMatchObject({ low: null, high: null });
    expect(window?.exactlyOnce.seen).toBe(true);
  });

  test("after a restart of the collector the count of produced records goes on, with what came meanwhile", async () => {
    await poll();
    brokers.write("shop.public.a", 0, events("shop", COMMITTED_LSN + 500, 5, Date.now()));
    await poll();
    brokers.write("shop.public.a", 0, events("shop", COMMITTED_LSN + 900, 4, Date.now()));
    const window = (await stored("shop-cdc"))?.value;
    watch.connectors.set("shop-cdc", {
      ...connector("shop-cdc", "shop", ["shop.public.a"]),
      window: window ? seen(window) : null,
    });
    windows = openWindows();
    await poll();
    expect((await points("shop-cdc")).filter((p) => !p.between).map((p) => p.produced)).toEqual([0, 5, 9]);
  });

  test("finished minutes and hours are rolled up, each once", async () => {
    await poll();
    await poll();
    const of = { cluster: CLUSTER, connector: "shop-cdc" };
    const all = { from: new Date(T - 7_200_000), to: new Date(T + 7_200_000) };
    const minute = Math.floor(Date.now() / 60_000) * 60_000;
    await rollUpFinished(db, CLUSTER, windows.series(watch), minute + 30_000);
    expect(await readRollups(db, of, "minute", all)).toEqual([]);
    await rollUpFinished(db, CLUSTER, windows.series(watch), minute + 7_200_000);
    await rollUpFinished(db, CLUSTER, windows.series(watch), minute + 7_260_000);
    const minutes = await readRollups(db, of, "minute", all);
    expect(minutes.reduce((sum, m) => sum + m.polls, 0)).toBe(2);
    expect(minutes[0]).toMatchObject({ most: 23, least: 23 });
    const hours = await readRollups(db, of, "hour", all);
    expect(hours.reduce((sum, h) => sum + h.known, 0)).toBe(2);
  });

  test("a connector that is gone is forgotten", async () => {
    await poll();
    watch.connectors.delete("crm-cdc");
    expect(await poll()).toBeNull();
    expect(() => windows.memoryOf("crm-cdc")).toThrow("no memory");
  });
});
