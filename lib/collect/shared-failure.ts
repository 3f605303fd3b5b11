import type { Failure } from "@/lib/observed/observation";

/**
 * Why a loop failed whose looks at single connectors all failed; null when one succeeded or there was none.
 * What a version cannot tell is a fact, not a failure of the loop.
 */
export function sharedFailure(failures: readonly (Failure | null)[]): Failure | null {
  const first = failures[0] ?? null;
  return failures.every((f) => f !== null && f.kind !== "not-supported") ? first : null;
}
