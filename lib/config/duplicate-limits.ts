import type { Settings } from "./settings";

/** How many duplicates there may be before they are a finding. */
export interface DuplicateLimits {
  /** Share of the changes of 24 hours, 0 to 1. Null: no such limit. */
  rate: number | null;
}

/** The limit of `checks.duplicates`, for every connector. */
export function duplicateLimits({ checks }: Settings): DuplicateLimits {
  return { rate: checks.duplicates.rate || null };
}
