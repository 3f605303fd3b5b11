import type { ConnectorDuplicates } from "@/lib/observed/duplicates";

/** What came twice within 24 hours: of one topic, or of all together (`topic` null). */
export interface DayRate {
  topic: string | null;
  duplicates: number;
  /** Offsets taken: changes, tombstones, rows of snapshots, control records. */
  records: number;
  /** 0 to 1. */
  rate: number;
}

/** The rate of one topic alone is judged only over so many records: one replay of a hardly used table is no high rate. */
const LEAST_RECORDS = 1_000;

/** All topics together, without those whose records are not known; null where nothing came. */
export function rateOfAll({ topics }: ConnectorDuplicates): DayRate | null {
  const sum = { duplicates: 0, records: 0 };
  for (const { day } of topics) {
    if (day.records === null) continue;
    sum.duplicates += day.duplicates;
    sum.records += day.records;
  }
  return sum.records === 0 ? null : dayRate(null, sum.duplicates, sum.records);
}

/** The topics over a rate that have records enough to be judged alone, worst first. */
export function topicsOver({ topics }: ConnectorDuplicates, limit: number): DayRate[] {
  return topics
    .flatMap(({ topic, day }) =>
      day.records !== null && day.records >= LEAST_RECORDS
        ? [dayRate(topic, day.duplicates, day.records)]
        : [],
    )
    .filter(({ rate }) => rate > limit)
    .sort((a, b) => b.rate - a.rate);
}

/** All together when these are over the rate, else the worst topic that is; null when nothing is, or there is no limit. */
export function overRate(duplicates: ConnectorDuplicates, limit: number | null): DayRate | null {
  if (limit === null) return null;
  const all = rateOfAll(duplicates);
  return all !== null && all.rate > limit ? all : (topicsOver(duplicates, limit)[0] ?? null);
}

function dayRate(topic: string | null, duplicates: number, records: number): DayRate {
  // Within the minute between two looks at the ends, more can have come again than had been counted.
  return { topic, duplicates, records, rate: Math.min(1, duplicates / records) };
}
