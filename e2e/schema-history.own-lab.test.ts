import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import kafkajs from "kafkajs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Lab } from "@/lab/lab";
import { openLab } from "@/lab/open-lab";
import type { StatusView } from "@/lib/views/status";
import { type Dashboard, eventually, startDashboard } from "./dashboard";
import { inShell, runRemedy } from "./remedy";

const POLL_MS = 1_000;
/** Polls of the schema history loop from a change to its finding: two, and the one under way when the change was made. */
const POLLS = 3;
/** How long those may take on a busy machine; the polls themselves are counted. */
const PATIENCE_MS = 30_000;
const CLUSTER = "lab";
const TOPIC = "inv.schema-history";

/** Schema history damaged for real, and mended by what the page shows. In a lab of its own: some damage empties all topics. */
describe("schema history, damaged in the lab", () => {
  let lab: Lab;
  let dashboard: Dashboard;
  let dataDir: string;
  const kafka = () =>
    new kafkajs.Kafka({ brokers: lab.brokers, logLevel: kafkajs.logLevel.NOTHING, clientId: "damage" });

  beforeAll(async () => {
    lab = openLab(mkdtempSync(join(tmpdir(), "lab-history-")));
    await lab.up();
    await lab.waitRunning(120_000);
    dataDir = mkdtempSync(join(tmpdir(), "tidemark-e2e-"));
    const poll = POLL_MS / 1000;
    dashboard = await startDashboard(
      {
        clusters: [{ name: CLUSTER, connect: { urls: [lab.connectUrl] }, kafka: { brokers: lab.brokers } }],
        poll: { connectors: poll, offsets: poll, topics: poll, schemaHistory: poll },
      },
      dataDir,
    );
    await eventually(
      "the history topic is judged and whole",
      30_000,
      async () => (await openHistory()).length === 0,
    );
  });
  afterAll(async () => {
    await dashboard?.stop();
    await lab?.reset();
    rmSync(dataDir, { recursive: true, force: true });
  });

  const findings = async (connector = "inventory-cdc") =>
    (await dashboard.connector(CLUSTER, connector)).findings.open;

  /** Open critical or warning findings of the history, but for the lab's one broker, which is one for good. */
  async function openHistory(connector = "inventory-cdc") {
    const view = await dashboard.connector(CLUSTER, connector);
    if (!view.findings.judgedAt || !view.history) throw new Error("not judged yet");
    return view.findings.open.filter(
      (f) => f.slug.startsWith("history-") && f.slug !== "history-replication",
    );
  }

  async function polls(): Promise<number> {
    const { loops } = await dashboard.get<StatusView>("/api/v1/status");
    const loop = loops.find((l) => l.name === "schema history" && l.cluster === CLUSTER);
    if (!loop) throw new Error("the schema history loop does not run");
    return loop.runs;
  }

  /** Waits for what two polls must bring, and counts them. */
  async function withinTwoPolls<T>(
    what: string,
    look: () => Promise<T | null | undefined | false>,
  ): Promise<T> {
    const before = await polls();
    const found = await eventually(what, PATIENCE_MS, look);
    expect(await polls(), `polls until ${what}`).toBeLessThanOrEqual(before + POLLS);
    return found;
  }

  async function seen(slug: string, connector = "inventory-cdc") {
    const finding = await withinTwoPolls(`${slug} is open`, async () =>
      (await findings(connector)).find((f) => f.slug === slug && f.outcome !== "unknown"),
    );
    const state = (await dashboard.connector(CLUSTER, connector)).head.state;
    expect(state?.state, "it was found before the connector restarted or failed").toBe("RUNNING");
    return finding;
  }

  async function mended(connector = "inventory-cdc") {
    await withinTwoPolls("no history finding is open", async () => {
      const open = await openHistory(connector);
      return open.length === 0;
    });
  }

  /** Mends whatever is open, one finding after the other: settings first, since they would remove a new history too. */
  async function mendAll(connector = "inventory-cdc") {
    const ran: string[] = [];
    for (let round = 0; round < 4; round++) {
      const open = await openHistory(connector);
      const next = open.find((f) => f.remedy.length === 1) ?? open[0];
      if (!next) break;
      ran.push(...(await runRemedy(lab, next)));
      await withinTwoPolls(`${next.slug} is mended`, async () =>
        (await openHistory(connector)).every((f) => f.slug !== next.slug),
      );
    }
    await mended(connector);
    await lab.waitRunning(60_000);
    return ran;
  }

  const configure = (change: string) =>
    inShell(
      lab,
      `kafka-configs.sh --bootstrap-server "$BROKERS" --alter --entity-type topics --entity-name ${TOPIC} ${change}`,
    );

  test("compacted", async () => {
    await configure("--add-config cleanup.policy=compact");
    const finding = await seen("history-cleanup-policy");
    expect(finding.sentence).toContain("compact");
    await mendAll();
  });

  test("retention by bytes", async () => {
    await configure("--add-config retention.bytes=1048576");
    const finding = await seen("history-retention-bytes");
    expect(finding.evidence.some((e) => e.value.includes("1048576") || e.value.includes("1 MiB"))).toBe(true);
    await mendAll();
  });

  test("retention of a second, set on the topic: found, and mended with all that it removed", async () => {
    await configure("--add-config retention.ms=1000");
    const finding = await seen("history-retention-time");
    expect(finding.sentence).toMatch(/set on the topic/);
    await mendAll();
  });

  test("3 partitions", async () => {
    await inShell(
      lab,
      `kafka-topics.sh --bootstrap-server "$BROKERS" --alter --topic ${TOPIC} --partitions 3`,
    );
    const finding = await seen("history-partitions");
    expect(finding.short).toContain("3");
    const ran = await mendAll();
    expect(ran.some((command) => command.includes("--delete"))).toBe(true);
  });

  test("first records deleted", async () => {
    await deleteRecordsBefore("1");
    const finding = await seen("history-truncated");
    expect(finding.evidence.some((e) => e.value === "1")).toBe(true);
    await mendAll();
  });

  test("emptied", async () => {
    await deleteRecordsBefore("-1");
    await seen("history-missing");
    const ran = await mendAll();
    expect(ran.some((command) => command.includes('"snapshot.mode":"recovery"'))).toBe(true);
    expect(ran.at(-1)).toContain('"snapshot.mode":');
    const { body } = await lab.rest("GET", "/connectors/inventory-cdc/config");
    expect((body as Record<string, string>)["snapshot.mode"] ?? "initial").toBe("initial");
  });

  test("the topic is gone, and looking at it has not made it again", async () => {
    await inShell(lab, `kafka-topics.sh --bootstrap-server "$BROKERS" --delete --topic ${TOPIC}`);
    await seen("history-missing");
    await new Promise((resolve) => setTimeout(resolve, 3 * POLL_MS));
    const admin = kafka().admin();
    await admin.connect();
    const topics = await admin.listTopics();
    await admin.disconnect();
    expect(topics).not.toContain(TOPIC);
    await mendAll();
  });

  test("shared by two connectors", async () => {
    const { body } = await lab.rest("GET", "/connectors/inventory-cdc/config");
    const config = {
      ...(body as Record<string, string>),
      "topic.prefix": "inv2",
      "database.server.id": "184055",
      "snapshot.mode": "no_data",
      "signal.enabled.channels": "source",
      "notification.enabled.channels": "log",
    };
    delete (config as Record<string, string>).name;
    await lab.rest("PUT", "/connectors/inventory-copy/config", config);
    try {
      const first = await seen("history-shared");
      expect(first.sentence).toContain("inventory-copy");
      const second = await eventually("the other connector says so too", 20_000, async () =>
        (await findings("inventory-copy")).find((f) => f.slug === "history-shared"),
      );
      await eventually("the copy runs and has an offset", 60_000, async () => {
        const view = await dashboard.connector(CLUSTER, "inventory-copy");
        return view.head.state?.state === "RUNNING" && view.position.partitions.length > 0;
      });
      await runRemedy(lab, second);
      await mended("inventory-copy");
      await mended("inventory-cdc");
    } finally {
      await lab.rest("DELETE", "/connectors/inventory-copy");
    }
  });

  test("retention of a second, inherited from the broker", async () => {
    const broker = (change: string) =>
      inShell(
        lab,
        `kafka-configs.sh --bootstrap-server "$BROKERS" --alter --entity-type brokers --entity-default ${change}`,
      );
    await configure("--delete-config retention.ms");
    await broker("--add-config log.retention.ms=1000");
    try {
      const finding = await withinTwoPolls("it is said to come from the broker", async () =>
        (await findings()).find(
          (f) => f.slug === "history-retention-time" && f.sentence.includes("inherited from the broker"),
        ),
      );
      expect(finding.sentence).toContain("inherited from the broker");
      await mendAll();
    } finally {
      await broker("--delete-config log.retention.ms");
    }
  });

  async function deleteRecordsBefore(offset: string) {
    const admin = kafka().admin();
    await admin.connect();
    try {
      const [ends] = await admin.fetchTopicOffsets(TOPIC);
      const before = offset === "-1" ? (ends?.high ?? "0") : offset;
      await admin.deleteTopicRecords({ topic: TOPIC, partitions: [{ partition: 0, offset: before }] });
    } finally {
      await admin.disconnect();
    }
  }
});
