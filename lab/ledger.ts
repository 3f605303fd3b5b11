import type { Lab } from "./lab";
import type { LedgerRow, Plan } from "./plan";
import type { WrittenTable } from "./tables";

/** A connection to one source database that writes changes together with their ledger rows. */
export interface LedgerSession {
  /** Reserves change numbers, in a transaction of its own. @returns the first of them */
  reserve(count: number): Promise<number>;
  /** Runs one transaction: all of its changes and their ledger rows, or nothing. Awaits `between` after each statement. */
  write(plan: Plan, between?: () => Promise<unknown>): Promise<void>;
  close(): Promise<void>;
}

/** Opens a session to one of the lab's databases. @throws when it does not answer */
export function openSession(lab: Lab, database: WrittenTable["database"]): Promise<LedgerSession> {
  return database === "postgres" ? postgresSession(lab) : mariadbSession(lab);
}

async function postgresSession(lab: Lab): Promise<LedgerSession> {
  const client = await lab.pg();
  return {
    async reserve(count) {
      const sql = "UPDATE change_numbers SET next = next + $1 RETURNING next - $1 AS first";
      const { rows } = await client.query<{ first: string }>(sql, [count]);
      return Number(rows[0]?.first);
    },
    async write(plan, between) {
      await client.query("BEGIN");
      try {
        for (const { sql, values } of plan.statements) {
          await client.query({ name: nameOf(sql), text: sql, values });
          await between?.();
        }
        await client.query(
          "INSERT INTO written(change_no, table_name, op, id, row_no) SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[], $4::bigint[], $5::bigint[])",
          columnsOf(plan.ledger),
        );
        await client.query("COMMIT");
      } catch (error) {
        await client.query("ROLLBACK").catch(() => {});
        throw error;
      }
    },
    close: () => client.end().catch(() => {}),
  };
}

async function mariadbSession(lab: Lab): Promise<LedgerSession> {
  const client = await lab.mariadb();
  // Locks of gaps would make deadlocks of writers that touch no row of one another's.
  await client.query("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED");
  return {
    async reserve(count) {
      const result = await client.query("UPDATE change_numbers SET next = LAST_INSERT_ID(next + ?)", [count]);
      return Number(result.insertId) - count;
    },
    async write(plan, between) {
      await client.beginTransaction();
      try {
        for (const { sql, values } of plan.statements) {
          await client.execute(sql, values);
          await between?.();
        }
        const tuples = plan.ledger.map(() => "(?, ?, ?, ?, ?)").join(", ");
        const values = plan.ledger.flatMap((row) => [row.changeNo, row.table, row.op, row.id, row.rowNo]);
        await client.query(
          `INSERT INTO written(change_no, table_name, op, id, row_no) VALUES ${tuples}`,
          values,
        );
        await client.commit();
      } catch (error) {
        await client.rollback().catch(() => {});
        throw error;
      }
    },
    close: () => client.end().catch(() => {}),
  };
}

/** All that was committed to a table, as its ledger says. */
export async function ledgerOf(lab: Lab, table: WrittenTable): Promise<LedgerRow[]> {
  const columns = "SELECT change_no, table_name, op, id, row_no FROM written WHERE table_name =";
  if (table.database === "postgres") {
    const client = await lab.pg();
    try {
      const { rows } = await client.query<LedgerLine>(`${columns} $1`, [table.name]);
      return rows.map(rowOf);
    } finally {
      await client.end();
    }
  }
  const client = await lab.mariadb();
  try {
    const rows = await client.query<LedgerLine[]>(`${columns} ?`, [table.name]);
    return rows.map(rowOf);
  } finally {
    await client.end();
  }
}

interface LedgerLine {
  change_no: string | number;
  table_name: string;
  op: LedgerRow["op"];
  id: string | number | null;
  row_no: string | number | null;
}

function rowOf(line: LedgerLine): LedgerRow {
  return {
    changeNo: Number(line.change_no),
    table: line.table_name,
    op: line.op,
    id: line.id === null ? null : Number(line.id),
    rowNo: line.row_no === null ? null : Number(line.row_no),
  };
}

function columnsOf(rows: readonly LedgerRow[]): unknown[][] {
  return [
    rows.map((row) => row.changeNo),
    rows.map((row) => row.table),
    rows.map((row) => row.op),
    rows.map((row) => row.id),
    rows.map((row) => row.rowNo),
  ];
}

const names = new Map<string, string>();

/** A prepared statement's name: the same for the same SQL. */
function nameOf(sql: string): string {
  const name = names.get(sql) ?? `s${names.size}`;
  names.set(sql, name);
  return name;
}
