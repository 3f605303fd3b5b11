/** The LSN as PostgreSQL prints it (`%X/%X`, upper case, no zero padding). Java's negative longs are read as unsigned. */
export function lsnText(lsn: bigint): string {
  const unsigned = BigInt.asUintN(64, lsn);
  const high = (unsigned >> 32n).toString(16);
  const low = (unsigned & 0xffff_ffffn).toString(16);
  return `${high}/${low}`.toUpperCase();
}

/** The number of an LSN text such as `16/3002D50`; null when it is not one. */
export function parseLsn(text: string): bigint | null {
  const match = /^([0-9a-f]{1,8})\/([0-9a-f]{1,8})$/i.exec(text.trim());
  if (!match) return null;
  return (BigInt(`0x${match[1]}`) << 32n) | BigInt(`0x${match[2]}`);
}

/** Bytes of WAL from one LSN to another; negative when the second lies before the first. */
export function walBytes(from: bigint, to: bigint): bigint {
  return BigInt.asUintN(64, to) - BigInt.asUintN(64, from);
}
