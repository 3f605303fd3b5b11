/** A table that the writer writes, and the topic of its changes. */
export interface WrittenTable {
  database: "postgres" | "mariadb";
  name: string;
  topic: string;
  /** Whether it has a primary key, `id`. */
  keyed: boolean;
  /** Columns beside `id` and `change_no` of a new row, told apart by its number. */
  insert(n: number): Record<string, string | number>;
  /** Columns that an update changes. */
  update(n: number): Record<string, string | number>;
}

const STATUSES = ["NEW", "PAID", "PACKED", "SENT"] as const;

export const WRITTEN_TABLES: readonly WrittenTable[] = [
  {
    database: "postgres",
    name: "orders",
    topic: "shop.public.orders",
    keyed: true,
    insert: (n) => ({
      customer_id: 1 + (n % 100),
      status: "NEW",
      amount: (n % 500) + 0.5,
      note: `order ${n}`,
    }),
    update: (n) => ({ status: STATUSES[n % 4] ?? "NEW", amount: (n % 700) + 0.25 }),
  },
  {
    database: "postgres",
    name: "order_lines",
    topic: "shop.public.order_lines",
    keyed: true,
    insert: (n) => ({ product: `SKU-${n % 200}`, quantity: 1 + (n % 9), price: (n % 90) + 0.75 }),
    update: (n) => ({ quantity: 1 + (n % 9) }),
  },
  {
    database: "postgres",
    name: "customers",
    topic: "shop.public.customers",
    keyed: true,
    insert: (n) => ({ name: `Customer ${n}`, email: `customer${n}@example.com` }),
    update: (n) => ({ name: `Customer ${n}` }),
  },
  {
    database: "postgres",
    name: "audit_nopk",
    topic: "shop.public.audit_nopk",
    keyed: false,
    insert: (n) => ({ who: `user${n % 50}`, what: `did ${n}` }),
    update: (n) => ({ what: `did ${n} instead` }),
  },
  {
    database: "mariadb",
    name: "products",
    topic: "inv.inventory.products",
    keyed: true,
    insert: (n) => ({ sku: `SKU-${n}`, name: `Product ${n}`, qty: n % 100, price: (n % 90) + 0.75 }),
    update: (n) => ({ qty: n % 100 }),
  },
  {
    database: "mariadb",
    name: "stock_moves",
    topic: "inv.inventory.stock_moves",
    keyed: true,
    insert: (n) => ({ product_id: 1 + (n % 200), delta: (n % 7) - 3, reason: "sale" }),
    update: (n) => ({ delta: (n % 7) - 3, reason: "count" }),
  },
  {
    database: "mariadb",
    name: "log_nopk",
    topic: "inv.inventory.log_nopk",
    keyed: false,
    insert: (n) => ({ msg: `message ${n}` }),
    update: (n) => ({ msg: `message ${n} again` }),
  },
];

/** The written tables of a lab with or without its MariaDB half. */
export function writtenTables(state: { mariadb: boolean }): WrittenTable[] {
  return WRITTEN_TABLES.filter((table) => state.mariadb || table.database === "postgres");
}
