import { soonReadBytes } from "@/lib/measure/duplicates/identity-bytes";

/** Bytes looked through after each start for records of an earlier run, at most and at least. */
const MOST_SEARCH = 8 * 1024 * 1024;
const LEAST_SEARCH = 256 * 1024;
/** All starts together: this, or 1/256 of what the range holds. */
const ALL_SEARCHES = 8 * 1024 * 1024;

/** How many bytes after one of so many starts are looked through for a task that was taken for dead. */
export function searchBytesOf(rangeBytes: number, starts: number): number {
  if (rangeBytes <= soonReadBytes) return MOST_SEARCH;
  const all = Math.max(ALL_SEARCHES, rangeBytes / 256);
  return Math.min(MOST_SEARCH, Math.max(LEAST_SEARCH, all / starts));
}
