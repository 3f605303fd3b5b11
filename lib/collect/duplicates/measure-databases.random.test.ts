import fc from "fast-check";
import { expect, test } from "vitest";
import { runIdAt } from "@/lib/collect/restarts/testing/run-log";
import type { LogRecord } from "@/lib/kafka/log/record";
import {
  type Database,
  databases,
  type SourceChange,
  sourceBlock,
} from "@/lib/measure/duplicates/testing/databases";
import { measurePartition } from "./measure-partition";
import { MadeUpLog } from "./testing/made-up-log";
import { copiesIn, inShort, isDelete, type MadeRecord, randomRuns } from "./testing/random-runs";

const base = 1_789_367_000_000;

/** Transactions of one to five changes; the fourth change of one is the other half of a primary key change. */
function changeOf(n: number): SourceChange {
  const round = Math.floor(n / 15);
  const [transaction, ordinal] = places[n % 15] as [number, number];
  const op = isDelete(n) ? "d" : "c";
  return { n, transaction: round * 5 + transaction, ordinal, key: n, op, pair: ordinal === 3 };
}
const places = [1, 2, 3, 4, 5].flatMap((size, transaction) =>
  Array.from({ length: size }, (_, ordinal): [number, number] => [transaction, ordinal]),
);

function recordOf(
  database: Database,
  { run, n, kind }: MadeRecord,
  transactions: boolean,
): Omit<LogRecord, "offset"> {
  const change = changeOf(n);
  const key = Buffer.from(JSON.stringify({ id: n }));
  if (kind === "tombstone") return { timestamp: base, key, value: null, headers: [] };
  const source = sourceBlock(database, change, kind === "snapshot" ? { snapshot: "true" } : {});
  const value = {
    before: null,
    after: { id: n },
    source,
    op: kind === "snapshot" ? "r" : change.op,
    ts_ms: base,
    transaction: transactions ? { id: `tx ${change.transaction}`, total_order: change.ordinal + 1 } : null,
  };
  const runId = Buffer.from(runIdAt(base + run * 1_000));
  return {
    timestamp: base,
    key,
    value: Buffer.from(JSON.stringify(value)),
    headers: [{ name: "__debezium.context.runId", value: runId }],
  };
}

test.each(databases)(
  "%s: finds the copies that a set of all changes finds",
  { timeout: 120_000 },
  async (database) => {
    await fc.assert(
      fc.asyncProperty(randomRuns({ zombies: false }), fc.boolean(), async (records, transactions) => {
        const log = new MadeUpLog(
          records.length,
          (offset) => recordOf(database, records[offset] as MadeRecord, transactions),
          (offset) => base + offset * 10,
        );
        const { found } = await measurePartition(log.reader(), {
          topic: "shop.inventory.orders",
          partition: 0,
          topicId: null,
          from: 0,
          to: log.end,
          carried: null,
          type: null,
          config: null,
          starts: [],
          registry: null,
          maxBytes: 256 * 1024 * 1024,
        });
        const copies = copiesIn(records);
        const name = inShort(records);
        expect(
          found.replays.reduce((sum, { count }) => sum + count, 0),
          name,
        ).toBe(copies.length);
        for (const { firstOffset, lastOffset, bound } of found.replays) {
          expect(copies).toContain(firstOffset);
          expect(copies).toContain(lastOffset);
          expect(bound).toBe("exact");
        }
        expect(found.falls, name).toEqual([]);
      }),
      { numRuns: 8 },
    );
  },
);
