import type { Lab } from "@/lab/lab";
import type { LedgerRow } from "@/lab/plan";
import { openReader, type TopicRecord } from "@/lab/reader";
import { changeOf } from "@/lab/tally";
import { keepFigures } from "./figures";

/**
 * Tells of committed changes that never came, with what lies around them. Debezium for PostgreSQL 3.6 can lose some when it is
 * restarted between the commits of interleaved transactions (mended in 3.7), and two rows of MariaDB were missing once after a kill
 * with exactly-once on: no fault of what counts copies.
 */
export interface Losses {
  tell(event: string, missing: readonly { topic: string; rows: LedgerRow[] }[]): Promise<void>;
}

/**
 * Waits until all that is committed by now was sent, as far as it ever will be, and tells what was not: a connector that loses
 * changes when it is killed is no fault of what is measured here. @throws LabFault after three minutes
 */
export async function tellLosses(lab: Lab, losses: Losses, event: string): Promise<void> {
  const deliveries = lab.deliveries();
  await deliveries.takeDown();
  await lab.settled(180_000);
  await deliveries.read();
  await losses.tell(event, deliveries.missing());
}

interface Around {
  offset: number;
  number: number;
  run: string | null;
  position: string;
}

/** Records shown before and after a lost one. */
const AROUND = 2;

export function openLosses(lab: Lab): Losses {
  const told = new Set<string>();
  return {
    async tell(event, missing) {
      for (const { topic, rows } of missing) {
        const news = rows.filter((row) => !told.has(nameOf(topic, row)));
        if (news.length === 0) continue;
        for (const row of news) told.add(nameOf(topic, row));
        const records = await recordsOf(lab, topic);
        for (const row of news.slice(0, 5))
          console.log(
            `lost in ${topic}: ${JSON.stringify(row)}, beside ${JSON.stringify(around(records, row))}`,
          );
        const connector = topic.startsWith("shop.") ? "orders-cdc" : "inventory-cdc";
        const offsets = await lab.rest("GET", `/connectors/${connector}/offsets`);
        console.log(`committed now: ${JSON.stringify(offsets.body)}`);
        keepFigures("lost changes", {
          event,
          topic,
          changes: news.length,
          "first number": news[0]?.changeNo ?? null,
          beside: JSON.stringify(around(records, news[0])),
        });
      }
    },
  };
}

const nameOf = (topic: string, { changeNo, op }: LedgerRow) => `${topic} ${changeNo} ${op}`;

/** Records whose numbers are next to the lost one's: numbers rise with the time at which they were reserved, about. */
function around(records: readonly Around[], row: LedgerRow | undefined): Around[] {
  const at = records.findIndex(({ number }) => number >= (row?.changeNo ?? 0));
  const middle = at < 0 ? records.length : at;
  return records.slice(Math.max(0, middle - AROUND), middle + AROUND);
}

async function recordsOf(lab: Lab, topic: string): Promise<Around[]> {
  const found: Around[] = [];
  const reader = await openReader(lab, [topic], (record) => {
    const one = aroundOf(record);
    if (one) found.push(one);
  });
  try {
    await reader.readToEnd();
  } finally {
    await reader.close();
  }
  return found.sort((a, b) => a.number - b.number);
}

function aroundOf({ offset, value, run }: TopicRecord): Around | null {
  const change = value === null ? null : changeOf(value);
  if (!change || value === null) return null;
  const { source } = JSON.parse(value) as { source: Record<string, unknown> };
  const { sequence, txId, file, pos, row, gtid } = source;
  const position = JSON.stringify(sequence === undefined ? { gtid, file, pos, row } : { sequence, txId });
  return { offset: Number(offset), number: change.number, run, position };
}
