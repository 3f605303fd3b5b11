import { beforeEach, describe, expect, test } from "vitest";
import type { WindowPoint } from "@/lib/observed/window-series";
import { refineBursts } from "./burst";
import { connector, events, T } from "./testing/known-connector";
import { measure } from "./testing/measure";
import { WrittenTopics } from "./testing/written-topics";
import { newMemory, type WindowMemory } from "./window-memory";

const POLL_MS = 5_000;
const TOPIC = "shop.public.a";

describe("bursts between two polls", () => {
  let brokers: WrittenTopics;
  let memory: WindowMemory;
  let times: number[];

  beforeEach(() => {
    brokers = new WrittenTopics();
    brokers.topic(TOPIC);
    memory = newMemory(null, null);
    times = [];
  });

  function write(count: number, at: number, apartMs: number): void {
    for (let i = 0; i < count; i++) {
      times.push(at + i * apartMs);
      brokers.write(TOPIC, 0, events("shop", 10_000 + times.length * 10, 1, at + i * apartMs));
    }
  }

  /** The poll's point: what lay in the topic by then. */
  function poll(at: number): void {
    const point: WindowPoint = {
      at,
      between: false,
      produced: times.filter((t) => t < at).length,
      events: 1,
      low: null,
      high: null,
      by: "time",
      committedAt: T,
    };
    memory.points.push(point);
  }

  const refine = async () =>
    refineBursts(brokers.probe.log, [await measure(brokers, connector("shop-cdc", "shop", [TOPIC]), memory)]);

  test("are found by asking for offsets at times that have passed; each count is the true one", async () => {
    poll(T);
    poll(T + POLL_MS);
    write(300, T + 7_000, 1);
    poll(T + 2 * POLL_MS);
    const found = await refine();
    expect(found.length).toBeGreaterThanOrEqual(3);
    for (const { connector: name, point } of found) {
      expect(name).toBe("shop-cdc");
      expect(point).toMatchObject({ between: true, events: null, by: null });
      expect(point.produced).toBe(times.filter((t) => t < point.at).length);
    }
    // The burst of 0.3 s no longer looks like 5 s of writes.
    const edges = memory.points.filter((p) => p.at > T + POLL_MS).sort((a, b) => a.at - b.at);
    const steepest = edges.flatMap((p, i) => {
      const before = edges[i - 1];
      return before ? [((p.produced ?? 0) - (before.produced ?? 0)) / (p.at - before.at)] : [];
    });
    expect(Math.max(...steepest)).toBeGreaterThan((3 * 300) / POLL_MS);
  });

  test("cost nothing where nothing was written", async () => {
    poll(T);
    poll(T + POLL_MS);
    poll(T + 2 * POLL_MS);
    const { offsetsForTime } = brokers.asked;
    const measured = await measure(brokers, connector("shop-cdc", "shop", [TOPIC]), memory);
    const asked = brokers.asked.offsetsForTime;
    expect(await refineBursts(brokers.probe.log, [measured])).toEqual([]);
    expect(brokers.asked.offsetsForTime).toBe(asked);
    expect(asked).toBeGreaterThan(offsetsForTime);
  });

  test("are asked about for several connectors in the same requests", async () => {
    brokers.topic("crm.public.a");
    poll(T);
    poll(T + POLL_MS);
    write(300, T + 7_000, 1);
    poll(T + 2 * POLL_MS);
    const other = newMemory(null, null);
    other.points = memory.points.map((p) => ({ ...p }));
    const measured = [
      await measure(brokers, connector("shop-cdc", "shop", [TOPIC]), memory),
      await measure(brokers, connector("crm-cdc", "crm", ["crm.public.a"]), other),
    ];
    const before = brokers.asked.offsetsForTime;
    await refineBursts(brokers.probe.log, measured);
    expect(brokers.asked.offsetsForTime - before).toBeLessThanOrEqual(18);
  });

  test("stay unknown where the brokers do not answer", async () => {
    poll(T);
    poll(T + POLL_MS);
    write(300, T + 7_000, 1);
    poll(T + 2 * POLL_MS);
    const measured = await measure(brokers, connector("shop-cdc", "shop", [TOPIC]), memory);
    brokers.down = { kind: "unreachable", sentence: "no broker answers", remedy: null };
    expect(await refineBursts(brokers.probe.log, [measured])).toEqual([]);
  });
});
