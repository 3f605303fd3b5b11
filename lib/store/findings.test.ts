import { readdirSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ConnectorReport } from "@/lib/observed/connector";
import type { Observation } from "@/lib/observed/observation";
import { aboutDatabase } from "./about";
import { readClusters } from "./clusters";
import { readConnectors, saveConnectorParts, saveReports } from "./connectors";
import { DatabaseUnavailable, openDatabase } from "./database";
import { applyJudgements, applyVerdicts, readFindings } from "./findings";
import { readBeats, readLoops, saveBeat, saveLoop } from "./loops";
import { at, connectorReport, reportOf, seen, verdict } from "./sample-facts";
import { queryOn, startTestServer, type TestServer } from "./test-server";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
}, 60_000);
afterAll(() => server.stop(), 60_000);

describe("findings", () => {
  test("open, are confirmed, cannot be confirmed, and close", async () => {
    const { db } = await server.create();
    await saveReports(db, "eu", [reportOf("orders")]);
    const judge = (second: number, ...verdicts: ReturnType<typeof verdict>[]) =>
      applyVerdicts(db, "eu", "orders", verdicts, at(second));
    const open = () => readFindings(db, { cluster: "eu", connector: "orders", state: "open" });

    await judge(1, verdict("history-retention", "critical"), verdict("fine", "ok"));
    const [first] = await open();
    expect(first).toMatchObject({
      slug: "history-retention",
      openedAt: at(1),
      confirmedAt: at(1),
      closedAt: null,
    });
    await judge(2, verdict("history-retention", "critical", "Now 6 days."));
    expect(await open()).toEqual([
      { ...first, confirmedAt: at(2), verdict: verdict("history-retention", "critical", "Now 6 days.") },
    ]);
    await judge(3, verdict("history-retention", "unknown", "Brokers do not answer."));
    expect(await open()).toMatchObject([
      {
        id: first?.id,
        confirmedAt: at(2),
        unconfirmedWhy: "Brokers do not answer.",
        verdict: { outcome: "critical" },
      },
    ]);
    await judge(4, verdict("history-retention", "warning"));
    expect(await open()).toMatchObject([{ id: first?.id, confirmedAt: at(4), unconfirmedWhy: null }]);
    await judge(5, verdict("history-retention", "ok"));
    expect(await open()).toEqual([]);
    expect(await readFindings(db, { state: "recently-closed" })).toMatchObject([
      { id: first?.id, closedAt: at(5) },
    ]);
    await judge(6, verdict("history-retention", "critical"));
    expect((await open())[0]?.id).not.toBe(first?.id);
  });

  test("two processes that judge alike at the same time open one", async () => {
    const { db, url } = await server.create();
    await saveReports(db, "eu", [reportOf("orders"), reportOf("items")]);
    const others = [db, openDatabase(url), openDatabase(url)];
    const judgements = ["orders", "items"].map((connector) => ({
      connector,
      verdicts: [verdict("a", "warning"), verdict("b", "critical"), verdict("c", "ok")],
    }));
    for (let round = 1; round <= 5; round++) {
      await Promise.all(others.map((one) => applyJudgements(one, "eu", judgements, at(round))));
    }
    expect(await readFindings(db, { state: "open" })).toHaveLength(4);
    expect(await readFindings(db, { state: "recently-closed" })).toEqual([]);
    await expect(
      queryOn(
        url,
        `INSERT INTO finding (cluster, connector, slug, verdict, opened_at, confirmed_at)
         VALUES ('eu', 'orders', 'a', '{}', now(), now())`,
      ),
    ).rejects.toThrow(/finding_open_key/);
    await Promise.all(others.slice(1).map((one) => one.close()));
  });

  test("of the cluster itself are told apart, and what does not fit stays visible", async () => {
    const { db, url } = await server.create();
    await saveReports(db, "eu", [reportOf("orders")]);
    await applyVerdicts(db, "eu", null, [verdict("unreachable", "critical")], at(1));
    await applyVerdicts(db, "eu", "orders", [verdict("a", "info")], at(2));
    expect(await readFindings(db, { cluster: "eu", connector: null, state: "open" })).toMatchObject([
      { connector: null, slug: "unreachable" },
    ]);
    expect((await readClusters(db))[0]).toMatchObject({
      judgedAt: at(1),
      verdicts: [verdict("unreachable", "critical")],
    });
    await queryOn(url, `UPDATE finding SET verdict = '{"of": "the future"}' WHERE slug = 'a'`);
    expect((await readFindings(db, { state: "open" }))[0]).toMatchObject({
      slug: "a",
      verdict: { slug: "a", outcome: "unknown" },
    });
    await applyVerdicts(db, "eu", "never-there", [verdict("a", "info")], at(3));
    expect(await readFindings(db, { state: "open" })).toHaveLength(2);
  });
});

describe("loops, beats and the database itself", () => {
  test("loops and beats come back; what has been silent for long is forgotten", async () => {
    const { db } = await server.create();
    const beat = (pid: number, second: number, kind: "web" | "collect" = "collect") => ({
      ...{ kind, pid, version: "0.1.0", startedAt: at(0), beatAt: at(second) },
    });
    const loop = {
      ...{ process: "collect", cluster: "eu", name: "connectors", startedAt: at(1), endedAt: null },
      ...{ nextAt: null, failure: null, runs: 1, failures: 0 },
    };
    await saveBeat(db, beat(1, 1));
    await saveLoop(db, loop);
    await saveLoop(db, { ...loop, cluster: null, name: "beat" });
    const failure = { kind: "timeout" as const, sentence: "No answer.", remedy: "Wait." };
    const newest = { ...loop, endedAt: at(2), nextAt: at(7), failure, runs: 2, failures: 1 };
    await saveLoop(db, newest);
    expect(await readLoops(db)).toEqual([{ ...loop, cluster: null, name: "beat" }, newest]);
    await saveBeat(db, beat(2, 2, "web"));
    expect(await readBeats(db)).toEqual([beat(2, 2, "web"), beat(1, 1)]);
    await saveBeat(db, beat(2, 602, "web"));
    expect(await readBeats(db)).toEqual([beat(2, 602, "web")]);
    await saveLoop(db, { ...loop, name: "offsets", startedAt: at(3600) });
    await saveBeat(db, beat(2, 24 * 3600 + 60, "web"));
    expect((await readLoops(db)).map((l) => l.name)).toEqual(["offsets"]);
  });

  test("about", async () => {
    const { db } = await server.create();
    const migrations = readdirSync("prisma/migrations").filter((name) => /^\d+_/.test(name));
    expect(await aboutDatabase(db)).toEqual({
      serverVersion: "16.14",
      sizeBytes: expect.any(Number),
      embedded: true,
      migrations: migrations.map((name) => ({ name, appliedAt: expect.any(Date) })),
    });
  });
});

describe("a database that is away", () => {
  test("is said in a sentence without address or password, within the time limit", async () => {
    const { url } = await server.create();
    const nothing = openDatabase("postgresql://u:secret@127.0.0.1:1/x");
    const denied = openDatabase(url.replace(/:[0-9a-f]{48}@/, ":secret@"));
    const missing = openDatabase(`${url}_not`);
    for (const db of [nothing, denied, missing]) {
      const started = Date.now();
      for (const work of [() => readClusters(db), () => saveReports(db, "eu", [reportOf("a")])]) {
        const fault = await work().catch((error: unknown) => error);
        expect(fault).toBeInstanceOf(DatabaseUnavailable);
        expect(String(fault)).not.toMatch(/secret|127\.0\.0\.1/);
      }
      expect(Date.now() - started).toBeLessThan(8_000);
      await db.close();
    }
    await expect(readClusters(nothing)).rejects.toThrow("nothing listens at its address");
    await expect(readClusters(denied)).rejects.toThrow("it refused the user or the password");
    await expect(readClusters(missing)).rejects.toThrow("it has no database of that name");
  });

  test("kill -9 in the middle of writes: nothing acknowledged is lost, and the store heals by itself", async () => {
    const { db } = await server.create();
    await saveReports(db, "eu", [reportOf("orders")]);
    const acknowledged: Date[] = [];
    const faults: unknown[] = [];
    let writing = true;
    const writer = (async () => {
      for (let n = 1; writing; n++) {
        const report: Observation<ConnectorReport> = seen(connectorReport(`orders-${n}`), new Date(n * 1000));
        await saveConnectorParts(db, "eu", `orders-${n}`, { report }).then(
          () => acknowledged.push(new Date(n * 1000)),
          (error: unknown) => faults.push(error),
        );
      }
    })();
    await waitFor(() => acknowledged.length > 20);
    process.kill(server.pid(), "SIGKILL");
    await waitFor(() => faults.length > 0);
    await server.postgres.ensure();
    const before = acknowledged.length;
    await waitFor(() => acknowledged.length > before + 20);
    writing = false;
    await writer;
    expect(faults.filter((fault) => !(fault instanceof DatabaseUnavailable))).toEqual([]);
    const stored = new Set((await readConnectors(db, "eu")).map((c) => c.firstSeenAt.getTime()));
    expect(acknowledged.filter((when) => !stored.has(when.getTime()))).toEqual([]);
  }, 60_000);
});

async function waitFor(condition: () => boolean): Promise<void> {
  for (let waited = 0; !condition(); waited += 20) {
    if (waited > 20_000) throw new Error("It did not happen within 20 s.");
    await new Promise((later) => setTimeout(later, 20));
  }
}
