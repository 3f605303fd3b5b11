import { describe, expect, test } from "vitest";
import type { Finding } from "@/lib/checks/finding";
import { judgeConnector } from "@/lib/checks/judge";
import type { JudgedConnector } from "@/lib/checks/judged";
import { type ConnectorView, connectorView, connectorViewSchema } from "./connector";
import { scene } from "./scene";
import { forbidden, refused, seen } from "./scene-facts";

const now = new Date("2026-11-29T14:36:46.000Z");
const limits = {
  unassignedMs: 300_000,
  silentMs: 3_600_000,
  rebalanceMs: 120_000,
  replay: () => ({ events: 10_000, bytes: 268_435_456, spanMs: 300_000 }),
};

function stored(name: string, change: Partial<JudgedConnector> = {}): JudgedConnector {
  const found = scene(now).connectors.find((c) => c.connector === name);
  if (!found) throw new Error(`no connector ${name}`);
  const connector = { ...found, ...change };
  const fleet = scene(now).connectors.map((c) => ({ ...c, config: c.report.value?.config ?? null }));
  return { ...connector, verdicts: judgeConnector({ ...connector, fleet }, limits, now) };
}

function view(name: string, change: Partial<JudgedConnector> = {}): ConnectorView {
  const connector = stored(name, change);
  return connectorView({ ...scene(now), now, connector, openFindings: [], recentlyClosed: [] });
}

describe("connector", () => {
  test("the answer of every connector of the scene fits the schema", () => {
    for (const { connector } of scene(now).connectors) connectorViewSchema.parse(view(connector));
  });

  test("replay window: with its limits, which are none unless told", () => {
    const connector = stored("orders-cdc");
    const limits = { events: 25_000, bytes: null, spanMs: null };
    const said = connectorView({
      ...scene(now),
      now,
      connector,
      openFindings: [],
      recentlyClosed: [],
      limits,
    });
    expect(said.replayWindow).toMatchObject({
      limits,
      whyNone: null,
      words: { headline: expect.stringMatching(/^at most/) },
    });
    expect(view("orders-cdc").replayWindow.limits).toEqual({ events: null, bytes: null, spanMs: null });
  });

  test("position: decoded with its fields, the stored text beside it, digits kept", () => {
    const { position } = view("orders-cdc");
    expect(position.connector).toBe("postgresql");
    expect(position.partitions[0]).toMatchObject({
      used: true,
      phase: "streaming",
      position: { text: "1A/4F532A00" },
      raw: { partition: '{"server":"shop"}', offset: expect.stringContaining('"lsn":113000000000') },
    });
    expect(position.whyNone).toBeNull();
  });

  test("a source partition that the configuration does not name is left over, not merged", () => {
    const base = stored("orders-cdc").offsets?.value?.offsets ?? [];
    const old = { partition: '{"server":"shop_old"}', offset: '{"lsn":24023128}' };
    const { position } = view("orders-cdc", { offsets: seen({ offsets: [...base, old] }, now) });
    expect(position.partitions.map((p) => p.used)).toEqual([true, false]);
  });

  test("no position: who said so is named", () => {
    const whyNone = (from: "topic" | "rest") =>
      view("orders-cdc", { offsets: seen({ offsets: [], from }, now) }).position.whyNone;
    expect(whyNone("rest")).toContain("Connect answers with an empty list");
    expect(whyNone("topic")).toContain("the offset topic holds none of this connector");
  });

  test("no position: a fact when Connect says so, unknown with the reason when the look failed", () => {
    expect(view("orders-cdc", { offsets: seen({ offsets: [] }, now) }).position).toMatchObject({
      noneIsFact: true,
      whyNone: expect.stringMatching(/^No offset is stored/),
      commit: null,
    });
    expect(view("warehouse-cdc").position).toMatchObject({
      noneIsFact: false,
      whyNone: "This Connect version cannot show offsets over REST (it needs 3.5).",
    });
    expect(view("orders-cdc", { offsets: null }).position.whyNone).toBe(
      "The stored offset has not been looked at yet.",
    );
  });

  test("recent commits: beside the partition that they are of, or why they are not known", () => {
    const partition = '{"server":"shop"}';
    const commits = (offsets: readonly (string | null)[]) =>
      seen(
        {
          topics: ["connect-offsets"],
          partitions: [
            {
              partition,
              commits: offsets.map((offset, i) => ({
                at: new Date(now.getTime() - (offsets.length - i) * 5_000).toISOString(),
                offset,
                topic: "connect-offsets",
                kafkaPartition: 3,
                kafkaOffset: 1_200 + i,
              })),
            },
          ],
        },
        now,
      );
    const two = commits(['{"lsn":112999999000}', '{"lsn":113000000000}']);
    const { position } = view("orders-cdc", { commits: two });
    expect(position.partitions[0]?.commits?.lines.map((l) => l.progress)).toEqual([
      null,
      "+1,000 bytes of WAL",
    ]);
    expect(position.recentCommits).toMatchObject({ whyNone: null, topics: ["connect-offsets"], others: [] });
    expect(position.commit?.readFrom?.offset).toBe(1_201);

    const deleted = view("orders-cdc", {
      commits: commits(["{}", null]),
      offsets: seen({ offsets: [] }, now),
    });
    expect(deleted.position.recentCommits.others).toMatchObject([
      { partition, commits: { lines: [{ move: "first" }, { move: "deleted" }] } },
    ]);
    connectorViewSchema.parse(deleted);

    const none = view("orders-cdc", { commits: refused(forbidden, now) }).position;
    expect(none.partitions[0]?.commits).toBeNull();
    expect(none.recentCommits).toMatchObject({ whyNone: `${forbidden.sentence}.`, remedy: forbidden.remedy });
    expect(view("orders-jdbc").position.recentCommits.whyNone).toBeNull();
  });

  test("schema history: every fault at once, worst first; none where none is needed", () => {
    const { history } = view("inventory-cdc");
    expect(history.worst).toBe("critical");
    expect(history.items[0]).toMatchObject({ slug: "history-retention-time", outcome: "critical" });
    expect(history.items.map((i) => i.slug)).toContain("history-replication");
    expect(history.items.map((i) => i.about)).toEqual(
      expect.arrayContaining(["Retention by time", "Replicas", "Earliest offset", "Kept in"]),
    );
    expect(history.topic).toBe("inv.schema-history");
    expect(history.items.flatMap((i) => i.evidence.map((e) => e.value))).not.toContain("inv.schema-history");
    expect(view("orders-cdc").history).toMatchObject({ items: [], worst: null });
    expect(view("orders-cdc").history.whyNone).toMatch(/keeps no schema history/);
  });

  test("what was only not known for a while is not told as recently closed", () => {
    const connector = stored("orders-cdc");
    const closed = (slug: string, outcome: "critical" | "unknown"): Finding => ({
      id: slug,
      cluster: "eu-1",
      connector: "orders-cdc",
      slug,
      verdict: { slug, outcome, sentence: "It was so.", short: "so", evidence: [], remedy: [] },
      openedAt: new Date(now.getTime() - 120_000),
      confirmedAt: now,
      unconfirmedWhy: null,
      closedAt: new Date(now.getTime() - 60_000),
    });
    const recentlyClosed = [closed("offset-missing", "unknown"), closed("task-failed", "critical")];
    const answer = connectorView({ ...scene(now), now, connector, openFindings: [], recentlyClosed });
    expect(answer.findings.recentlyClosed.map((f) => f.slug)).toEqual(["task-failed"]);
  });

  test("a failed task: the root cause first, the whole trace kept", () => {
    const [task] = view("billing-cdc").tasks.tasks;
    expect(task).toMatchObject({ id: 0, mark: { state: "FAILED", outcome: "critical" } });
    expect(task?.trace?.cause).toBe('replication slot "billing" is active for PID 4411');
    expect(task?.trace?.full).toMatch(/^org\.apache\.kafka/);
  });

  test("topics: tables first; a list without ends says why they are missing", () => {
    const { topics } = view("orders-cdc");
    expect(topics.topics.map((t) => t.role)).toEqual(["table", "table", "table", "heartbeat", "transaction"]);
    const without = view("orders-cdc", { ends: null }).topics;
    expect(without.topics).toHaveLength(5);
    expect(without.topics[0]).toMatchObject({ end: null, role: null, partitions: null });
    expect(without.whyNoEnds).toBe("The end of each topic has not been looked at yet.");
  });

  test("never judged: the page says so instead of calling it fine", () => {
    const connector = { ...stored("orders-cdc"), judgedAt: null, verdicts: [] };
    const answer = connectorView({ ...scene(now), now, connector, openFindings: [], recentlyClosed: [] });
    expect(answer.verdict).toEqual({
      outcome: "unknown",
      sentence: expect.stringMatching(/^Not judged yet/),
    });
  });

  test("a status that Connect did not report is not a state", () => {
    const report = stored("orders-cdc").report;
    const value = report.value && { ...report.value, connector: null, tasks: null };
    const answer = view("orders-cdc", { report: { ...report, value } });
    expect(answer.head.state).toBeNull();
    expect(answer.tasks.whyNone).toMatch(/holds no status/);
  });
});
