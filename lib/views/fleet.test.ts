import { describe, expect, test } from "vitest";
import type { Finding } from "@/lib/checks/finding";
import type { Outcome } from "@/lib/checks/verdict";
import { type FleetRow, fleetView, fleetViewSchema } from "./fleet";
import { scene } from "./scene";
import { failing, poll, refused, seen } from "./scene-facts";
import type { FleetInput } from "./surroundings";

const now = new Date("2026-11-29T14:36:46.000Z");

function finding(connector: string | null, slug: string, outcome: Outcome, openedAgoMs = 60_000): Finding {
  return {
    id: `${connector} ${slug}`,
    cluster: "eu-1",
    connector,
    slug,
    verdict: { slug, outcome, sentence: `${slug} fires.`, short: outcome, evidence: [], remedy: [] },
    openedAt: new Date(now.getTime() - openedAgoMs),
    confirmedAt: now,
    unconfirmedWhy: null,
    closedAt: null,
  };
}

function input(change: Partial<FleetInput> = {}): FleetInput {
  return { ...scene(now), now, openFindings: [], ...change };
}

function row(connector: string, from: FleetInput = input()): FleetRow {
  const found = fleetView(from).connectors.find((r) => r.connector === connector);
  if (!found) throw new Error(`no row of ${connector}`);
  return found;
}

describe("fleet", () => {
  test("its answer fits its schema, with many and with none", () => {
    fleetViewSchema.parse(JSON.parse(JSON.stringify(fleetView(input()))));
    fleetViewSchema.parse(fleetView(input({ clusters: [], connectors: [], beats: [] })));
  });

  test("worst first: by the worst open finding, then by name", () => {
    const openFindings = [
      finding("orders-cdc", "connector-paused", "warning"),
      finding("inventory-cdc", "history-retention-time", "critical"),
      finding("inventory-cdc", "history-replication", "warning"),
      finding("warehouse-cdc", "history-missing", "unknown"),
    ];
    const view = fleetView(input({ openFindings }));
    expect(view.connectors.slice(0, 3).map((r) => [r.connector, r.worst, r.openFindings])).toEqual([
      ["inventory-cdc", "critical", 2],
      ["orders-cdc", "warning", 1],
      ["warehouse-cdc", "unknown", 1],
    ]);
    expect(view.counts).toEqual({ attention: 2, unknown: 1, fine: 5 });
    expect(view.findings.map((f) => f.outcome)).toEqual(["critical", "warning", "warning", "unknown"]);
  });

  test("a replay window: its figure, the hour before it, and nothing made up where none is known", () => {
    const sparks = new Map([[JSON.stringify(["eu-1", "orders-cdc"]), [3, null, 5]]]);
    expect(row("orders-cdc", input({ sparks })).replayWindow).toMatchObject({
      text: expect.stringMatching(/^≤ \d/),
      spark: [3, null, 5],
    });
    expect(row("warehouse-cdc").replayWindow).toMatchObject({ text: "unknown", events: null, spark: [] });
    expect(row("orders-jdbc").replayWindow.outcome).toBe("not-applicable");
  });

  test("a position is decoded, several are counted, a sink has none, a refused look is unknown with its reason", () => {
    expect(row("orders-cdc").position).toEqual({ kind: "position", text: "1A/4F532A00", why: null });
    expect(row("erp-cdc").position).toMatchObject({ kind: "several", text: "3\u00a0partitions" });
    expect(row("orders-jdbc").position.kind).toBe("not-applicable");
    expect(row("warehouse-cdc").position).toEqual({
      kind: "unknown",
      text: "unknown",
      why: "This Connect version cannot show offsets over REST (it needs 3.5).",
    });
  });

  test("commit age: between two looks, or unknown since the watch began", () => {
    expect(row("orders-cdc").commit).toEqual({
      changed: true,
      seenAt: "2026-11-29T14:36:43.000Z",
      notBefore: "2026-11-29T14:36:38.000Z",
      exactAt: null,
      readFrom: null,
    });
    expect(row("orders/eu #1 → café%").commit).toMatchObject({ changed: false, notBefore: null });
    expect(row("warehouse-cdc").commit).toBeNull();
  });

  test("a failed task shows beside a RUNNING connector", () => {
    expect(row("billing-cdc")).toMatchObject({
      state: { state: "RUNNING", outcome: "ok" },
      tasks: { state: "task FAILED", outcome: "critical" },
    });
  });

  test("data of a cluster that fails keeps its age and says whose fault it is", () => {
    expect(row("crm-cdc").stale).toEqual({
      asOf: "2026-11-29T14:33:46.000Z",
      why: "Kafka Connect at http://us-2.internal:8083 refuses the connection",
    });
    expect(row("orders-cdc").stale).toBeNull();
  });

  test("three polls without a look make data stale, although none failed", () => {
    const { connectors } = scene(now);
    const later = new Date(now.getTime() + 3 * poll.connectors + 1);
    expect(row("orders-cdc", input({ connectors, now: later })).stale).toEqual({
      asOf: now.toISOString(),
      why: null,
    });
    const sooner = new Date(now.getTime() + 3 * poll.connectors);
    expect(row("orders-cdc", input({ connectors, now: sooner })).stale).toBeNull();
  });

  test("the collector is alive, stopped, or was never there", () => {
    const { beats } = scene(now);
    const state = (change: Partial<FleetInput>) => fleetView(input(change)).watch.collector.state;
    expect(state({ beats })).toBe("alive");
    expect(state({ beats, now: new Date(now.getTime() + 60_000) })).toBe("stopped");
    expect(state({ beats: beats.filter((b) => b.kind === "web") })).toBe("never");
  });

  test("brokers that do not answer are named, a missing permission is not", () => {
    const away = (kind: "unreachable" | "forbidden") => {
      const failure = { kind, sentence: "the broker at kafka-1.eu:9092 cannot be reached", remedy: null };
      const clusters = scene(now).clusters.map((c) => ({
        ...c,
        kafka: c.kafka && failing(c.kafka, failure, 40_000),
      }));
      return fleetView(input({ clusters })).watch.clusters.map((c) => c.brokersAway);
    };
    const asOf = new Date(now.getTime() - 40_000).toISOString();
    expect(away("unreachable")).toEqual([expect.objectContaining({ asOf }), null]);
    expect(away("forbidden")).toEqual([null, null]);
    expect(fleetView(input()).watch.clusters.map((c) => c.brokersAway)).toEqual([null, null]);
  });

  test("1,000 connectors: every row, findings bounded, built in a moment", () => {
    const many = scene(now, { many: 1_000 });
    const openFindings = many.connectors.map((c) => finding(c.connector, "offset-missing", "warning"));
    const began = performance.now();
    const view = fleetView({ ...many, now, openFindings });
    expect(performance.now() - began).toBeLessThan(5_000);
    expect(view.connectors).toHaveLength(1_008);
    expect(view.findings).toHaveLength(200);
    expect(view.findingsTotal).toBe(1_008);
  });
});

describe("an empty fleet says why", () => {
  const gaps = (change: Partial<FleetInput>) => fleetView(input({ connectors: [], ...change })).gaps;
  const cluster = { name: "eu-1", kafka: null, failingSince: null, hasBrokers: false };
  const answering = { version: "4.4.0", commit: null, kafkaClusterId: null };

  test("no cluster is configured", () => {
    expect(gaps({ clusters: [] })).toEqual([
      { cluster: null, kind: "fact", sentence: expect.stringMatching(/^No cluster is configured/) },
    ]);
  });

  test("nothing has ever looked", () => {
    expect(gaps({ clusters: [], beats: [] })[0]).toMatchObject({ kind: "fault" });
    expect(gaps({ clusters: [{ ...cluster, connect: null }] })[0]?.sentence).toMatch(
      /has not been looked at yet/,
    );
  });

  test("Connect does not answer", () => {
    const failure = { kind: "timeout" as const, sentence: "No answer in 5 s", remedy: null };
    const unseen = gaps({ clusters: [{ ...cluster, connect: refused(failure, now) }] });
    expect(unseen).toEqual([{ cluster: "eu-1", kind: "fault", sentence: "No answer in 5 s." }]);
    const before = failing(seen({ ...answering, connectors: [] }, now), failure, 60_000);
    expect(gaps({ clusters: [{ ...cluster, connect: before }] })).toEqual([]);
  });

  test("a good answer lists none", () => {
    const connect = seen({ ...answering, connectors: [] }, now);
    expect(gaps({ clusters: [{ ...cluster, connect }] })[0]).toMatchObject({
      kind: "fact",
      sentence: "There is no connector on eu-1: its Kafka Connect answers and lists none.",
    });
  });
});
