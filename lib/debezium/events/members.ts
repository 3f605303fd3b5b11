import { isJsonObject, type JsonObject, type JsonValue, wholeNumber } from "../json";

/** A member of the object itself: a column may be called `__proto__`. */
export function own(object: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

export function ownText(object: JsonObject, key: string): string | null {
  const value = own(object, key);
  return typeof value === "string" ? value : null;
}

export function ownObject(object: JsonObject, key: string): JsonObject | null {
  const value = own(object, key);
  return isJsonObject(value) ? value : null;
}

/** Milliseconds since 1970; null when it is no whole number that a date can hold. */
export function ownMillis(object: JsonObject, key: string): number | null {
  const millis = wholeNumber(own(object, key));
  return millis !== null && millis >= 0n && millis <= 8_640_000_000_000_000n ? Number(millis) : null;
}

/** JSON with the keys of each map sorted. */
export function sorted(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isJsonObject(value)) return value;
  const result: JsonObject = Object.create(null);
  for (const key of Object.keys(value).sort()) result[key] = sorted(value[key] ?? null);
  return result;
}
