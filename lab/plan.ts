import type { WrittenTable } from "./tables";

/** One SQL statement with its values. */
interface Statement {
  sql: string;
  values: (string | number)[];
}

/**
 * One line of the ledger: one event that must reach the table's topic. A change of a primary key makes two, `d` and
 * `c`, of one number.
 */
export interface LedgerRow {
  changeNo: number;
  table: string;
  op: "c" | "u" | "d";
  /** Primary key; null where the table has none. */
  id: number | null;
  /** For `d`: the number that the row had, which is what its event shows. */
  rowNo: number | null;
}

/** A row that a writer made and no other writer touches. */
interface LiveRow {
  id: number | null;
  changeNo: number;
}

/** Rows of one writer, by table. */
export type Pool = Map<WrittenTable, LiveRow[]>;

/** One transaction, with the changes it holds. */
export interface Plan {
  statements: Statement[];
  ledger: LedgerRow[];
  changes: number;
}

export interface PlanInput {
  tables: readonly WrittenTable[];
  /** Changed as if the transaction were done; of no use when it fails. */
  pool: Pool;
  /** The next change number, of which none is given twice. */
  nextNumber: () => number;
  /** How many changes to make. */
  size: number;
  /** From 0 (included) to 1 (not included). */
  random: () => number;
}

const POOL_LIMIT = 300;

/** Makes up one transaction of inserts, updates, deletes and now and then a change of a primary key. */
export function planTransaction(input: PlanInput): Plan {
  const plan: Plan = { statements: [], ledger: [], changes: 0 };
  while (plan.changes < input.size) {
    const table = pick(input.tables, input.random());
    const rows = input.pool.get(table) ?? [];
    input.pool.set(table, rows);
    const dice = input.random();
    if (rows.length < 5 || (dice < 0.5 && rows.length < POOL_LIMIT)) {
      insert(plan, table, rows, howMany(input, plan, table), input.nextNumber);
    } else if (dice < 0.8) {
      update(plan, table, pick(rows, input.random()), input.nextNumber());
    } else if (dice < 0.93 || !table.keyed) {
      remove(plan, table, rows, Math.floor(input.random() * rows.length), input.nextNumber());
    } else {
      move(plan, table, pick(rows, input.random()), input.nextNumber());
    }
  }
  return plan;
}

/** One insert into each table. */
export function planMarkers(tables: readonly WrittenTable[], nextNumber: () => number): Plan {
  const plan: Plan = { statements: [], ledger: [], changes: 0 };
  for (const table of tables) insert(plan, table, [], 1, nextNumber);
  return plan;
}

/** MariaDB makes one binlog event of several rows, which offsets count apart (`row`). */
function howMany(input: PlanInput, plan: Plan, table: WrittenTable): number {
  if (table.database !== "mariadb" || input.random() > 0.1) return 1;
  return Math.min(3, input.size - plan.changes);
}

function insert(plan: Plan, table: WrittenTable, rows: LiveRow[], count: number, next: () => number): void {
  const values: (string | number)[] = [];
  const tuples: string[] = [];
  let columns: string[] = [];
  for (let i = 0; i < count; i++) {
    const changeNo = next();
    const id = table.keyed ? changeNo : null;
    const row = { ...(id === null ? {} : { id }), change_no: changeNo, ...table.insert(changeNo) };
    columns = Object.keys(row);
    tuples.push(
      `(${Object.keys(row)
        .map((_, at) => placeholder(table, values.length + at + 1))
        .join(", ")})`,
    );
    values.push(...Object.values(row));
    rows.push({ id, changeNo });
    plan.ledger.push({ changeNo, table: table.name, op: "c", id, rowNo: null });
  }
  plan.statements.push({
    sql: `INSERT INTO ${table.name}(${columns.join(", ")}) VALUES ${tuples.join(", ")}`,
    values,
  });
  plan.changes += count;
}

function update(plan: Plan, table: WrittenTable, row: LiveRow, changeNo: number): void {
  change(plan, table, row, { change_no: changeNo, ...table.update(changeNo) });
  row.changeNo = changeNo;
  plan.ledger.push({ changeNo, table: table.name, op: "u", id: row.id, rowNo: null });
  plan.changes += 1;
}

function move(plan: Plan, table: WrittenTable, row: LiveRow, changeNo: number): void {
  change(plan, table, row, { id: changeNo, change_no: changeNo });
  plan.ledger.push({ changeNo, table: table.name, op: "d", id: row.id, rowNo: row.changeNo });
  plan.ledger.push({ changeNo, table: table.name, op: "c", id: changeNo, rowNo: null });
  row.id = changeNo;
  row.changeNo = changeNo;
  plan.changes += 1;
}

function remove(plan: Plan, table: WrittenTable, rows: LiveRow[], at: number, changeNo: number): void {
  const [row] = rows.splice(at, 1);
  if (!row) return;
  const where = condition(table, row, 1);
  plan.statements.push({ sql: `DELETE FROM ${table.name} WHERE ${where.sql}`, values: where.values });
  plan.ledger.push({ changeNo, table: table.name, op: "d", id: row.id, rowNo: row.changeNo });
  plan.changes += 1;
}

function change(plan: Plan, table: WrittenTable, row: LiveRow, set: Record<string, string | number>): void {
  const columns = Object.keys(set).map((column, at) => `${column} = ${placeholder(table, at + 1)}`);
  const where = condition(table, row, columns.length + 1);
  plan.statements.push({
    sql: `UPDATE ${table.name} SET ${columns.join(", ")} WHERE ${where.sql}`,
    values: [...Object.values(set), ...where.values],
  });
}

function condition(table: WrittenTable, row: LiveRow, at: number): Statement {
  const column = table.keyed ? "id" : "change_no";
  return { sql: `${column} = ${placeholder(table, at)}`, values: [row.id ?? row.changeNo] };
}

function placeholder(table: WrittenTable, at: number): string {
  return table.database === "postgres" ? `$${at}` : "?";
}

function pick<T>(from: readonly T[], random: number): T {
  const one = from[Math.floor(random * from.length)];
  if (one === undefined) throw new Error("nothing to pick from");
  return one;
}
