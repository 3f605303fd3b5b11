import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import type { Lab } from "@/lab/lab";
import { openLab } from "@/lab/open-lab";
import { openReader } from "@/lab/reader";
import type { ConnectorView } from "@/lib/views/connector";
import { type Dashboard, eventually, startDashboard } from "./dashboard";

const CLUSTER = "lab";
/** Moments at which both connectors are looked at while the writer writes. */
const LOOKS = 6;

describe("the position shown, against what the sources make of it", () => {
  let lab: Lab;
  let dashboard: Dashboard;
  let dataDir: string;
  const seen: Record<"orders-cdc" | "inventory-cdc", Shown[]> = { "orders-cdc": [], "inventory-cdc": [] };

  beforeAll(async () => {
    lab = openLab(inject("labFolder"));
    dataDir = mkdtempSync(join(tmpdir(), "tidemark-e2e-"));
    dashboard = await startDashboard(
      {
        clusters: [{ name: CLUSTER, connect: { urls: [lab.connectUrl] }, kafka: { brokers: lab.brokers } }],
        poll: { connectors: 1, offsets: 1, topics: 5, schemaHistory: 5 },
      },
      dataDir,
    );
    const stop = new AbortController();
    const writing = lab.write({ rate: 50, signal: stop.signal });
    for (let look = 0; look < LOOKS; look++) {
      for (const name of ["orders-cdc", "inventory-cdc"] as const) {
        const shown = await eventually(`${name} has a position`, 30_000, async () =>
          shownIn(await dashboard.connector(CLUSTER, name)),
        );
        seen[name].push(shown);
      }
      await sleep(3_000);
    }
    stop.abort();
    await writing;
  });
  afterAll(async () => {
    await dashboard?.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  test("both move while the writer writes", () => {
    for (const shown of Object.values(seen))
      expect(new Set(shown.map((s) => s.offset)).size).toBeGreaterThanOrEqual(3);
  });

  test("PostgreSQL: each LSN shown is what PostgreSQL makes of the committed number", async () => {
    const pg = await lab.pg();
    try {
      for (const { offset, position, fields } of seen["orders-cdc"]) {
        for (const name of ["lsn", "lsn_proc", "lsn_commit"]) {
          const field = fields.find((f) => f.name === name);
          if (!field) continue;
          const number = new RegExp(`"${name}":(\\d+)`).exec(offset)?.[1];
          expect(field.raw).toBe(number);
          const { rows } = await pg.query("SELECT ('0/0'::pg_lsn + $1::numeric)::text AS lsn", [number]);
          expect(field.text).toBe(rows[0].lsn);
        }
        const { rows } = await pg.query("SELECT $1::pg_lsn <= pg_current_wal_lsn() AS written", [position]);
        expect(rows[0].written).toBe(true);
      }
    } finally {
      await pg.end();
    }
  });

  test("each offset shown is one that stands in the offset topic, digit for digit", async () => {
    const stored = new Map<string, Set<string>>();
    const reader = await openReader(lab, ["connect-offsets"], ({ key, value }) => {
      if (!key || !value) return;
      const [name] = JSON.parse(key) as [string];
      stored.set(name, (stored.get(name) ?? new Set()).add(canonical(value)));
    });
    await reader.readToEnd();
    await reader.close();
    for (const [name, shown] of Object.entries(seen))
      for (const { offset } of shown) expect(stored.get(name)).toContain(canonical(offset));
  });

  test("MariaDB: file, position and GTID are those of the offset, and the server knows the file", async () => {
    const mariadb = await lab.mariadb();
    try {
      const files = (await mariadb.query("SHOW BINARY LOGS")) as { Log_name: string }[];
      for (const { offset, fields, position } of seen["inventory-cdc"]) {
        const text = (name: string) => fields.find((f) => f.name === name)?.text;
        const raw = JSON.parse(offset) as { file: string; pos: number; gtids?: string };
        expect(text("file")).toContain(raw.file);
        expect(text("pos")).toContain(String(raw.pos));
        expect(text("gtids") ?? "").toContain(raw.gtids ?? "");
        expect(position === raw.gtids || position === `${raw.file} : ${raw.pos}`).toBe(true);
        expect(files.map((f) => f.Log_name)).toContain(raw.file);
      }
    } finally {
      await mariadb.end();
    }
  });
});

interface Shown {
  offset: string;
  position: string;
  fields: ConnectorView["position"]["partitions"][number]["position"]["fields"];
}

function shownIn(view: ConnectorView): Shown | null {
  const used = view.position.partitions.find((p) => p.used);
  if (!used?.raw) return null;
  return { offset: used.raw.offset, position: used.position.text, fields: used.position.fields };
}

/** The same text for the same offset, whatever the order of its keys. Digits stay: values are not parsed as numbers. */
function canonical(json: string): string {
  const quoted = json.replace(/:\s*(-?\d+)(?=[,}])/g, ':"$1"');
  return JSON.stringify(Object.entries(JSON.parse(quoted) as Record<string, unknown>).sort());
}
