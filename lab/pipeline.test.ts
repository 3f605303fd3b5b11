import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { kafkaClient } from "./broker";
import type { Lab, Truth } from "./lab";
import { openLab } from "./open-lab";
import { WRITTEN_TABLES, writtenTables } from "./tables";

const lab: Lab = openLab(inject("labFolder"));
const topics = () => writtenTables(lab.state).map((table) => table.topic);
const databases = () => [...new Set(writtenTables(lab.state).map((table) => table.database))];

function sum(
  truths: readonly Truth[],
  database: string,
  field: "records" | "duplicates" | "missing",
): number {
  const own = WRITTEN_TABLES.filter((table) => table.database === database).map((table) => table.topic);
  return truths.filter((one) => own.includes(one.topic)).reduce((total, one) => total + one[field], 0);
}

/** Offsets that a topic has used, all partitions together. */
async function offsetsUsed(topic: string): Promise<number> {
  const admin = kafkaClient(lab.places).admin();
  await admin.connect();
  try {
    const offsets = await admin.fetchTopicOffsets(topic);
    return offsets.reduce((total, { low, high }) => total + Number(high) - Number(low), 0);
  } finally {
    await admin.disconnect();
  }
}

/** What the ledger's table itself counts, by topic. */
async function committedBySql(): Promise<Map<string, number>> {
  const sql = "SELECT table_name, count(*) AS n FROM written GROUP BY table_name";
  const pg = await lab.pg();
  const lines: { table_name: string; n: string | number }[] = (await pg.query(sql)).rows;
  await pg.end();
  if (lab.state.mariadb) {
    const mariadb = await lab.mariadb();
    lines.push(...(await mariadb.query<typeof lines>(sql)));
    await mariadb.end();
  }
  const topicOf = new Map(WRITTEN_TABLES.map((table) => [table.name, table.topic]));
  return new Map(lines.map((line) => [topicOf.get(line.table_name) ?? "", Number(line.n)]));
}

beforeAll(async () => {
  await lab.waitRunning(120_000);
  await lab.caughtUp(60_000);
});

describe("the writer's truth", () => {
  let before: Truth[] = [];

  test("a burst and a graceful restart: no duplicates, nothing missing", async () => {
    before = await lab.truthOfAll();
    const written = await lab.burst(5_000);
    expect(written.postgres).toBe(5_000);
    await lab.caughtUp(90_000);
    // A graceful restart, with the setting that the next test needs.
    await lab.configure({ flushIntervalMs: 60_000 });
    await lab.waitRunning(120_000);
    await lab.caughtUp(90_000);
    const after = await lab.truthOfAll();
    for (const database of databases()) {
      expect(sum(after, database, "missing")).toBe(0);
      expect(sum(after, database, "duplicates")).toBe(sum(before, database, "duplicates"));
      expect(sum(after, database, "records")).toBeGreaterThan(sum(before, database, "records") + 5_000);
    }
    before = after;
  });

  test("a killed worker in a burst: duplicates, and nothing missing", async () => {
    expect(lab.state.flushIntervalMs).toBe(60_000);
    const started = await Promise.all(topics().map(offsetsUsed));
    const writing = lab.burst(6_000);
    // Kill once records of each database were sent: none of their offsets is committed within the 60 s.
    for (;;) {
      const now = await Promise.all(topics().map(offsetsUsed));
      const sent = databases().map((database) =>
        writtenTables(lab.state).reduce(
          (total, table, at) =>
            table.database === database ? total + (now[at] ?? 0) - (started[at] ?? 0) : total,
          0,
        ),
      );
      if (sent.every((count) => count > 500)) break;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    await lab.crash("connect");
    await writing;
    await lab.waitRunning(120_000);
    await lab.caughtUp(90_000);
    const after = await lab.truthOfAll();
    for (const database of databases()) {
      expect(sum(after, database, "missing")).toBe(0);
      expect(sum(after, database, "duplicates")).toBeGreaterThan(sum(before, database, "duplicates"));
    }
  });

  test("the counts are those that SQL and the broker give", async () => {
    const truths = await lab.truthOfAll();
    const committed = await committedBySql();
    for (const truth of truths) {
      expect(truth.distinct, truth.topic).toBe(committed.get(truth.topic));
      expect(truth.records - truth.distinct).toBe(truth.duplicates);
      // Without transactions each offset is a record.
      const offsets = await offsetsUsed(truth.topic);
      expect(truth.records + truth.tombstones + truth.reReads, truth.topic).toBe(offsets);
    }
  });

  test("exactly-once: transaction markers at the end of a topic are no records, and reading ends", async () => {
    await lab.configure({ flushIntervalMs: 5_000, exactlyOnce: true });
    await lab.waitRunning(120_000);
    await lab.burst(200);
    await lab.caughtUp(90_000);
    const committed = await committedBySql();
    for (const truth of await lab.truthOfAll()) {
      expect(truth.missing, truth.topic).toBe(0);
      expect(truth.distinct, truth.topic).toBe(committed.get(truth.topic));
      const offsets = await offsetsUsed(truth.topic);
      expect(truth.records + truth.tombstones + truth.reReads, truth.topic).toBeLessThan(offsets);
    }
  });

  test("a topic of no written table, and one that does not exist, get a sentence and stay uncreated", async () => {
    await expect(lab.truthOf("shop.public.no_such_table")).rejects.toThrow(
      "The writer writes no table of topic",
    );
    const admin = kafkaClient(lab.places).admin();
    await admin.connect();
    const known = await admin.listTopics();
    const { groups } = await admin.listGroups();
    await admin.disconnect();
    expect(known).not.toContain("shop.public.no_such_table");
    expect(groups.filter(({ groupId }) => groupId.startsWith("tidemark-lab-truth"))).toEqual([]);
  });
});

describe("the connectors", () => {
  test("configs hold references instead of passwords", async () => {
    for (const name of ["orders-cdc", ...(lab.state.mariadb ? ["inventory-cdc"] : [])]) {
      const { body } = await lab.rest("GET", `/connectors/${name}/config`);
      expect(body).toMatchObject({ "database.password": `\${file:${lab.places.secrets}:cdc}` });
    }
  });

  test("one table of each database has eight partitions", async () => {
    const admin = kafkaClient(lab.places).admin();
    await admin.connect();
    const wide = ["shop.public.order_lines", ...(lab.state.mariadb ? ["inv.inventory.stock_moves"] : [])];
    const { topics: found } = await admin.fetchTopicMetadata({ topics: wide });
    await admin.disconnect();
    expect(found.map((topic) => topic.partitions.length)).toEqual(wide.map(() => 8));
  });
});

afterAll(async () => {
  if (!lab.state.exactlyOnce && lab.state.flushIntervalMs === 5_000) return;
  await lab.configure({ flushIntervalMs: 5_000, exactlyOnce: false });
  await lab.waitRunning(120_000);
});
