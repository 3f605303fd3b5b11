import type { JsonObject } from "../json";
import { scnOf } from "./oracle-scn";

/** One stored offset and when it was stored, in milliseconds since 1970. */
export interface StoredAt {
  at: number;
  offset: JsonObject;
}

/** How long the resume SCN of an Oracle offset has stood still. */
export interface ScnAge {
  scn: bigint;
  /** Milliseconds since 1970: the first of the commits that all have this SCN. */
  since: number;
  unchangedForMs: number;
  /** Whether it may be longer: all known commits have this SCN. */
  atLeast: boolean;
  /** Set only when the redo log at this SCN may be gone, by the retention that a person told. */
  warning: string | null;
}

/**
 * Since when the resume SCN stands, from the commits of one source partition, oldest first. A quiet database or a long
 * transaction holds it back; a restart needs the archived redo logs from it on. Null without an SCN, as with XStream.
 * `retentionMs` is how long the database keeps archived redo logs; without it there is an age and never a warning.
 */
export function scnAge(commits: readonly StoredAt[], now: number, retentionMs: number | null): ScnAge | null {
  const scn = scnOf(commits.at(-1)?.offset.scn);
  if (scn == null) return null;
  let first = commits.length - 1;
  while (first > 0 && scnOf(commits[first - 1]?.offset.scn) === scn) first -= 1;
  const since = commits[first]?.at ?? now;
  const unchangedForMs = Math.max(0, now - since);
  const gone = retentionMs !== null && unchangedForMs > retentionMs;
  const warning = gone
    ? `scn has been ${scn} for longer than the database keeps archived redo logs: a restart may fail, because the log from there on may be gone.`
    : null;
  return { scn, since, unchangedForMs, atLeast: first === 0, warning };
}
