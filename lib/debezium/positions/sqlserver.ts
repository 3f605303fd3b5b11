import { changeTableKind } from "./change-table";
import { plural } from "./field-kinds";
import { type HexLsn, hexLsnParts } from "./lsn-hex";

function describe(lsn: HexLsn): string {
  const [file, block, slot] = hexLsnParts(lsn);
  return `${lsn} (VLF ${file}, block ${block}, slot ${slot})`;
}

/** Virtual log files have no fixed size, and the log between two LSNs also holds what is not captured. */
function gap(from: HexLsn | null, to: HexLsn | null): string {
  const why = "an LSN is a place in the transaction log, which does not tell bytes or changes in between.";
  const [first] = from === null ? [] : hexLsnParts(from);
  const [last] = to === null ? [] : hexLsnParts(to);
  if (first === undefined || last === undefined) return `One of the two has no commit LSN; ${why}`;
  if (first === last) return `In the same virtual log file; ${why}`;
  const files = last > first ? last - first : first - last;
  return `${plural(files, "virtual log file")} ${last > first ? "later" : "earlier"}; ${why}`;
}

/** SQL Server's LSNs have 10 bytes: virtual log file (4), block (4), slot (2). */
export const sqlserver = changeTableKind({
  name: "SQL Server",
  lsnBytes: [10],
  changesCanFall: true,
  eventsAreNumbered: true,
  describe,
  gap,
});
