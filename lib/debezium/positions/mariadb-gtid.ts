import { quoted } from "./field-kinds";
import { type GtidDialect, recordsNoGtid } from "./gtid";

/** `domain-server-sequence`. In a domain the sequence rises, whichever server wrote. */
export interface MariaDbGtid {
  domain: bigint;
  server: bigint;
  sequence: bigint;
}

/** The last transaction of each domain, and of each server in it where several are recorded; sorted. */
export type MariaDbGtidSet = readonly MariaDbGtid[];

const max32 = 2n ** 32n - 1n;
const max64 = 2n ** 64n - 1n;

/** One id such as `0-223344-9120`; null when it is not one. */
export function parseMariaDbGtid(text: string): MariaDbGtid | null {
  const match = /^(\d{1,10})-(\d{1,10})-(\d{1,20})$/.exec(text.trim());
  if (!match?.[1] || !match[2] || !match[3]) return null;
  const gtid = { domain: BigInt(match[1]), server: BigInt(match[2]), sequence: BigInt(match[3]) };
  return gtid.domain <= max32 && gtid.server <= max32 && gtid.sequence <= max64 ? gtid : null;
}

function compareStreams(a: MariaDbGtid, b: MariaDbGtid): number {
  const difference = a.domain === b.domain ? a.server - b.server : a.domain - b.domain;
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

const streamOf = ({ domain, server }: MariaDbGtid) => `${domain}-${server}`;

function parse(text: string): ReturnType<GtidDialect<MariaDbGtidSet>["parse"]> {
  if (recordsNoGtid(text)) return { set: null };
  const byStream = new Map<string, MariaDbGtid>();
  for (const part of text.split(",").map((p) => p.trim())) {
    if (part === "") continue;
    const gtid = parseMariaDbGtid(part);
    if (!gtid) return { problem: `${quoted(part)} is not a GTID of the form domain-server-sequence` };
    const known = byStream.get(streamOf(gtid));
    if (!known || gtid.sequence > known.sequence) byStream.set(streamOf(gtid), gtid);
  }
  return { set: [...byStream.values()].sort(compareStreams) };
}

const print = (gtid: MariaDbGtid) => `${gtid.domain}-${gtid.server}-${gtid.sequence}`;

/** The newest transaction of each domain. */
function newest(set: MariaDbGtidSet): Map<bigint, MariaDbGtid> {
  const byDomain = new Map<bigint, MariaDbGtid>();
  for (const gtid of set) {
    const known = byDomain.get(gtid.domain);
    if (!known || gtid.sequence > known.sequence) byDomain.set(gtid.domain, gtid);
  }
  return byDomain;
}

/** The same number from two servers is two transactions: the histories have parted. */
function coveredBy(byDomain: ReadonlyMap<bigint, MariaDbGtid>, gtid: MariaDbGtid): boolean {
  const known = byDomain.get(gtid.domain);
  if (!known) return false;
  return known.sequence > gtid.sequence || (known.sequence === gtid.sequence && known.server === gtid.server);
}

const covers = (outer: MariaDbGtidSet, inner: MariaDbGtidSet) => {
  const known = newest(outer);
  return [...newest(inner).values()].every((gtid) => coveredBy(known, gtid));
};

export const mariaDbGtids: GtidDialect<MariaDbGtidSet> = {
  parse,
  print: (set) => set.map(print).join(","),
  describe: (set) =>
    set
      .map((g) => `${print(g)} (transaction ${g.sequence} of server ${g.server}, domain ${g.domain})`)
      .join(", "),
  equal: (a, b) => a.map(print).join() === b.map(print).join(),
  covers,
  // MariaDbGtidSet keeps one stream for each domain and server: after a failover it calls nothing contained.
  coversAsDebezium(outer, inner) {
    const last = new Map(outer.map((gtid) => [streamOf(gtid), gtid.sequence]));
    return inner.every((gtid) => gtid.sequence <= (last.get(streamOf(gtid)) ?? -1n));
  },
  countBeyond(outer, inner) {
    const known = newest(inner);
    let total = 0n;
    for (const [domain, { sequence }] of newest(outer)) {
      const before = known.get(domain)?.sequence ?? 0n;
      if (sequence > before) total += sequence - before;
    }
    return total;
  },
  covered(set, text) {
    const gtid = parseMariaDbGtid(text);
    return gtid && coveredBy(newest(set), gtid);
  },
  isNext(set, text) {
    const gtid = parseMariaDbGtid(text);
    return gtid !== null && (newest(set).get(gtid.domain)?.sequence ?? 0n) + 1n === gtid.sequence;
  },
  compareIds(a, b) {
    const [x, y] = [parseMariaDbGtid(a), parseMariaDbGtid(b)];
    return x && y && x.domain === y.domain ? x.sequence - y.sequence : null;
  },
};
