import type { Lab } from "@/lab/lab";

/** Numbers of rows that are put back: far above all that the writer gives. */
const AGAIN = 500_000_000;

/** Empties a table of each database, has the empty tables read, puts the rows back as new changes and has them read again. */
export async function emptyAndReadAgain(lab: Lab): Promise<void> {
  await Promise.all([emptyCustomers(lab), emptyProducts(lab)]);
}

async function emptyCustomers(lab: Lab): Promise<void> {
  const pg = await lab.pg();
  try {
    await pg.query("CREATE TEMP TABLE kept AS SELECT * FROM customers");
    await pg.query("DELETE FROM customers");
    await lab.snapshot("public.customers", "incremental");
    await pg.query(`INSERT INTO customers SELECT id, ${AGAIN} + id, name, email FROM kept`);
  } finally {
    await pg.end();
  }
  await lab.snapshot("public.customers", "incremental");
}

async function emptyProducts(lab: Lab): Promise<void> {
  const mariadb = await lab.mariadb();
  try {
    await mariadb.query("CREATE TEMPORARY TABLE kept AS SELECT * FROM products");
    await mariadb.query("DELETE FROM products");
    await lab.snapshot("inventory.products", "incremental");
    await mariadb.query(
      `INSERT INTO products(id, change_no, sku, name, qty, price) SELECT id, ${AGAIN} + id, sku, name, qty, price FROM kept`,
    );
  } finally {
    await mariadb.end();
  }
  await lab.snapshot("inventory.products", "incremental");
}

/** Has tables of both databases read again while they are written. */
export async function readAgain(lab: Lab, kind: "incremental" | "blocking"): Promise<void> {
  await Promise.all([lab.snapshot("public.order_lines", kind), lab.snapshot("inventory.stock_moves", kind)]);
}
