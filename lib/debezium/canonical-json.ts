import { isJsonObject, type JsonValue, stringifyJson } from "./json";

/** JSON text with the keys of every map sorted, so that equal maps have equal texts. No digit is lost. */
export function canonicalJson(value: JsonValue): string {
  return stringifyJson(sorted(value));
}

function sorted(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return Object.fromEntries(entries.map(([key, item]) => [key, sorted(item)]));
}
