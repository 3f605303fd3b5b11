import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { StoredOffsets } from "@/lib/observed/connector";
import { keepOnlyClusters, readClusters, saveCluster } from "./clusters";
import {
  dropConnectors,
  readConnector,
  readConnectors,
  saveConnectorParts,
  saveReports,
  saveWindowParts,
} from "./connectors";
import { applyJudgements, applyVerdicts, readFindings } from "./findings";
import { at, connectorReport, reportOf, seen, verdict } from "./sample-facts";
import { replayWindow } from "./sample-windows";
import { queryOn, startTestServer, type TestServer } from "./test-server";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
}, 60_000);
afterAll(() => server.stop(), 60_000);

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
      commits: null,
      window: null,
      duplicates: null,
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

  test("replay windows of many connectors are one statement; those not known, and the other parts, are left alone", async () => {
    const { db } = await server.create();
    await saveReports(db, "eu", [reportOf("orders"), reportOf("audit")]);
    await saveConnectorParts(db, "eu", "orders", { offsets: seen(offsets) });
    const failure = { kind: "timeout" as const, sentence: "No broker answered in 5 s.", remedy: null };
    await saveWindowParts(
      db,
      "eu",
      new Map([
        ["orders", seen(replayWindow)],
        ["audit", { ...seen(replayWindow), value: null, failure }],
        ["gone", seen(replayWindow)],
      ]),
    );
    await saveWindowParts(db, "eu", new Map());
    const [audit, orders, ...rest] = await readConnectors(db, "eu");
    expect(rest).toEqual([]);
    expect(audit?.window).toEqual({ ...seen(replayWindow), value: null, failure });
    expect(orders).toMatchObject({ window: seen(replayWindow), offsets: seen(offsets) });
    const later = seen({ ...replayWindow, events: 0, kind: "exactly-once" as const }, at(5));
    await saveWindowParts(db, "eu", new Map([["orders", later]]));
    expect((await readConnector(db, "eu", "orders"))?.window).toEqual(later);
    await saveConnectorParts(db, "eu", "orders", { window: null });
    expect((await readConnector(db, "eu", "orders"))?.window).toBeNull();
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
    expect(judged - started).toBeLessThan(10_000);
  });
});
