import { plural } from "./field-kinds";

/** A binlog's name taken apart: `mysql-bin` and 31 of `mysql-bin.000031` (BinlogFileName). */
export interface BinlogFile {
  base: string;
  number: bigint;
}

/** Null when the name has no number at its end. */
export function binlogFile(name: string): BinlogFile | null {
  const match = /^(.+)\.(\d+)$/.exec(name.trim());
  return match?.[1] && match[2] ? { base: match[1], number: BigInt(match[2]) } : null;
}

/** How many files later the second is, by number: 999999 comes before 1000000. Null when the bases differ. */
export function filesBetween(first: string, second: string): bigint | null {
  if (first.trim() === second.trim()) return 0n;
  const [a, b] = [binlogFile(first), binlogFile(second)];
  return a && b && a.base === b.base ? b.number - a.number : null;
}

/** `1 file later`, `3 files earlier`. */
export function filesText(files: bigint): string {
  return files < 0n ? `${plural(-files, "file")} earlier` : `${plural(files, "file")} later`;
}
