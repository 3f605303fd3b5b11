import { plural, quoted } from "./field-kinds";
import { type GtidDialect, recordsNoGtid } from "./gtid";

/** From the first to the last number, both included. */
export interface Interval {
  first: bigint;
  last: bigint;
}

/** Intervals by source, sorted and merged. The source is the server's UUID in lower case, with `:tag` where MySQL 8.3+ tags. */
export type MySqlGtidSet = ReadonlyMap<string, readonly Interval[]>;

const uuid = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const tag = /^[a-z_][a-z0-9_]{0,31}$/i;
const interval = /^(\d+)(?:-(\d+))?$/;
const maxNumber = 2n ** 63n - 2n;

/** Sorts intervals and joins those that overlap or touch. */
export function mergeIntervals(intervals: readonly Interval[]): Interval[] {
  const sorted = [...intervals].sort((a, b) => (a.first < b.first ? -1 : a.first > b.first ? 1 : 0));
  const merged: Interval[] = [];
  for (const { first, last } of sorted) {
    const top = merged.at(-1);
    if (top && first <= top.last + 1n) {
      if (last > top.last) top.last = last;
    } else merged.push({ first, last });
  }
  return merged;
}

function canonicalUuid(text: string): string {
  const hex = text.toLowerCase().replaceAll("-", "");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

function readInterval(text: string): Interval | null {
  const match = interval.exec(text);
  if (!match?.[1]) return null;
  const first = BigInt(match[1]);
  const last = BigInt(match[2] ?? match[1]);
  return first >= 1n && last >= first && last <= maxNumber ? { first, last } : null;
}

function addInterval(found: Map<string, Interval[]>, source: string, read: Interval): void {
  const list = found.get(source);
  if (list) list.push(read);
  else found.set(source, [read]);
}

/** Adds the intervals of one `uuid:1-5:tag:7` to the sets; a sentence when it cannot be read. */
function addSource(text: string, found: Map<string, Interval[]>): string | null {
  const [server = "", ...parts] = text.split(":").map((part) => part.trim());
  if (!uuid.test(server)) return `${quoted(text)} does not begin with a server UUID`;
  let source = canonicalUuid(server);
  if (parts.length === 0) return `${quoted(text)} has no transaction numbers`;
  for (const part of parts) {
    const read = readInterval(part);
    if (read) addInterval(found, source, read);
    else if (tag.test(part)) source = `${canonicalUuid(server)}:${part.toLowerCase()}`;
    else return `${quoted(part)} is not a range of transaction numbers such as 1-5`;
  }
  return null;
}

/**
 * Parses a set as MySQL prints it: sources parted by commas and line breaks, repeated sources united.
 * Overlapping intervals are counted once.
 */
export function parseMySqlGtids(text: string): ReturnType<GtidDialect<MySqlGtidSet>["parse"]> {
  if (recordsNoGtid(text)) return { set: null };
  const found = new Map<string, Interval[]>();
  for (const part of text.split(",")) {
    const source = part.replace(/\s+/g, "");
    if (source === "") continue;
    const problem = addSource(source, found);
    if (problem) return { problem };
  }
  const sorted = [...found].sort(([a], [b]) => (a < b ? -1 : 1));
  return { set: new Map(sorted.map(([source, list]) => [source, mergeIntervals(list)])) };
}

const sizeOf = (list: readonly Interval[]) =>
  list.reduce((sum, { first, last }) => sum + last - first + 1n, 0n);

const intervalText = ({ first, last }: Interval) => (first === last ? `${first}` : `${first}-${last}`);

/** `1-5:11-29:40` and how many transactions that is, by source. */
export function gtidSources(set: MySqlGtidSet): { source: string; intervals: string; count: bigint }[] {
  return [...set].map(([source, list]) => ({
    source,
    intervals: list.map(intervalText).join(":"),
    count: sizeOf(list),
  }));
}

/** How many transactions the set holds. */
export function gtidCount(set: MySqlGtidSet): bigint {
  return [...set.values()].reduce((sum, list) => sum + sizeOf(list), 0n);
}

function intersection(x: Interval, y: Interval): Interval | null {
  const [later, earlier] = x.first > y.first ? [x, y] : [y, x];
  if (later.first > earlier.last) return null;
  const [shorter] = x.last < y.last ? [x] : [y];
  return { first: later.first, last: shorter.last };
}

/** Numbers in both lists; each list sorted and merged. */
function overlap(a: readonly Interval[], b: readonly Interval[]): bigint {
  let total = 0n;
  let i = 0;
  let j = 0;
  for (let x = a[0], y = b[0]; x && y; x = a[i], y = b[j]) {
    const shared = intersection(x, y);
    if (shared) total += shared.last - shared.first + 1n;
    if (x.last < y.last) i++;
    else j++;
  }
  return total;
}

function countBeyond(outer: MySqlGtidSet, inner: MySqlGtidSet): bigint {
  let total = 0n;
  for (const [source, list] of outer) total += sizeOf(list) - overlap(list, inner.get(source) ?? []);
  return total;
}

/** One id, `uuid:7` or `uuid:tag:7`. */
function parseId(text: string): { source: string; number: bigint } | null {
  const parsed = parseMySqlGtids(text);
  if (parsed.set?.size !== 1) return null;
  const [[source, list] = []] = [...parsed.set];
  const only = list?.length === 1 ? list[0] : undefined;
  return source !== undefined && only && only.first === only.last ? { source, number: only.first } : null;
}

function describe(set: MySqlGtidSet): string {
  const sources = gtidSources(set);
  const lines = sources.map((s) => `${s.source}: ${s.intervals} (${plural(s.count, "transaction")})`);
  return sources.length > 1 ? `${lines.join(", ")}; ${gtidCount(set)} in all` : lines.join("");
}

const covers = (outer: MySqlGtidSet, inner: MySqlGtidSet) => countBeyond(inner, outer) === 0n;

export const mySqlGtids: GtidDialect<MySqlGtidSet> = {
  parse: parseMySqlGtids,
  print: (set) =>
    gtidSources(set)
      .map(({ source, intervals }) => `${source}:${intervals}`)
      .join(","),
  describe,
  equal: (a, b) => covers(a, b) && covers(b, a),
  covers,
  coversAsDebezium: covers,
  countBeyond,
  covered(set, gtid) {
    const id = parseId(gtid);
    if (!id) return null;
    return (set.get(id.source) ?? []).some(({ first, last }) => first <= id.number && id.number <= last);
  },
  isNext(set, gtid) {
    const id = parseId(gtid);
    if (!id) return false;
    const list = set.get(id.source) ?? [];
    return id.number === 1n || list.some(({ last }) => last + 1n === id.number);
  },
  compareIds(a, b) {
    const [x, y] = [parseId(a), parseId(b)];
    return x && y && x.source === y.source ? x.number - y.number : null;
  },
};
