import { describe, expect, test } from "vitest";
import { type Pool, planMarkers, planTransaction } from "./plan";
import { WRITTEN_TABLES } from "./tables";

/** A generator of numbers from 0 to 1 that is the same each time (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

function plans(count: number, size: number) {
  const tables = WRITTEN_TABLES.filter((table) => table.database === "mariadb");
  const pool: Pool = new Map();
  const random = randomFrom(7);
  let next = 1;
  return Array.from({ length: count }, () =>
    planTransaction({ tables, pool, nextNumber: () => next++, size, random }),
  );
}

describe("what the writer makes up", () => {
  test("as many changes as asked for, by each operation, and some of several rows", () => {
    const all = plans(400, 10);
    expect(all.every((plan) => plan.changes === 10)).toBe(true);
    const ops = new Set(all.flatMap((plan) => plan.ledger.map((row) => row.op)));
    expect(ops).toEqual(new Set(["c", "u", "d"]));
    expect(all.some((plan) => plan.statements.some(({ sql }) => sql.includes("), (")))).toBe(true);
  });

  test("no number is given to two changes; a change of a key is a delete and an insert of one number", () => {
    const rows = plans(400, 10).flatMap((plan) => plan.ledger);
    const changes = new Map<number, string[]>();
    for (const row of rows) changes.set(row.changeNo, [...(changes.get(row.changeNo) ?? []), row.op]);
    const twice = [...changes.values()].filter((ops) => ops.length > 1);
    expect(twice.length).toBeGreaterThan(0);
    expect(twice.every((ops) => ops.join("") === "dc")).toBe(true);
  });

  test("a delete says the number that the row had", () => {
    const last = new Map<string, number>();
    for (const row of plans(400, 10).flatMap((plan) => plan.ledger)) {
      if (row.id === null) continue;
      const at = `${row.table} ${row.id}`;
      if (row.op === "d") expect(row.rowNo).toBe(last.get(at));
      else last.set(at, row.changeNo);
    }
  });

  test("markers are one insert into each table", () => {
    let next = 5;
    const plan = planMarkers(WRITTEN_TABLES, () => next++);
    expect(plan.ledger.map((row) => row.table)).toEqual(WRITTEN_TABLES.map((table) => table.name));
    expect(plan.statements[0]?.sql).toContain("VALUES ($1, $2, $3");
  });
});
