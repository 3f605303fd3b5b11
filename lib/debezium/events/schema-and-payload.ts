import { isJsonObject, type JsonValue } from "../json";
import { own } from "./members";

/**
 * What JsonConverter wrote: with schemas.enable every value is a map of just `schema` and `payload`, the schema null
 * for data without one.
 */
export function payloadOf(value: JsonValue): JsonValue {
  if (!isJsonObject(value) || Object.keys(value).length !== 2) return value;
  const schema = own(value, "schema");
  const payload = own(value, "payload");
  const isSchema = schema === null || (isJsonObject(schema) && typeof own(schema, "type") === "string");
  return isSchema && payload !== undefined ? payload : value;
}
