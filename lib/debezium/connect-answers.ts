import { isJsonObject, type JsonObject, type JsonValue } from "./json";

/** Answers of Kafka Connect's REST interface that hold no offsets, by the keys that only they have. */
const answers: readonly { what: string; is(value: JsonObject): boolean }[] = [
  { what: "the status of a connector", is: (v) => has(v, "name", "connector", "tasks") },
  { what: "a connector with its configuration", is: (v) => has(v, "name", "config") },
  { what: "the configuration of a connector", is: (v) => has(v, "connector.class") },
  { what: "the configuration of a task", is: (v) => has(v, "id", "config") },
  { what: "what Kafka Connect says of itself", is: (v) => has(v, "version", "kafka_cluster_id") },
  { what: "a list of connector plugins", is: (v) => has(v, "class", "type") },
  { what: "a list of connectors", is: (v) => each(v, (item) => has(item, "status") || has(item, "info")) },
  { what: "the topics of a connector", is: (v) => each(v, (item) => has(item, "topics")) },
];

function has(value: JsonObject, ...keys: string[]): boolean {
  return keys.every((key) => Object.hasOwn(value, key));
}

function each(value: JsonObject, test: (item: JsonObject) => boolean): boolean {
  let some = false;
  for (const key in value) {
    const item = value[key];
    if (!isJsonObject(item) || !test(item)) return false;
    some = true;
  }
  return some;
}

/** What another answer of Kafka Connect is; null for any other value. */
export function otherConnectAnswer(value: JsonValue): string | null {
  const answer = isJsonObject(value) ? answers.find(({ is }) => is(value)) : undefined;
  return answer?.what ?? null;
}
