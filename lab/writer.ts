import { setTimeout as sleep } from "node:timers/promises";
import { LabFault, sayError } from "./fault";
import type { Lab, WriteOptions, Written } from "./lab";
import { type LedgerSession, openSession } from "./ledger";
import { type LedgerRow, type Pool, planMarkers, planTransaction } from "./plan";
import { type WrittenTable, writtenTables } from "./tables";

/**
 * For bursts one writer in PostgreSQL: restarted between the commits of two transactions whose records interleave in the WAL, this
 * connector version skips the events of the later one that lie before the earlier one's commit.
 */
const BURST_WRITERS = { postgres: 1, mariadb: 4 };
const BURST_TRANSACTION = 50;
const NUMBERS_AT_ONCE = 500;
/** How long a database may be away before the writer gives up. */
const PATIENCE_MS = 60_000;

/** Writes steadily to both databases; waits for one that is away and goes on. @throws LabFault after a minute without it */
export async function write(lab: Lab, options: WriteOptions = {}): Promise<Written> {
  const { rate = 20, writers = 1, seconds = Number.POSITIVE_INFINITY, signal, log = () => {} } = options;
  const written: Written = { postgres: 0, mariadb: 0 };
  const began = Date.now();
  const ended = () => signal?.aborted === true || Date.now() - began >= seconds * 1_000;
  const say = setInterval(() => log(sayWritten(lab, written)), 10_000);
  try {
    await Promise.all(
      databases(lab).flatMap((database) => {
        // Changes that some writer has done or is at.
        let taken = 0;
        const work = async () => {
          const writer = openWriter(lab, database, writers > 1 ? pause : undefined);
          while (!ended()) {
            const due = Math.floor(((Date.now() - began) / 1_000) * rate) - taken;
            const size = Math.min(due, 1 + Math.floor(Math.random() * 5));
            taken += Math.max(size, 0);
            const done = size > 0 ? await writer.transaction(size, ended) : await sleep(20, 0);
            written[database] += done;
          }
          await writer.close();
        };
        return Array.from({ length: writers }, work);
      }),
    );
  } finally {
    clearInterval(say);
  }
  return written;
}

/** Writes this many changes to each database as fast as it can, with several writers. */
export async function burst(lab: Lab, changes: number, signal?: AbortSignal): Promise<Written> {
  const written: Written = { postgres: 0, mariadb: 0 };
  await Promise.all(
    databases(lab).map(async (database) => {
      let left = changes;
      const work = async () => {
        const writer = openWriter(lab, database);
        while (left > 0 && !signal?.aborted) {
          const size = Math.min(left, BURST_TRANSACTION);
          left -= size;
          // Not `+= await`: that would add to what the sum was before the wait.
          const done = await writer.transaction(size, () => signal?.aborted === true);
          written[database] += done;
        }
        await writer.close();
      };
      await Promise.all(Array.from({ length: BURST_WRITERS[database] }, work));
    }),
  );
  return written;
}

/** Between two statements of a transaction, so that those of several writers interleave. */
const pause = () => sleep(Math.random() * 15);

/**
 * Writes one change to each table: once they are seen in the topics, all that was written before was sent too.
 * @returns their ledger rows
 */
export async function writeMarkers(lab: Lab): Promise<LedgerRow[]> {
  const written: LedgerRow[] = [];
  const tables = writtenTables(lab.state);
  for (const database of databases(lab)) {
    const session = await openSession(lab, database);
    try {
      let next = await session.reserve(tables.length);
      const own = tables.filter((table) => table.database === database);
      const plan = planMarkers(own, () => next++);
      await session.write(plan);
      written.push(...plan.ledger);
    } finally {
      await session.close();
    }
  }
  return written;
}

/** What was written so far, for a person. */
export function sayWritten(lab: Lab, written: Written): string {
  const parts = databases(lab).map((name) => `${written[name]} changes in ${name}`);
  return parts.join(", ");
}

function databases(lab: Lab): WrittenTable["database"][] {
  return lab.state.mariadb ? ["postgres", "mariadb"] : ["postgres"];
}

interface Writer {
  /** Commits one transaction. @returns its changes; 0 when `ended` became true while the database was away */
  transaction(size: number, ended: () => boolean): Promise<number>;
  close(): Promise<void>;
}

function openWriter(lab: Lab, database: WrittenTable["database"], between?: () => Promise<unknown>): Writer {
  const tables = writtenTables(lab.state).filter((table) => table.database === database);
  let session: LedgerSession | undefined;
  let pool: Pool = new Map();
  let next = 0;
  let last = 0;

  async function attempt(size: number): Promise<number> {
    session ??= await openSession(lab, database);
    if (last - next < size + 1) {
      next = await session.reserve(Math.max(NUMBERS_AT_ONCE, size + 1));
      last = next + Math.max(NUMBERS_AT_ONCE, size + 1);
    }
    const plan = planTransaction({ tables, pool, nextNumber: () => next++, size, random: Math.random });
    await session.write(plan, between);
    return plan.changes;
  }

  return {
    async transaction(size, ended) {
      const giveUp = Date.now() + PATIENCE_MS;
      for (;;) {
        try {
          return await attempt(size);
        } catch (error) {
          // Whether it was committed is not known: its rows and numbers are left alone. The ledger knows.
          pool = new Map();
          next = last;
          await session?.close();
          session = undefined;
          if (ended()) return 0;
          if (Date.now() > giveUp) {
            throw new LabFault(
              `${database} takes no changes for ${PATIENCE_MS / 1_000} s: ${sayError(error)}`,
            );
          }
          await sleep(500);
        }
      }
    },
    close: async () => session?.close(),
  };
}
