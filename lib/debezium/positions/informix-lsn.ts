import { type JsonValue, wholeNumber } from "../json";
import { plural } from "./field-kinds";

const longest = 2n ** 63n - 1n;

/**
 * An LSN of Informix as the connector stores it, a decimal text (io.debezium.connector.informix.Lsn): the number of the
 * logical log in the upper 32 bits, the position in it in the lower. Null for none (`NULL`, -1), undefined for what is neither.
 */
export function informixLsn(value: JsonValue | undefined): bigint | null | undefined {
  if (value == null) return null;
  if (typeof value === "string" && value.trim().toUpperCase() === "NULL") return null;
  const number = wholeNumber(typeof value === "string" ? value.trim() : value);
  if (number === -1n) return null;
  return number !== null && number >= 0n && number <= longest ? number : undefined;
}

const logOf = (lsn: bigint) => lsn >> 32n;

/** As Informix writes it: `LSN(7,8a209c)`, the log in decimal, the position in hexadecimal (Lsn.toLongString). */
export function informixLsnText(lsn: bigint): string {
  return `LSN(${logOf(lsn)},${(lsn & 0xffff_ffffn).toString(16)})`;
}

/** Why no number of bytes lies between two LSNs: the logs' lengths are not in them, and positions count by page. */
export function informixGap(from: bigint | null, to: bigint | null): string {
  if (from === null || to === null) return "One of the two has no commit LSN.";
  const logs = logOf(to) - logOf(from);
  if (logs === 0n)
    return "In the same logical log; a position is the address of a page and a place in it, so their difference is no number of bytes.";
  const size = logs < 0n ? -logs : logs;
  return `${plural(size, "logical log")} ${logs < 0n ? "earlier" : "later"}; how long the logs are is not in the offset.`;
}
