import type { NotMeasurable } from "@/lib/observed/duplicates";
import { type IdentityCounts, shareOf } from "./identity-sample";
import { unsureCopies } from "./not-measurable-list";
import type { KeyViolation } from "./row-order";
import type { Samples } from "./samples";
import { rateInterval } from "./wilson";

/** What samples say of all records they were drawn from: a scan's result but for its topic and its bytes. */
export interface ScanFigures {
  from: number | null;
  to: number | null;
  records: number;
  events: number;
  duplicates: number;
  rate: number | null;
  interval: [number, number] | null;
  sampled: number;
  share: number;
  /** Of the rows: what the overlap and the order violations are told from. */
  keyShare: number;
  reReads: number;
  snapshotOverlap: number;
  keyOrderViolations: number;
  uncommittedCopies: number;
  /** Each with the place in the list of samples that it is from. */
  violations: (KeyViolation & { of: number })[];
  notMeasurable: NotMeasurable[];
}

/** Examples that are shown. */
const mostViolations = 20;

/**
 * The figures of samples of parts, each of other records, put together at the smallest of their shares: just what one
 * sample of all would say. Figures that belong to rows are told at the smallest share of those.
 */
export function scanFigures(parts: readonly Samples[]): ScanFigures {
  const level = Math.max(0, ...parts.flatMap((p) => [p.identities.level, p.aborted.level]));
  const keyLevel = Math.max(0, ...parts.map((p) => p.keys.level));
  const [share, keyShare] = [shareOf(level), shareOf(keyLevel)];
  const drawn = added(parts.map((p) => p.identities.counts(level)));
  const keys = parts.map((p) => p.keys.counts(keyLevel));
  const all = (count: (part: Samples) => number) => parts.reduce((sum, part) => sum + count(part), 0);
  const ofRows = (figure: "overlaps" | "violations") =>
    Math.round(keys.reduce((sum, part) => sum + part[figure], 0) / keyShare);
  const rate = drawn.records === 0 ? null : drawn.extra / drawn.records;
  const identified = all((p) => p.identified);
  const hot = keys.reduce((sum, part) => sum + part.hot, 0);
  return {
    ...times(parts),
    records: all((p) => p.records),
    events: all((p) => p.events),
    duplicates: share === 1 ? drawn.extra : Math.round((rate ?? 0) * identified),
    rate,
    interval: rateInterval({ ...drawn, share }),
    sampled: drawn.identities,
    share,
    keyShare,
    reReads: all((p) => p.reReads),
    snapshotOverlap: ofRows("overlaps"),
    keyOrderViolations: ofRows("violations"),
    uncommittedCopies: Math.round(all((p) => uncommittedIn(p, level)) / share),
    violations: parts
      .flatMap((part, of) => part.keys.examples.map((one) => ({ ...one, of })))
      .slice(0, mostViolations),
    notMeasurable: [
      ...reasonsOf(parts),
      ...(drawn.unsure === 0 ? [] : [{ ...unsureCopies, count: Math.round(drawn.unsure / share) }]),
      ...hotRows(hot, keyShare),
    ],
  };
}

function added(counts: readonly IdentityCounts[]): IdentityCounts {
  const sum = { identities: 0, repeated: 0, records: 0, extra: 0, extraSquares: 0, unsure: 0 };
  for (const one of counts)
    for (const key of Object.keys(sum) as (keyof IdentityCounts)[]) sum[key] += one[key];
  return sum;
}

/** What a reader gets more who does not wait for commits: an aborted change that came again is one copy too many. */
function uncommittedIn({ aborted, identities }: Samples, level: number): number {
  let copies = 0;
  aborted.forEach((high, low, times) => {
    if (Math.clz32(high) < level) return;
    copies += identities.knows(high, low) ? times : times - 1;
  });
  return copies;
}

function times(parts: readonly Samples[]): { from: number | null; to: number | null } {
  const told = (times: (number | null)[]) => times.filter((time) => time !== null);
  const [from, to] = [told(parts.map((p) => p.from)), told(parts.map((p) => p.to))];
  return {
    from: from.length === 0 ? null : Math.min(...from),
    to: to.length === 0 ? null : Math.max(...to),
  };
}

function reasonsOf(parts: readonly Samples[]): NotMeasurable[] {
  const sum = new Map<string, NotMeasurable & { count: number }>();
  for (const { reasons } of parts) {
    for (const [id, reason] of reasons) {
      const known = sum.get(id);
      if (known) known.count += reason.count;
      else sum.set(id, { ...reason });
    }
  }
  return [...sum.values()].sort((a, b) => b.count - a.count);
}

function hotRows(rows: number, keyShare: number): NotMeasurable[] {
  if (rows === 0) return [];
  const count = Math.round(rows / keyShare);
  return [
    {
      slug: "hot-rows",
      reason: `${count === 1 ? "One row has" : `${count} rows have`} more changes than are remembered of one: the order of those is not checked.`,
      count: null,
      remedy: null,
    },
  ];
}
