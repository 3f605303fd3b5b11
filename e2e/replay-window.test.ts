import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import type { Lab } from "@/lab/lab";
import { openLab } from "@/lab/open-lab";
import { openReader } from "@/lab/reader";
import { writtenTables } from "@/lab/tables";
import type { BrokerProbe } from "@/lib/collect/cluster-probe";
import type { ClusterWatch } from "@/lib/collect/cluster-watch";
import { lookAtConnectors } from "@/lib/collect/connectors-loop";
import { storedNowhere } from "@/lib/collect/offset-topic/commit-store";
import { openOffsetTopics } from "@/lib/collect/offset-topic/offset-topics";
import { lookAtOffsetTopics } from "@/lib/collect/offset-topic-loop";
import { openProbe } from "@/lib/collect/open-probe";
import { countByPosition } from "@/lib/collect/replay-window/count-by-position";
import { requestOf } from "@/lib/collect/replay-window/count-moved";
import { lookAtFleet } from "@/lib/collect/replay-window/fleet-look";
import { measureByTime, tablePartitions } from "@/lib/collect/replay-window/measured";
import { questionOf, type Target, targetOf } from "@/lib/collect/replay-window/target";
import { newMemory } from "@/lib/collect/replay-window/window-memory";
import { lookAtTopics } from "@/lib/collect/topics-loop";
import { settingsSchema } from "@/lib/config/settings";
import type { ByPosition, ByTime } from "@/lib/observed/replay-window";
import type { Database } from "@/lib/store/database";
import { startTestServer, type TestServer } from "@/lib/store/test-server";
import { isLong, keepFigures } from "./figures";

/** Flush interval, and how long is written and looked at how often. The short form has three flushes too. */
const { FLUSH_MS, SECONDS, MOMENTS } = isLong
  ? { FLUSH_MS: 60_000, SECONDS: 180, MOMENTS: 10 }
  : { FLUSH_MS: 20_000, SECONDS: 60, MOMENTS: 5 };
/** Changes a second in each database. */
const RATE = 200;

/** A window as it was at one moment: commit and ends captured once for all. */
interface Frozen {
  connector: string;
  second: number;
  offset: string;
  /** By `topic/partition`: the first offset that does not count. */
  ends: Map<string, number>;
  byTime: ByTime;
  byPosition: Omit<ByPosition, "at">;
}

describe(`the replay window at a flush interval of ${FLUSH_MS / 1_000} s, against a full scan`, () => {
  let lab: Lab;
  let server: TestServer;
  let flushBefore: number;
  let frozen: Frozen[];
  let scan: Change[];

  beforeAll(async () => {
    lab = openLab(inject("labFolder"));
    server = await startTestServer();
    const { db } = await server.create();
    flushBefore = lab.state.flushIntervalMs;
    await lab.configure({ flushIntervalMs: FLUSH_MS });
    await lab.waitRunning(120_000);
    const stop = new AbortController();
    const look = await openLooks(lab, db, stop.signal);
    const began = Date.now();
    const writing = lab.write({ rate: RATE, seconds: SECONDS });
    frozen = [];
    for (const second of moments()) {
      await sleep(Math.max(0, began + second * 1_000 - Date.now()));
      frozen.push(...(await look.freeze(second)));
    }
    const written = await writing;
    console.log(`written: ${JSON.stringify(written)}`);
    stop.abort();
    await look.close();
    scan = await scanAll(lab);
  }, 600_000);
  afterAll(async () => {
    await lab?.configure({ flushIntervalMs: flushBefore });
    await lab?.waitRunning(120_000);
    await server?.stop();
  }, 300_000);

  test.each(["orders-cdc", "inventory-cdc"])(
    "%s: by position equals the scan, inside the bracket by time",
    (name) => {
      const own = frozen.filter((f) => f.connector === name);
      expect(own).toHaveLength(MOMENTS);
      const lines = own.map((f) => ({ frozen: f, truth: truthOf(f, scan) }));
      for (const { frozen: f, truth } of lines) keep(f, truth);
      for (const { frozen: f, truth } of lines) {
        const { events, tombstones, reReads, unread, bound } = f.byPosition;
        expect({ second: f.second, events, tombstones }).toEqual({ second: f.second, ...truth });
        expect({ reReads, unread }).toEqual({ reReads: 0, unread: 0 });
        expect(["exact", "at-most"]).toContain(bound);
        const records = events + tombstones;
        expect(f.byTime.low?.records, f.byTime.whyNoLow ?? "").toBeLessThanOrEqual(records);
        if (f.byTime.high) expect(f.byTime.high.records).toBeGreaterThanOrEqual(records);
        else expectNoSourceTime(f);
      }
      // The first commit after the start of a connector that had nothing to do may hold no source time; later ones do.
      expect(own.filter((f) => f.byTime.high).length).toBeGreaterThanOrEqual(MOMENTS / 2);
      // Some of them were taken a while after a flush.
      expect(Math.max(...lines.map(({ truth }) => truth.events))).toBeGreaterThan(
        (RATE * FLUSH_MS) / 1_000 / 10,
      );
    },
  );
});

/** MariaDB's offset after a start holds no time until there is an event. */
function expectNoSourceTime({ offset, byTime }: Frozen): void {
  expect(offset).not.toMatch(/"ts_(sec|usec)"/);
  expect(byTime.whyNoHigh).toContain("does not hold when the source made its last change");
}

/** Random seconds of the run, one in each part of it. */
function moments(): number[] {
  const part = (SECONDS - 10) / MOMENTS;
  return Array.from({ length: MOMENTS }, (_, i) => 8 + part * (i + Math.random() * 0.8));
}

function keep(f: Frozen, truth: { events: number; tombstones: number }): void {
  const { byPosition: p, byTime: t } = f;
  keepFigures("moments", {
    connector: f.connector,
    second: Number(f.second.toFixed(1)),
    "events by position": p.events,
    "events by scan": truth.events,
    "tombstones by position": p.tombstones,
    "tombstones by scan": truth.tombstones,
    bound: p.bound,
    "by time, low": t.low?.records ?? null,
    "by time, high": t.high?.records ?? null,
    probes: p.probes,
    "bytes read": p.bytesRead,
    notes: p.notes.map((n) => n.slug).join(" "),
  });
}

/** What the collector's loops look with, without the loops. */
async function openLooks(lab: Lab, db: Database, signal: AbortSignal) {
  const settings = settingsSchema.parse({
    clusters: [{ name: "lab", connect: { urls: [lab.connectUrl] }, kafka: { brokers: lab.brokers } }],
  });
  const [cluster] = settings.clusters;
  if (!cluster) throw new Error("no cluster");
  const probe = openProbe(cluster);
  const brokers = probe.brokers as BrokerProbe;
  const watch: ClusterWatch = {
    probe,
    brokers: lab.brokers,
    offsetTopic: null,
    cluster: { name: "lab", connect: null, kafka: null, failingSince: null, hasBrokers: true },
    connectors: new Map(),
    followed: new Set(),
    deletedOldAt: 0,
  };
  const { readOffsets } = probe;
  const topics = openOffsetTopics({ named: null, brokers, readOffsets, store: storedNowhere, signal });
  await lookAtConnectors(watch, db);
  await lookAtTopics(watch, db);
  await lookAtOffsetTopics(watch, topics, db);

  async function freeze(second: number): Promise<Frozen[]> {
    await lookAtOffsetTopics(watch, topics, db);
    await lookAtTopics(watch, db);
    const targets: Target[] = [];
    for (const known of watch.connectors.values()) {
      const look = targetOf(known, newMemory(null, null), new Set());
      if (look.failure) throw new Error(look.failure.sentence);
      targets.push(look.value);
    }
    const fleet = await lookAtFleet(brokers, targets.map(questionOf));
    if (fleet.failure) throw new Error(fleet.failure.sentence);
    return Promise.all(targets.map((target) => measure(target, fleet.value, second)));
  }

  async function measure(
    target: Target,
    fleet: NonNullable<Awaited<ReturnType<typeof lookAtFleet>>["value"]>,
    second: number,
  ): Promise<Frozen> {
    const { connector } = target.known;
    const measured = measureByTime(target, newMemory(null, null), fleet.get(connector) ?? new Map());
    const count = await countByPosition(brokers.log, { ...requestOf(measured), maxBytes: 1 << 30 });
    if (count.failure) throw new Error(`${connector}: ${count.failure.sentence}`);
    return {
      connector,
      second,
      offset: target.known.offsets?.value?.offsets[0]?.offset ?? "",
      ends: new Map(tablePartitions(measured).map((p) => [`${p.topic}/${p.partition}`, p.end])),
      byTime: measured.byTime,
      byPosition: count.value.count,
    };
  }
  return { freeze, close: () => probe.close() };
}

/** One record of a table topic, parsed whole: what this file's own predicate needs. */
interface Change {
  connector: string;
  topic: string;
  at: string;
  offset: number;
  /** `op`; null for a tombstone. */
  op: string | null;
  /** What the writer knows the change by. */
  id: string;
  source: Source;
  transaction: { id: string; total_order: number } | null;
}

interface Source {
  sequence: string | null;
  lsn?: number;
  gtid?: string | null;
}

interface Envelope {
  op: string;
  before: { id?: number; change_no: number } | null;
  after: { id?: number; change_no: number } | null;
  source: Source;
  transaction: Change["transaction"];
}

/** Every record of every table topic, by a client of another make. */
async function scanAll(lab: Lab): Promise<Change[]> {
  const topics = writtenTables(lab.state).map((t) => t.topic);
  const found: Change[] = [];
  const reader = await openReader(lab, topics, ({ topic, partition, offset, value }) => {
    const event = value === null ? null : (JSON.parse(value) as Envelope);
    const row = event?.op === "d" ? event.before : event?.after;
    found.push({
      connector: topic.startsWith("shop.") ? "orders-cdc" : "inventory-cdc",
      topic,
      at: `${topic}/${partition}`,
      offset: Number(offset),
      op: event?.op ?? null,
      id: `${topic} ${event?.op} ${row?.change_no} ${row?.id ?? ""}`,
      source: event?.source ?? { sequence: null },
      transaction: event?.transaction ?? null,
    });
  });
  await reader.readToEnd();
  await reader.close();
  return found;
}

/** Distinct changes up to the frozen ends that the frozen offset does not cover, and the tombstones behind them. */
function truthOf(frozen: Frozen, scan: readonly Change[]): { events: number; tombstones: number } {
  const uncovered =
    frozen.connector === "orders-cdc" ? afterPostgres(frozen.offset) : afterMariadb(frozen.offset);
  const events = new Set<string>();
  let tombstones = 0;
  const last = new Map<string, Change>();
  for (const change of scan) {
    if (change.connector !== frozen.connector) continue;
    if (change.offset >= (frozen.ends.get(change.at) ?? 0)) continue;
    const before = last.get(change.at);
    last.set(change.at, change);
    if (change.op === null) {
      if (before && before.op === "d" && uncovered(before)) tombstones += 1;
    } else if (change.op !== "r" && uncovered(change)) events.add(change.id);
  }
  return { events: events.size, tombstones };
}

/**
 * PostgreSQL: changes come in the order of commits. The offset is behind the last transaction it saw the end of (`lsn_commit`),
 * and within the next one behind `lsn_proc`; behind a BEGIN or COMMIT the change at the very same LSN is the next one.
 */
function afterPostgres(offset: string): (change: Change) => boolean {
  const number = (name: string) => BigInt(new RegExp(`"${name}":(\\d+)`).exec(offset)?.[1] ?? -1);
  const [commit, processed] = [number("lsn_commit"), number("lsn_proc")];
  const atBoundary = /"messageType":"(BEGIN|COMMIT)"/.test(offset);
  return ({ source }) => {
    const [before] = JSON.parse(source.sequence ?? "[null]") as (string | null)[];
    const lastCommit = BigInt(before ?? -1);
    const lsn = BigInt(source.lsn ?? -1);
    if (lastCommit !== commit) return lastCommit > commit;
    return lsn > processed || (lsn === processed && atBoundary);
  };
}

/** MariaDB: transactions that are not among `gtids`, less those events of the one it is in that were already sent. */
function afterMariadb(text: string): (change: Change) => boolean {
  const offset = JSON.parse(text) as Record<string, string | number | null>;
  const done = new Map(
    String(offset.gtids ?? "")
      .split(",")
      .map((gtid) => gtid.split("-"))
      .map(([domain = "", , sequence = "0"]) => [domain, BigInt(sequence)] as const),
  );
  const counters = Object.entries(offset).filter(([key]) =>
    key.startsWith("transaction_data_collection_order_"),
  );
  const sent = counters.reduce((sum, [, count]) => sum + Number(count), 0);
  return ({ source, transaction }) => {
    const [domain = "", , sequence = "0"] = (source.gtid ?? "").split("-");
    if (BigInt(sequence) <= (done.get(domain) ?? -1n)) return false;
    const inside = transaction !== null && transaction.id === offset.transaction_id;
    return !inside || transaction.total_order > sent;
  };
}
