/**
 * An LSN as SQL Server's and Db2's connectors print it: lower-case hexadecimal with colons after bytes 4 and 8
 * (io.debezium.connector.sqlserver.Lsn, …db2.Lsn). Of one length, so that comparing texts compares numbers.
 */
export type HexLsn = string & { readonly kind: "hex-lsn" };

/** Null for what no connector writes: other digits, or a length that is not one of `lengths` (in bytes). */
export function parseHexLsn(text: string, lengths: readonly number[]): HexLsn | null {
  const digits = text.trim().toLowerCase().replaceAll(":", "");
  if (!/^[0-9a-f]+$/.test(digits) || !lengths.includes(digits.length / 2)) return null;
  const parts = [digits.slice(0, 8), digits.slice(8, 16), digits.slice(16)];
  return parts.filter((part) => part !== "").join(":") as HexLsn;
}

/** Whether the text stands for "no LSN": Lsn.NULL prints itself so. */
export function isNullLsn(text: string): boolean {
  return text.trim() === "" || text.trim().toUpperCase() === "NULL";
}

/** Negative, 0 or positive; null is the smallest, as in Lsn.compareTo. Null when the lengths differ. */
export function compareHexLsn(a: HexLsn | null, b: HexLsn | null): number | null {
  if (a === null || b === null) return a === b ? 0 : a === null ? -1 : 1;
  if (a.length !== b.length) return null;
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The numbers between the colons: of SQL Server the virtual log file, the block in it and the slot in that. */
export function hexLsnParts(lsn: HexLsn): bigint[] {
  return lsn.split(":").map((part) => BigInt(`0x${part}`));
}
