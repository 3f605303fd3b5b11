import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ConnectorReport, StoredOffsets } from "@/lib/observed/connector";
import type { Observation } from "@/lib/observed/observation";
import { aboutDatabase } from "./about";
import { keepOnlyClusters, readClusters, saveCluster } from "./clusters";
import { dropConnectors, readConnector, readConnectors, saveConnectorParts, saveReports } from "./connectors";
import { DatabaseUnavailable, openDatabase } from "./database";
import { applyJudgements, applyVerdicts, readFindings } from "./findings";
import { readBeats, readLoops, saveBeat, saveLoop } from "./loops";
import { at, connectorReport, reportOf, seen, verdict } from "./sample-facts";
import { queryOn, startTestServer, type TestServer } from "./test-server";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
}, 60_000);
afterAll(() => server.stop());

const clusterNamed = (name: string) => ({
  name,
  connect: null,
  kafka: null,
  failingSince: null,
  hasBrokers: true,
});

describe("clusters", () => {
  test("come back as they were saved, with their observations", async () => {
    const { db } = await server.create();
    const saved = {
      name: "eu-1",
      connect: seen(
        { version: "4.4.0", commit: null, kafkaClusterId: "abc", connectors: ["a", "b"] },
        at(5),
        at(1),
      ),
      kafka: {
        value: null,
        trueAt: null,
        since: null,
        notBefore: null,
        triedAt: at(6),
        failure: { kind: "timeout" as const, sentence: "No broker answered in 5 s.", remedy: null },
      },
      failingSince: at(2),
      hasBrokers: true,
    };
    await saveCluster(db, saved);
    await saveCluster(db, clusterNamed("ap-1"));
    expect(await readClusters(db)).toEqual([
      { ...clusterNamed("ap-1"), judgedAt: null, verdicts: [] },
      { ...saved, judgedAt: null, verdicts: [] },
    ]);
    await saveCluster(db, { ...saved, kafka: null, failingSince: null });
    expect((await readClusters(db))[1]).toMatchObject({
      kafka: null,
      failingSince: null,
      connect: saved.connect,
    });
  });

  test("that left the settings go with their connectors, and their findings are closed", async () => {
    const { db } = await server.create();
    for (const name of ["kept", "gone"]) {
      await saveReports(db, name, [reportOf("orders")]);
      await applyVerdicts(db, name, "orders", [verdict("task-failed", "critical")], at(1));
      await applyVerdicts(db, name, null, [verdict("unreachable", "critical")], at(1));
    }
    await keepOnlyClusters(db, ["kept"], at(9));
    expect((await readClusters(db)).map((c) => c.name)).toEqual(["kept"]);
    expect((await readConnectors(db)).map((c) => c.cluster)).toEqual(["kept"]);
    expect((await readFindings(db, { state: "open" })).map((f) => f.cluster)).toEqual(["kept", "kept"]);
    const closed = await readFindings(db, { state: "recently-closed", cluster: "gone", closedAfter: at(9) });
    expect(closed.map((f) => f.closedAt)).toEqual([at(9), at(9)]);
    expect(await readFindings(db, { state: "recently-closed", closedAfter: at(10) })).toEqual([]);
  });
});

describe("connectors", () => {
  const offsets: StoredOffsets = {
    offsets: [
      {
        partition: '{"server":"tm"}',
        offset: '{"lsn":9223372036854775807,"ts_usec":1764417600000001,"txId":18446744073709551615}',
      },
    ],
  };

  test("64-bit numbers, key order and odd characters come back to the letter", async () => {
    const { db } = await server.create();
    const report = connectorReport("orders", { emoji: "𝛑 \u0000 \ud800 ‮", "10": "ten", "9": "nine" });
    await saveReports(db, "eu", [{ ...reportOf("orders"), report: seen(report) }]);
    await saveConnectorParts(db, "eu", "orders", { offsets: seen(offsets) });
    const back = await readConnector(db, "eu", "orders");
    expect(back?.offsets).toEqual(seen(offsets));
    expect(back?.report).toEqual(seen(report));
    // What was unchanged must look unchanged to a comparison of texts after a restart.
    expect(JSON.stringify(back?.report.value)).toBe(JSON.stringify(report));
  });

  test("loops that write other parts at the same time do not undo each other", async () => {
    const { db } = await server.create();
    await saveReports(db, "eu", [reportOf("orders")]);
    const topics = seen({ from: "reported" as const, why: null, topics: ["tm.a"] });
    for (let round = 1; round <= 10; round++) {
      await Promise.all([
        saveReports(db, "eu", [reportOf("orders", at(round))]),
        saveConnectorParts(db, "eu", "orders", { offsets: seen(offsets, at(round)) }),
        saveConnectorParts(db, "eu", "orders", { topics: { ...topics, triedAt: at(round) }, ends: null }),
        applyVerdicts(db, "eu", "orders", [verdict("silent", "ok")], at(round)),
      ]);
    }
    expect(await readConnector(db, "eu", "orders")).toEqual({
      cluster: "eu",
      ...reportOf("orders", at(10)),
      firstSeenAt: at(0),
      offsets: seen(offsets, at(10)),
      topics: { ...topics, triedAt: at(10) },
      ends: null,
      history: null,
      judgedAt: at(10),
      verdicts: [verdict("silent", "ok")],
    });
  });

  test("a part that is null is removed, one that is not given stays", async () => {
    const { db } = await server.create();
    await saveReports(db, "eu", [reportOf("orders")]);
    await saveConnectorParts(db, "eu", "orders", { offsets: seen(offsets), ends: seen({ topics: [] }) });
    await saveConnectorParts(db, "eu", "orders", { offsets: null, missingSince: at(3) });
    expect(await readConnector(db, "eu", "orders")).toMatchObject({
      offsets: null,
      ends: seen({ topics: [] }),
      missingSince: at(3),
      report: reportOf("orders").report,
    });
  });

  test("parts of a connector that is not known are not kept, and a report makes it known", async () => {
    const { db } = await server.create();
    await saveConnectorParts(db, "eu", "orders", { offsets: seen(offsets) });
    expect(await readConnectors(db)).toEqual([]);
    await saveConnectorParts(db, "eu", "orders", { report: seen(connectorReport("orders"), at(4)) });
    expect(await readConnector(db, "eu", "orders")).toMatchObject({ firstSeenAt: at(4), offsets: null });
    await dropConnectors(db, "eu", ["orders", "never-there"]);
    expect(await readConnector(db, "eu", "orders")).toBeNull();
  });

  test("names are data: quotes, blanks and slashes", async () => {
    const { db } = await server.create();
    const names = [`it's "x"; DROP TABLE connector`, "a/b c", "$1", "ünï"];
    await saveReports(
      db,
      "eu",
      names.map((name) => reportOf(name)),
    );
    expect((await readConnectors(db, "eu")).map((c) => c.connector).sort()).toEqual([...names].sort());
    expect(await readConnectors(db, "other")).toEqual([]);
  });

  test("a stored value that does not fit is unknown, with a reason, and the rest is unharmed", async () => {
    const { db, url } = await server.create();
    await saveReports(db, "eu", [reportOf("broken"), reportOf("fine")]);
    await queryOn(
      url,
      `UPDATE connector_observation SET value = '{"name": 7}', failure = '{"kind": "of the future"}' WHERE connector = 'broken'`,
    );
    await queryOn(url, `UPDATE connector SET times = '[]', verdicts = '[{"slug": 1}]' WHERE name = 'broken'`);
    const [broken, fine] = await readConnectors(db, "eu");
    expect(broken?.report).toMatchObject({ value: null, trueAt: null, failure: { kind: "internal" } });
    expect(broken).toMatchObject({ times: { connector: null, tasks: [] }, verdicts: [] });
    expect(fine?.report).toEqual(reportOf("fine").report);
  });

  test("1,000 connectors: a poll without news writes no value again", async () => {
    const { db, url } = await server.create();
    const filler = Object.fromEntries(
      Array.from({ length: 40 }, (_, i) => [`setting.${i}`, `value ${Math.random()}`]),
    );
    const poll = (second: number) =>
      Array.from({ length: 1_000 }, (_, i) => reportOf(`connector-${i}`, at(second), filler));
    const verdicts = ["a", "b", "c"].map((slug) => verdict(slug, "warning"));
    const judge = (second: number) =>
      applyJudgements(
        db,
        "eu",
        Array.from({ length: 1_000 }, (_, i) => ({ connector: `connector-${i}`, verdicts })),
        at(second),
      );
    await saveReports(db, "eu", poll(1));
    await judge(1);
    const toast = () =>
      queryOn<{ written: string }>(
        url,
        `SELECT sum(pg_stat_get_tuples_inserted(reltoastrelid))::text AS written FROM pg_class
         WHERE relname IN ('connector_observation', 'connector')`,
      );
    const settle = () => new Promise((later) => setTimeout(later, 1_500));
    await settle();
    const before = await toast();
    const started = performance.now();
    await saveReports(db, "eu", poll(6));
    const saved = performance.now();
    await judge(6);
    const judged = performance.now();
    await settle();
    expect(await toast()).toEqual(before);
    expect(Number(before[0]?.written)).toBeGreaterThan(1_000);
    const all = await readConnectors(db, "eu");
    expect(all).toHaveLength(1_000);
    expect(all[7]?.report.trueAt).toEqual(at(6));
    expect(all[7]?.judgedAt).toEqual(at(6));
    console.log(
      `1,000 connectors: reports ${Math.round(saved - started)} ms, verdicts ${Math.round(judged - saved)} ms`,
    );
    expect(judged - started).toBeLessThan(5_000);
  });
});

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
  test("loops and beats come back; silent processes are forgotten with their loops", async () => {
    const { db } = await server.create();
    const beat = (process: string, second: number, kind: "web" | "collect" = "collect") => ({
      ...{ process, kind, pid: 42, version: "0.1.0", startedAt: at(0), beatAt: at(second) },
    });
    const loop = {
      ...{ process: "one", cluster: "eu", name: "connectors", startedAt: at(1), endedAt: null, nextAt: null },
      ...{ failure: null, runs: 1, failures: 0 },
    };
    await saveBeat(db, beat("one", 1));
    await saveLoop(db, loop);
    await saveLoop(db, { ...loop, process: "two", cluster: null, name: "beat" });
    const failure = { kind: "timeout" as const, sentence: "No answer.", remedy: "Wait." };
    await saveLoop(db, { ...loop, endedAt: at(2), nextAt: at(7), failure, runs: 2, failures: 1 });
    expect(await readLoops(db)).toEqual([
      { ...loop, process: "two", cluster: null, name: "beat" },
      { ...loop, endedAt: at(2), nextAt: at(7), failure, runs: 2, failures: 1 },
    ]);
    await saveBeat(db, beat("two", 2, "web"));
    expect(await readBeats(db)).toEqual([beat("two", 2, "web"), beat("one", 1)]);
    await saveBeat(db, beat("two", 602, "web"));
    expect(await readBeats(db)).toEqual([beat("two", 602, "web")]);
    expect((await readLoops(db)).map((l) => l.process)).toEqual(["two"]);
  });

  test("about", async () => {
    const { db } = await server.create();
    expect(await aboutDatabase(db)).toEqual({
      serverVersion: "16.14",
      sizeBytes: expect.any(Number),
      embedded: true,
      migrations: [{ name: "20261129000000_first", appliedAt: expect.any(Date) }],
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
