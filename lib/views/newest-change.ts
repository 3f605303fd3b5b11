import { iso } from "./freshness";

/** The newest of several times, ISO 8601; null when there is none. Pages look more often while things change. */
export function newestChange(times: Iterable<Date | null | undefined>): string | null {
  let newest: Date | null = null;
  for (const time of times) if (time && (!newest || time > newest)) newest = time;
  return iso(newest);
}
