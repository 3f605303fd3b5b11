import { canonicalJson } from "@/lib/debezium/canonical-json";
import { isJsonObject, type JsonValue } from "@/lib/debezium/json";
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
