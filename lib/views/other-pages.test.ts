import { describe, expect, test } from "vitest";
import { judgeConnector } from "@/lib/checks/judge";
import { findingsView, findingsViewSchema } from "./findings";
import { scene } from "./scene";
import { schemaHistoryView, schemaHistoryViewSchema } from "./schema-history";
import { type StatusInput, statusView, statusViewSchema } from "./status";

const now = new Date("2026-11-29T14:36:46.000Z");
const limits = {
  unassignedMs: 300_000,
  silentMs: 3_600_000,
  rebalanceMs: 120_000,
  replay: () => ({ events: 10_000, bytes: 268_435_456, spanMs: 300_000 }),
};

function judged() {
  const all = scene(now);
  const fleet = all.connectors.map((c) => ({ ...c, config: c.report.value?.config ?? null }));
  const connectors = all.connectors.map((c) => ({
    ...c,
    verdicts: judgeConnector({ ...c, fleet }, limits, now),
  }));
  return { ...all, connectors, now };
}

describe("schema histories", () => {
  test("worst first; those that cannot be looked at are unknown, not fine", () => {
    const view = schemaHistoryViewSchema.parse(schemaHistoryView(judged()));
    expect(view.histories.map((h) => [h.connector, h.worst])).toEqual([
      ["inventory-cdc", "critical"],
      ["warehouse-cdc", "unknown"],
      ["erp-cdc", "ok"],
    ]);
    expect(view.counts).toEqual({ attention: 1, fine: 1, unknown: 1 });
    expect(view.without).toEqual({
      count: 5,
      named: expect.arrayContaining([
        { connector: "orders-cdc", path: "/clusters/eu-1/connectors/orders-cdc" },
      ]),
    });
    expect(view.histories[0]?.path).toBe("/clusters/eu-1/connectors/inventory-cdc#schema-history");
  });

  test("an empty list says why", () => {
    const none = { ...judged(), connectors: [] };
    expect(schemaHistoryView(none).whyNone).toMatch(/^No connector is known/);
    expect(schemaHistoryView({ ...none, clusters: [] }).whyNone).toMatch(/^No cluster is known/);
  });
});

describe("status", () => {
  const database = {
    serverVersion: "16.14",
    sizeBytes: 8_000_000,
    embedded: true,
    migrations: [{ name: "1_first" }],
  };
  const input = (): StatusInput => ({ ...judged(), database });

  test("clusters, loops, database and processes", () => {
    const view = statusViewSchema.parse(statusView(input()));
    expect(
      view.clusters.map((c) => [c.name, c.connect.freshness.failure?.kind ?? null, c.kafka === null]),
    ).toEqual([
      ["eu-1", null, false],
      ["us-2", "unreachable", true],
    ]);
    expect(view.loops[0]).toMatchObject({ name: "connectors", tookMs: 84, runs: 2280 });
    expect(view.database).toEqual({
      embedded: true,
      serverVersion: "16.14",
      sizeBytes: 8_000_000,
      migration: "1_first",
      migrations: 1,
    });
    expect(view.processes.every((p) => p.alive)).toBe(true);
  });

  test("a missing permission is told once, with what to grant and for whom", () => {
    const { permissionsMissing } = statusView(input());
    expect(permissionsMissing).toEqual([
      {
        cluster: "eu-1",
        connectors: ["warehouse-cdc"],
        sentence: expect.stringContaining("DESCRIBE_CONFIGS"),
        remedy: "Grant User:tidemark DescribeConfigs on topic inv.wh-history.",
      },
    ]);
  });
});

test("findings: worst first, of equals the newest first, each with a link to itself", () => {
  const finding = (
    slug: string,
    outcome: "critical" | "warning",
    minute: number,
    connector: string | null,
  ) => ({
    id: slug,
    cluster: "eu-1",
    connector,
    slug,
    verdict: { slug, outcome, sentence: "It is so.", short: "so", evidence: [], remedy: [] },
    openedAt: new Date(now.getTime() - minute * 60_000),
    confirmedAt: now,
    unconfirmedWhy: null,
    closedAt: null,
  });
  const findings = [
    finding("connector-paused", "warning", 1, "a/b"),
    finding("task-failed", "critical", 9, "a/b"),
    finding("connect-unreachable", "critical", 2, null),
  ];
  const view = findingsViewSchema.parse(findingsView({ ...judged(), findings }));
  expect(view.findings.map((f) => f.path)).toEqual([
    "/?cluster=eu-1",
    "/clusters/eu-1/connectors/a%2Fb?check=task-failed",
    "/clusters/eu-1/connectors/a%2Fb?check=connector-paused",
  ]);
});
