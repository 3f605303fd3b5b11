import type { JsonObject, JsonValue } from "../json";
import { quoted } from "./field-kinds";
import { type KeyReading, keyText, readJavaKey } from "./java-key";
import type { FieldKind } from "./position";

const readKey = (value: JsonValue | undefined): KeyReading =>
  typeof value === "string" ? readJavaKey(value) : { problem: `is ${quoted(value)}, not a serialised key` };

/** A field that holds the key of a row, serialised by Java. */
export function keyField(meaning: string): FieldKind {
  return {
    meaning,
    read(value) {
      if (value === null) return { text: "none" };
      const { columns, problem } = readKey(value);
      if (problem !== undefined) return { problem };
      return { text: columns === null ? "none yet" : keyText(columns) };
    },
  };
}

/** Per cent in whole numbers and with one digit; neither 0 once begun nor 100 before the end. */
function share(part: number, whole: number): { about: string; exact: string } {
  const percent = (100 * part) / whole;
  const about = percent > 0 && percent < 1 ? "less than 1 %" : `about ${Math.round(percent)} %`;
  if (percent > 0 && percent < 0.05) return { about, exact: "under 0.1" };
  return { about, exact: part < whole ? Math.min(percent, 99.9).toFixed(1) : "100.0" };
}

/**
 * How far the incremental snapshot of the table in progress is, as far as its keys tell: `about 25 % if keys are
 * evenly spread (24.8)`. The first key of the table is not stored, so keys are taken to begin near 0; null where
 * no key is stored yet or the keys are no such numbers. Of several columns the first counts.
 */
export function snapshotProgress(offset: JsonObject): string | null {
  const last = readKey(offset.incremental_snapshot_primary_key).columns?.map(({ number }) => number);
  const highest = readKey(offset.incremental_snapshot_maximum_key).columns?.map(({ number }) => number);
  const [at, end] = [last?.[0] ?? null, highest?.[0] ?? null];
  if (!last || at === null || end === null || !Number.isFinite(end)) return null;
  if (at < 0 || end <= 0 || !(at <= end)) return null;
  const { about, exact } = share(at, end);
  if (last.length === 1) return `${about} if keys are evenly spread (${exact})`;
  return `${about} by the first of ${last.length} key columns, if it is evenly spread (${exact})`;
}
