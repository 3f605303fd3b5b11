import { appendFileSync } from "node:fs";

/** A row of a table of figures. */
export type Figures = Record<string, string | number | null>;

/**
 * Keeps a row of figures that a test found: printed, and where TIDEMARK_REPORT names a file, appended to it as a line of
 * JSON, from which `npm run test:long` makes its report.
 */
export function keepFigures(table: string, row: Figures): void {
  const cells = Object.entries(row).map(([name, value]) => `${name} ${value ?? "unknown"}`);
  console.log(`${table}: ${cells.join(", ")}`);
  const file = process.env.TIDEMARK_REPORT;
  if (file) appendFileSync(file, `${JSON.stringify({ table, row })}\n`);
}

/** Whether the long forms of the tests are wanted, which take the better part of an hour. */
export const isLong = process.env.TIDEMARK_LONG === "1";
