import { isJsonObject, type JsonValue, stringifyJson } from "@/lib/debezium/json";
import type { StoredOffsets } from "@/lib/observed/connector";
import { WrongShapeError } from "./failure";

/**
 * Reads the `offsets` of `GET /connectors/{name}/offsets` (KIP-875). An empty list is an answer: nothing is stored.
 * @throws WrongShapeError
 */
export function readStoredOffsets(offsets: JsonValue | undefined): StoredOffsets {
  if (!Array.isArray(offsets)) throw new WrongShapeError("there is no list of offsets");
  return {
    offsets: offsets.map((entry) => {
      if (!isJsonObject(entry) || entry.partition === undefined || entry.offset === undefined)
        throw new WrongShapeError("an entry lacks partition or offset");
      return { partition: canonicalJson(entry.partition), offset: canonicalJson(entry.offset) };
    }),
  };
}

/** JSON text with sorted keys, so that equal maps have equal texts. No digit is lost. */
function canonicalJson(value: JsonValue): string {
  return stringifyJson(sorted(value));
}

function sorted(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return Object.fromEntries(entries.map(([key, item]) => [key, sorted(item)]));
}
