import { setTimeout as sleep } from "node:timers/promises";
import { kafkaClient } from "./broker";
import { LabFault } from "./fault";
import type { Lab, Truth } from "./lab";
import { ledgerOf } from "./ledger";
import type { LedgerRow } from "./plan";
import { openReader } from "./reader";
import { type WrittenTable, writtenTables } from "./tables";
import { newTally, type Tally } from "./tally";
import { writeMarkers } from "./writer";

const MARKERS_AGAIN_MS = 15_000;

/**
 * The truth about one topic, read whole.
 * @param waitMs how long changes that were committed already may take to come before they are called missing
 * @throws LabFault when the writer does not write its table
 */
export async function truthOf(lab: Lab, topic: string, waitMs = 0): Promise<Truth> {
  const table = writtenTables(lab.state).find((one) => one.topic === topic);
  if (!table) {
    const known = writtenTables(lab.state).map((one) => one.topic);
    throw new LabFault(
      `The writer writes no table of topic ${topic}. It writes those of: ${known.join(", ")}.`,
    );
  }
  const [truth] = await truthOfTables(lab, [table], waitMs);
  if (!truth) throw new Error("no truth");
  return truth;
}

/** The truth about each topic of a written table. */
export function truthOfAll(lab: Lab, waitMs = 0): Promise<Truth[]> {
  return truthOfTables(lab, writtenTables(lab.state), waitMs);
}

async function truthOfTables(lab: Lab, tables: readonly WrittenTable[], waitMs: number): Promise<Truth[]> {
  const end = Date.now() + waitMs;
  // The ledger first: what is committed while the topic is read is then not taken for missing.
  const ledgers = await readLedgers(lab, tables);
  const { tallies, reader } = await openTallies(lab, tables);
  try {
    await reader.readToEnd();
    const isBehind = () =>
      tables.some((table) => tallyOf(tallies, table).unseen(ledgers.get(table) ?? []).length > 0);
    while (isBehind() && Date.now() < end) {
      await sleep(300);
      await reader.readToEnd();
    }
  } finally {
    await reader.close();
  }
  return tables.map((table) => tallyOf(tallies, table).result(table.topic, ledgers.get(table) ?? []));
}

/**
 * Waits until all that was committed before the call is in the topics, and a replay that was going on is over.
 * @throws LabFault after `timeoutMs`, with what is missing
 */
export async function caughtUp(lab: Lab, timeoutMs: number): Promise<void> {
  const end = Date.now() + timeoutMs;
  const tables = writtenTables(lab.state);
  await writeMarkers(lab);
  const ledgers = await readLedgers(lab, tables);
  await topicsExist(lab, tables, end);
  const { tallies, reader } = await openTallies(lab, tables);
  try {
    for (;;) {
      await reader.readToEnd();
      const behind = tables
        .map((table) => ({
          topic: table.topic,
          rows: tallyOf(tallies, table).unseen(ledgers.get(table) ?? []),
        }))
        .filter(({ rows }) => rows.length > 0);
      if (behind.length === 0) break;
      if (Date.now() > end) {
        const list = behind.map(({ topic, rows }) => `${rows.length} of ${topic}`).join(", ");
        throw new LabFault(
          `Not caught up after ${timeoutMs / 1_000} s; committed and not in the topics: ${list}.`,
        );
      }
      await sleep(300);
    }
  } finally {
    await reader.close();
  }
  // Records of other partitions may be in the same request of the producer.
  await sleep(500);
}

/**
 * The same where changes may have been lost: waits until markers, written in one transaction after all else, are in every
 * topic. A connector delivers in order of commits, so what was committed before them is there by then or never comes; markers
 * that are lost themselves are written again.
 * @throws LabFault after `timeoutMs`
 */
export async function settled(lab: Lab, timeoutMs: number): Promise<void> {
  const end = Date.now() + timeoutMs;
  const tables = writtenTables(lab.state);
  await topicsExist(lab, tables, end);
  const { tallies, reader } = await openTallies(lab, tables, "end");
  try {
    let markers = await writeMarkers(lab);
    let again = Date.now() + MARKERS_AGAIN_MS;
    for (;;) {
      await reader.readToEnd();
      const lacking = tables.filter((table) => {
        const own = markers.filter((row) => row.table === table.name);
        return tallyOf(tallies, table).unseen(own).length > 0;
      });
      if (lacking.length === 0) break;
      if (Date.now() > end) {
        const list = lacking.map(({ topic }) => topic).join(", ");
        throw new LabFault(`Nothing written after all else came to ${list} within ${timeoutMs / 1_000} s.`);
      }
      if (Date.now() > again) {
        markers = await writeMarkers(lab);
        again = Date.now() + MARKERS_AGAIN_MS;
      }
      await sleep(300);
    }
  } finally {
    await reader.close();
  }
  await sleep(500);
}

async function readLedgers(
  lab: Lab,
  tables: readonly WrittenTable[],
): Promise<Map<WrittenTable, LedgerRow[]>> {
  const ledgers = new Map<WrittenTable, LedgerRow[]>();
  for (const table of tables) ledgers.set(table, await ledgerOf(lab, table));
  return ledgers;
}

async function openTallies(lab: Lab, tables: readonly WrittenTable[], from?: "end") {
  const tallies = new Map(tables.map((table) => [table.topic, newTally()]));
  const topics = tables.map((table) => table.topic);
  const reader = await openReader(lab, topics, (record) => tallies.get(record.topic)?.add(record), from);
  return { tallies, reader };
}

function tallyOf(tallies: Map<string, Tally>, table: WrittenTable): Tally {
  return tallies.get(table.topic) ?? newTally();
}

async function topicsExist(lab: Lab, tables: readonly WrittenTable[], end: number): Promise<void> {
  const admin = kafkaClient(lab.places).admin();
  await admin.connect();
  try {
    for (;;) {
      const known = new Set(await admin.listTopics());
      const lacking = tables.filter((table) => !known.has(table.topic)).map((table) => table.topic);
      if (lacking.length === 0) return;
      if (Date.now() > end) throw new LabFault(`The connectors did not create ${lacking.join(", ")}.`);
      await sleep(300);
    }
  } finally {
    await admin.disconnect();
  }
}
