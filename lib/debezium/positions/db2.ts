import { changeTableKind } from "./change-table";

/** Db2's LSNs have 16 bytes, on z/OS 10, of which only the order has a meaning (SQL replication's COMMITSEQ, INTENTSEQ). */
export const db2 = changeTableKind({
  name: "Db2",
  lsnBytes: [16, 10],
  changesCanFall: false,
  eventsAreNumbered: false,
  describe: (lsn) => lsn,
  gap: () => "Two LSNs of Db2 tell which came first, not how much lies in between.",
});
