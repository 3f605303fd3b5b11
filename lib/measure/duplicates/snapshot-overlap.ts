import type { DeliveredRecord } from "@/lib/debezium/events/delivered-record";
import type { Sighting } from "./identity-walk";

/** What a topic holds of snapshots, row by row. */
export class SnapshotOverlap {
  /** Records that a snapshot made. */
  reReads = 0;
  /** Those of a row that a snapshot had read before, with no change of it in between. */
  repeated = 0;
  /** Rows that came from a snapshot and then as an insert, with no delete in between. */
  overlaps = 0;
  /** Rows that a snapshot read and no change has touched since. */
  #read = new Set<string>();

  /** Takes the records of a topic, of each partition in order of offset. @param sighting what the walk by identity said */
  add(record: DeliveredRecord, sighting: Sighting): void {
    const row = record.rowKey === null ? null : `${record.writer ?? ""} ${record.rowKey}`;
    if (record.kind === "snapshot") {
      this.reReads += 1;
      if (row === null) return;
      if (this.#read.has(row)) this.repeated += 1;
      this.#read.add(row);
      return;
    }
    if (record.kind !== "change" || sighting === "copy") return;
    // TRUNCATE has no key: none of the rows is left.
    if (record.op === "t") this.#read.clear();
    if (row === null) return;
    if (record.op === "c" && this.#read.has(row)) this.overlaps += 1;
    this.#read.delete(row);
  }
}
