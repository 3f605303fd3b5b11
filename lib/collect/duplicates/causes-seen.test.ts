import { beforeEach, describe, expect, test } from "vitest";
import type { JudgedConnector } from "@/lib/checks/judged";
import type { Failure } from "@/lib/observed/observation";
import type { ClusterWatch } from "../cluster-watch";
import { connector, seen } from "../replay-window/testing/known-connector";
import { CausesSeen } from "./causes-seen";

const T = Date.UTC(2026, 10, 30, 12);
const dead: Failure = { kind: "unreachable", sentence: "nothing listens", remedy: null };

describe("what is remembered for causes", () => {
  let memory: CausesSeen;
  let now = T;
  let connectors: Map<string, JudgedConnector>;

  beforeEach(() => {
    memory = new CausesSeen();
    now = T;
    connectors = new Map();
    put("shop-cdc", "w1:8083");
  });

  function put(name: string, worker: string, more: { state?: string; config?: Record<string, string> } = {}) {
    const known = connector(name, name, []);
    const value = known.report.value;
    if (!value) throw new Error("a report is needed");
    const { state = "RUNNING", config = {} } = more;
    const task = { id: 0, state, workerId: worker, version: null, trace: null };
    const report = { ...value, tasks: [task], config: { ...value.config, ...config } };
    connectors.set(name, { ...known, report: seen(report) });
  }
  function look(failure: Failure | null = null) {
    now += 5_000;
    const connect = { ...seen({}), failure };
    memory.take({ cluster: { connect }, connectors } as unknown as ClusterWatch, new Date(now));
  }
  const facts = () => memory.around("shop-cdc", now, null);

  test("a state, a worker and a configuration that changed, each between two looks", () => {
    look();
    look();
    put("shop-cdc", "w2:8083");
    look();
    put("shop-cdc", "w2:8083", { state: "FAILED" });
    look();
    put("shop-cdc", "w2:8083", { state: "FAILED", config: { "poll.interval.ms": "5" } });
    look();
    expect(facts()).toMatchObject({
      watchedSince: T + 5_000,
      reportedAt: T + 25_000,
      states: [
        {
          task: 0,
          notBefore: T + 10_000,
          at: T + 15_000,
          was: { workerId: "w1:8083" },
          is: { workerId: "w2:8083" },
        },
        {
          task: 0,
          notBefore: T + 15_000,
          at: T + 20_000,
          was: { state: "RUNNING" },
          is: { state: "FAILED" },
        },
      ],
      configs: [{ notBefore: T + 20_000, at: T + 25_000 }],
    });
    expect(facts().workers.get("w1:8083")).toEqual([{ from: T + 5_000, to: T + 10_000 }]);
  });

  test("Connect that was away, from the first look that failed to the first that did not; it was watched all the while", () => {
    look();
    for (let i = 0; i < 40; i++) look(dead);
    expect(facts().connectAway).toEqual([{ notBefore: T + 5_000, from: T + 10_000, to: null }]);
    look();
    expect(facts().connectAway).toEqual([{ notBefore: T + 5_000, from: T + 10_000, to: now }]);
    expect(facts().watchedSince).toBe(T + 5_000);
  });

  test("a gap in the watch begins it anew: what changed in it was not seen", () => {
    look();
    now += 3_600_000;
    put("shop-cdc", "w2:8083");
    look();
    expect(facts()).toMatchObject({ watchedSince: now, states: [] });
  });

  test("a refused login says nothing of whether Connect runs", () => {
    look();
    look({ ...dead, kind: "unauthorised" });
    look({ ...dead, kind: "rebalancing" });
    expect(facts().connectAway).toEqual([]);
    expect(facts().rebalances).toHaveLength(1);
  });

  test("connectors that began anew on the same worker count, but for those of the same database", () => {
    put("shop-cdc", "w1:8083", { config: { "database.hostname": "db1" } });
    put("shop-too", "w1:8083", { config: { "database.hostname": "db1" } });
    put("crm-cdc", "w1:8083", { config: { "database.hostname": "db2" } });
    put("hr-cdc", "w2:8083", { config: { "database.hostname": "db3" } });
    look();
    for (const name of connectors.keys()) memory.noteStart(name, T + 4_000);
    memory.noteStart("crm-cdc", T - 60_000);
    expect(memory.around("shop-cdc", T + 3_000, null).alongside).toEqual(["crm-cdc"]);
  });

  test("it stays small, however much changes", () => {
    for (let i = 0; i < 2_000; i++) {
      put("shop-cdc", `w${i}:8083`, { config: { n: String(i) } });
      look(i % 3 === 0 ? dead : null);
      memory.noteStart("shop-cdc", i);
    }
    expect(JSON.stringify([facts(), [...facts().workers]]).length).toBeLessThan(60_000);
    connectors.delete("shop-cdc");
    look();
    expect(facts()).toMatchObject({ watchedSince: null, states: [] });
  });
});
