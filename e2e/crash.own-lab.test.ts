import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openLab } from "@/lab/open-lab";
import { runCollector } from "@/lib/collect/collector";
import { settingsSchema } from "@/lib/config/settings";
import type { Restart, WindowPoint } from "@/lib/observed/window-series";
import { readCommitsBetween } from "@/lib/store/commits";
import type { Database } from "@/lib/store/database";
import { readRestarts } from "@/lib/store/restarts";
import { startTestServer, type TestServer } from "@/lib/store/test-server";
import { readPoints } from "@/lib/store/window-series";
import { eventually } from "./dashboard";
import { isLong, keepFigures } from "./figures";
import { openLosses, tellLosses } from "./losses";

const CLUSTER = "lab";
const CRASHES = isLong ? 10 : 2;
/** Changes a second in each database, by one writer. */
const RATE = 100;
/** The topics of each connector begin with its prefix. */
const CONNECTORS = { "orders-cdc": "shop.public.", "inventory-cdc": "inv.inventory." } as const;
type Connector = keyof typeof CONNECTORS;
const names = Object.keys(CONNECTORS) as Connector[];

/** One crash as one connector met it. */
interface Met {
  connector: Connector;
  crashedAt: number;
  /** By how much the duplicates grew that the lab counts: the truth. */
  duplicates: number;
  restart: Restart;
}

describe(`the window at ${CRASHES} crashes of the worker, against the duplicates that they made`, () => {
  // The tests beside this one would meet its crashes.
  const lab = openLab(mkdtempSync(join(tmpdir(), "lab-crash-")));
  let server: TestServer;
  let db: Database;
  let collecting: Promise<void>;
  const stop = new AbortController();
  const met: Met[] = [];
  const losses = openLosses(lab);
  /** What the lab counted last. */
  let counted: Record<Connector, number>;

  beforeAll(
    async () => {
      await lab.up();
      server = await startTestServer();
      db = (await server.create()).db;
      const settings = settingsSchema.parse({
        clusters: [{ name: CLUSTER, connect: { urls: [lab.connectUrl] }, kafka: { brokers: lab.brokers } }],
        poll: { connectors: 1, offsets: 1, topics: 5, schemaHistory: 30, replayWindow: 1 },
      });
      collecting = runCollector({ settings, db, version: "test", signal: stop.signal, log: () => undefined });
      const writing = new AbortController();
      const written = lab.write({ rate: RATE, signal: writing.signal });
      for (const name of names)
        await eventually(`windows of ${name}`, 60_000, async () =>
          (await points(name, 0)).some(({ events }) => events !== null),
        );
      counted = await duplicates();
      for (let crash = 1; crash <= CRASHES; crash++) met.push(...(await crashOnce()));
      writing.abort();
      await written;
    },
    300_000 + CRASHES * 180_000,
  );
  afterAll(async () => {
    stop.abort();
    await collecting;
    await server?.stop();
    await lab.reset();
  });

  const later = () => new Date(Date.now() + 3_600_000);
  const points = (connector: string, from: number): Promise<WindowPoint[]> =>
    readPoints(db, { cluster: CLUSTER, connector }, { from: new Date(from), to: later() });

  async function duplicates(): Promise<Record<Connector, number>> {
    const truth = await lab.truthOfAll();
    const of = (prefix: string) =>
      truth.filter((t) => t.topic.startsWith(prefix)).reduce((sum, t) => sum + t.duplicates, 0);
    return {
      "orders-cdc": of(CONNECTORS["orders-cdc"]),
      "inventory-cdc": of(CONNECTORS["inventory-cdc"]),
    };
  }

  async function crashOnce(): Promise<Met[]> {
    // Nothing else is done before it: counting duplicates would keep the writer, which is in this process, from writing.
    await sleep(8_000 + Math.random() * 10_000);
    const crashedAt = Date.now();
    await lab.crash("connect");
    await lab.waitRunning(120_000);
    await tellLosses(lab, losses, "crash");
    const before = counted;
    counted = await duplicates();
    const after = counted;
    const met = names.map(async (connector): Promise<Met> => {
      const restart = await measured(connector, crashedAt);
      return { connector, crashedAt, duplicates: after[connector] - before[connector], restart };
    });
    for (const one of await Promise.all(met)) await keep(one);
    return Promise.all(met);
  }

  /** What was produced and committed between the poll that was shown last and the crash. */
  async function since({ connector, crashedAt, restart }: Met) {
    const shownAt = Date.parse(restart.shown?.at ?? "");
    const [at, ...after] = await points(connector, shownAt);
    // The first poll after the crash sees all that was produced before it, and nothing of the next run yet.
    const dead = after.find((point) => point.at > crashedAt && !point.between);
    const range = { from: new Date(shownAt - 1_000), to: new Date(restart.at) };
    const commits = await readCommitsBetween(db, { cluster: CLUSTER, connector }, range);
    return {
      seconds: (crashedAt - shownAt) / 1_000,
      produced: (dead?.produced ?? Number.NaN) - (at?.produced ?? Number.NaN),
      commits: commits.length,
    };
  }

  async function keep(one: Met): Promise<void> {
    const { recomputed, replayed, shown, at, why } = one.restart;
    const { seconds, produced, commits } = await since(one);
    keepFigures("crashes", {
      connector: one.connector,
      "new run at": at,
      "shown before": shown?.events ?? null,
      by: shown?.by ?? null,
      "seconds before the crash": seconds,
      "records since": produced,
      "commits since": commits,
      recomputed,
      replayed,
      duplicates: one.duplicates,
      ...(why === null ? {} : { why }),
    });
  }

  /** The restart that came of a crash, once it is no longer being measured. */
  function measured(connector: Connector, crashedAt: number): Promise<Restart> {
    return eventually(`the crash of ${connector} is measured`, 90_000, async () => {
      const range = { from: new Date(crashedAt), to: later() };
      const restarts = await readRestarts(db, { cluster: CLUSTER, connector }, range);
      return restarts.every(({ state }) => state !== "measuring") && restarts.at(-1);
    });
  }

  test("recomputed and replayed are the duplicates that the lab counts, at each crash of each connector", () => {
    for (const { connector, duplicates, restart } of met) {
      const { recomputed, replayed, state, why } = restart;
      expect.soft({ connector, state, why, recomputed, replayed }).toEqual({
        connector,
        state: "measured",
        why: null,
        recomputed: duplicates,
        replayed: duplicates,
      });
    }
    expect(met).toHaveLength(CRASHES * names.length);
    expect(met.some(({ duplicates }) => duplicates > 0)).toBe(true);
  });

  test("each crash is one restart, and the run after it the one before the next", async () => {
    for (const connector of names) {
      const restarts = met.filter((m) => m.connector === connector).map(({ restart }) => restart);
      const range = { from: new Date(met[0]?.crashedAt ?? 0), to: later() };
      expect(await readRestarts(db, { cluster: CLUSTER, connector }, range)).toEqual(restarts);
      for (const [i, { runBefore }] of restarts.entries())
        if (i > 0) expect(runBefore).toBe(restarts[i - 1]?.runAfter);
    }
  });

  test("the replayed stretches add up, and each holds what it says", () => {
    for (const { restart } of met) {
      expect(restart.partitions.reduce((sum, p) => sum + p.count, 0)).toBe(restart.replayed);
      for (const { firstOffset, lastOffset, count } of restart.partitions)
        expect(lastOffset - firstOffset + 1).toBeGreaterThanOrEqual(count);
    }
  });

  test("what was shown before the crash differs by what came since that poll", async () => {
    for (const one of met) {
      const { shown, recomputed } = one.restart;
      const { seconds, produced, commits } = await since(one);
      expect.soft(seconds).toBeGreaterThanOrEqual(0);
      const difference = (recomputed ?? Number.NaN) - (shown?.events ?? Number.NaN);
      expect.soft(difference).toBeLessThanOrEqual(produced);
      // By time it is an upper bound; a commit since takes from it what it covers.
      if (shown?.by === "position" && commits === 0) expect.soft(difference).toBeGreaterThanOrEqual(0);
    }
  });
});
