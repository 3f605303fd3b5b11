import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Lab } from "@/lab/lab";
import { openLab } from "@/lab/open-lab";
import { runCollector } from "@/lib/collect/collector";
import { settingsSchema } from "@/lib/config/settings";
import type { Observation } from "@/lib/observed/observation";
import type { ReplayWindow } from "@/lib/observed/replay-window";
import { readConnector } from "@/lib/store/connectors";
import type { Database } from "@/lib/store/database";
import { startTestServer, type TestServer } from "@/lib/store/test-server";
import { eventually } from "./dashboard";
import { isLong, keepFigures } from "./figures";
import { openLosses, tellLosses } from "./losses";

const CLUSTER = "lab";
const CONNECTORS = ["orders-cdc", "inventory-cdc"] as const;
const RATE = 150;
/** `npm run test:long` crashes more often. */
const CRASHES = isLong ? 10 : 2;
/** A busy machine takes minutes for one. Milliseconds. */
const CRASH_MS = 240_000;

describe("with exactly-once on", () => {
  let lab: Lab;
  let server: TestServer;
  let db: Database;
  let collecting: Promise<void> | undefined;
  const stop = new AbortController();

  beforeAll(async () => {
    lab = openLab(mkdtempSync(join(tmpdir(), "tidemark-eos-")));
    server = await startTestServer();
    db = (await server.create()).db;
    await lab.up();
    await lab.configure({ exactlyOnce: true });
    await lab.waitRunning(180_000);
    const settings = settingsSchema.parse({
      clusters: [{ name: CLUSTER, connect: { urls: [lab.connectUrl] }, kafka: { brokers: lab.brokers } }],
      poll: { connectors: 2, offsets: 1, topics: 2, schemaHistory: 30, replayWindow: 1 },
    });
    collecting = runCollector({ settings, db, version: "test", signal: stop.signal, log: () => undefined });
  }, 600_000);
  afterAll(async () => {
    stop.abort();
    await collecting;
    await lab?.reset();
    await server?.stop();
  }, 120_000);

  const windowOf = async (name: string): Promise<Observation<ReplayWindow> | null> =>
    (await readConnector(db, CLUSTER, name))?.window ?? null;

  /** The newest window that was measured after `since`. */
  const freshWindow = (name: string, since: number) =>
    eventually(`a window of ${name}`, 60_000, async () => {
      const window = await windowOf(name);
      return window?.value && !window.failure && Date.parse(window.value.at) > since ? window.value : null;
    });

  test(
    `the window is 0, seen, and ${CRASHES} crashes leave no duplicate`,
    async () => {
      const losses = openLosses(lab);
      for (let crash = 1; crash <= CRASHES; crash++) {
        await whileWriting(async () => {
          await sleep(3_000 + Math.random() * 5_000);
          for (const name of CONNECTORS) expectNothing(await exactlyOnce(name, Date.now()));
          await lab.crash("connect");
          await sleep(2_000);
        });
        await lab.waitRunning(180_000);
        await tellLosses(lab, losses, `crash ${crash} with exactly-once`);
        for (const { topic, records, duplicates, missing } of await lab.truthOfAll()) {
          keepFigures("exactly-once", { crash, topic, records, duplicates, missing });
          expect({ topic, duplicates }).toEqual({ topic, duplicates: 0 });
        }
      }
      for (const name of CONNECTORS) expectNothing(await exactlyOnce(name, Date.now()));
    },
    CRASHES * CRASH_MS,
  );

  async function whileWriting(work: () => Promise<void>): Promise<void> {
    const stopped = new AbortController();
    const written = lab.write({ rate: RATE, signal: stopped.signal });
    await work().finally(async () => {
      stopped.abort();
      await written;
    });
  }

  /** Waits until a poll has seen a batch of data. */
  const exactlyOnce = (name: string, since: number) =>
    eventually(`${name} is exactly-once`, 60_000, async () => {
      const window = await freshWindow(name, since);
      return window.exactlyOnce.seen ? window : null;
    });

  /** Nothing would be sent again; what markers took of the offsets is no event. */
  function expectNothing(window: ReplayWindow): void {
    expect(window).toMatchObject({
      kind: "exactly-once",
      events: 0,
      by: "exactly-once",
      bound: "exact",
      bytes: 0,
      exactlyOnce: { allowed: null, seen: true },
    });
    expect(window.byTime).toMatchObject({ low: null, high: null });
    expect(window.byTime.whyNoLow).toContain("markers");
    expect(window.byPosition).toBeNull();
  }
});
