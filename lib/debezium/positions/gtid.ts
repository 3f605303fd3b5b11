/** What MySQL's and MariaDB's global transaction ids have in common. `S` is a set of them, as an offset stores it. */
export interface GtidDialect<S> {
  /** Null for a text that holds no GTID at all (empty, blank, `null`). */
  parse(text: string): { set: S | null; problem?: undefined } | { set?: undefined; problem: string };
  /** The shortest text that the database itself reads back as the same set. */
  print(set: S): string;
  /** The set for a person, with counts. */
  describe(set: S): string;
  equal(a: S, b: S): boolean;
  /** Whether every transaction of `inner` is covered by `outer`. */
  covers(outer: S, inner: S): boolean;
  /** The same question as Debezium answers it when it reads a schema history (GtidSet.isContainedWithin). */
  coversAsDebezium(outer: S, inner: S): boolean;
  /** Transactions covered by `outer` and not by `inner`. */
  countBeyond(outer: S, inner: S): bigint;
  /** Whether one transaction is covered; null when its id cannot be read. */
  covered(set: S, gtid: string): boolean | null;
  /** Whether the id is the next one after the set in its stream: the transaction in which an offset can stop. */
  isNext(set: S, gtid: string): boolean;
  /** Orders two transactions of one stream; null when they are of different ones. */
  compareIds(a: string, b: string): bigint | null;
}

/** An empty, blank or `null` text records no GTID. */
export function recordsNoGtid(text: string): boolean {
  const trimmed = text.trim();
  return trimmed === "" || trimmed.toLowerCase() === "null";
}
