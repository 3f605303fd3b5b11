import { createHash } from "node:crypto";
import { z } from "zod";
import { type Failure, failureSchema, type Observation } from "@/lib/observed/observation";

/** The columns that hold an observation, in both tables that have them. */
export interface ObservationRow {
  part: string;
  value: unknown;
  trueAt: Date | null;
  since: Date | null;
  notBefore: Date | null;
  triedAt: Date;
  failure: unknown;
}

/** A value as it is written: its JSON text, and the digest that tells an unchanged one. Null stays null. */
export function textAndDigest(value: unknown): { text: string | null; digest: string | null } {
  if (value === null || value === undefined) return { text: null, digest: null };
  const text = JSON.stringify(value);
  return { text, digest: createHash("sha256").update(text).digest("base64url") };
}

/** An observation as a member of a JSON list of rows, for `json_to_recordset`. */
export function observationColumns(observation: Observation<unknown>) {
  const { text, digest } = textAndDigest(observation.value);
  return {
    value: text,
    digest,
    true_at: observation.trueAt,
    since: observation.since,
    not_before: observation.notBefore,
    tried_at: observation.triedAt,
    failure: observation.failure ? JSON.stringify(observation.failure) : null,
  };
}

const misfit: Failure = {
  kind: "internal",
  sentence: "What was stored was written by another version of Tidemark and does not fit this one.",
  remedy: "The next look replaces it. If this stays, the collector does not run or is of another version.",
};

/** The observation in a row. A value that does not fit its schema comes back as null with an `internal` failure. */
function readObservation<T>(row: ObservationRow, schema: z.ZodType<T>): Observation<T> {
  const times = { trueAt: row.trueAt, since: row.since, notBefore: row.notBefore, triedAt: row.triedAt };
  const failure = failureSchema.nullable().safeParse(row.failure ?? null);
  if (row.value === null || row.value === undefined) {
    return { value: null, ...times, failure: failure.success ? failure.data : misfit };
  }
  const value = schema.safeParse(row.value);
  if (!value.success || !failure.success) {
    return { value: null, ...times, trueAt: null, since: null, notBefore: null, failure: misfit };
  }
  // As stored, not as parsed: zod orders the keys anew, and a value is compared with the next one by its text.
  return { value: row.value as T, ...times, failure: failure.data };
}

/** The observation of one part among a subject's rows; null when that part was never looked at. */
export function readPart<T>(
  rows: readonly ObservationRow[],
  part: string,
  schema: z.ZodType<T>,
): Observation<T> | null {
  const row = rows.find((r) => r.part === part);
  return row ? readObservation(row, schema) : null;
}

/** A stored JSON value that fits its schema, or what stands in for one that does not. */
export function fitting<T>(value: unknown, schema: z.ZodType<T>, otherwise: T): T {
  const parsed = schema.safeParse(value);
  return parsed.success ? parsed.data : otherwise;
}

/** A list read member by member: one that does not fit is left out. */
export function fittingMembers<T>(value: unknown, schema: z.ZodType<T>): T[] {
  return z
    .array(z.unknown())
    .catch([])
    .parse(value)
    .flatMap((member) => {
      const parsed = schema.safeParse(member);
      return parsed.success ? [parsed.data] : [];
    });
}
