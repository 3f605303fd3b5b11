import type { ClusterSettings } from "@/lib/config/settings";
import { type RegistryValue, readerOf, schemaIdOf, type WriterSchema } from "@/lib/debezium/events/avro";
import { isJsonObject, type JsonObject, type JsonValue } from "@/lib/debezium/json";
import type { Failure, Look } from "@/lib/observed/observation";
import { openRegistryExchange } from "./registry-exchange";
import { noRegistry, type RegistryLimits } from "./registry-failure";

/** A schema registry with Confluent's API, read only. Nothing throws: a failure is a value. */
export interface SchemaRegistry {
  /** `GET /schemas/ids/{id}`, with the schemas that it refers to. Remembered: a registry never changes what an id means. */
  schema(id: number): Promise<Look<WriterSchema>>;
  /**
   * What a key or value holds that has a schema's id in front of it (Confluent's form), in the shape of JSON events. Null:
   * it has another form. `invalid-answer`: the bytes are not what the schema says. `not-supported`: Protobuf.
   */
  decode(bytes: Uint8Array): Promise<Look<JsonValue> | null>;
  close(): Promise<void>;
}

export interface RegistryOptions extends Partial<RegistryLimits> {
  /** Milliseconds for which a failed id is not asked for again; a topic can hold millions of records with it. */
  failureMs?: number;
  /** Milliseconds since some moment. */
  now?: () => number;
}

type Reader = (bytes: Uint8Array) => RegistryValue;
type Known = { schema: WriterSchema; read: Reader };

const MB = 1024 * 1024;
/** Schemas kept, those used longest ago forgotten first. */
const MOST_SCHEMAS = 1_000;
/** All schemas that one refers to, directly or not. */
const MOST_REFERENCES = 100;

/** Makes a client; without settings each answer is `not-configured`. Opens nothing until first asked. */
export function openRegistry(
  settings: ClusterSettings["schemaRegistry"],
  options: RegistryOptions = {},
): SchemaRegistry {
  if (!settings) {
    return {
      schema: async () => ({ failure: noRegistry }),
      decode: async (bytes) => (schemaIdOf(bytes) === null ? null : { failure: noRegistry }),
      close: async () => {},
    };
  }
  const { connectMs = 3_000, answerMs = 10_000, maxBytes = 8 * MB, failureMs = 30_000 } = options;
  const now = options.now ?? (() => performance.now());
  const exchange = openRegistryExchange(settings, { connectMs, answerMs, maxBytes });
  const known = new Map<number, Known>();
  const failed = new Map<number, { failure: Failure; until: number }>();
  const inFlight = new Map<number, Promise<Look<Known>>>();

  function find(id: number): Promise<Look<Known>> | Look<Known> {
    const found = known.get(id);
    if (found) {
      keep(known, id, found);
      return { value: found };
    }
    const before = failed.get(id);
    if (before && now() < before.until) return { failure: before.failure };
    const asking = inFlight.get(id) ?? ask(id).finally(() => inFlight.delete(id));
    inFlight.set(id, asking);
    return asking;
  }

  async function ask(id: number): Promise<Look<Known>> {
    const look = await readSchema(id);
    if (look.failure) {
      keep(failed, id, { failure: look.failure, until: now() + failureMs });
      return look;
    }
    failed.delete(id);
    const value = { schema: look.value, read: readerOf(look.value) };
    keep(known, id, value);
    return { value };
  }

  async function readSchema(id: number): Promise<Look<WriterSchema>> {
    const what = `read schema ${id}`;
    const { value, failure } = await exchange.get(`/schemas/ids/${id}`, what);
    if (failure) return { failure };
    const text = schemaText(value);
    if (text === null) return { failure: wrongShape(what) };
    const references = new Map<string, string>();
    const fault = await addReferences(value, references, []);
    if (fault) return { failure: fault };
    const type = typeof value.schemaType === "string" ? value.schemaType : "AVRO";
    return { value: { type, schema: text, references: [...references.values()] } };
  }

  /** Adds what a schema refers to, each behind what it needs itself. `above`: those that led here, to end a circle. */
  async function addReferences(
    of: JsonObject,
    found: Map<string, string>,
    above: readonly string[],
  ): Promise<Failure | null> {
    for (const reference of Array.isArray(of.references) ? of.references : []) {
      if (!isJsonObject(reference) || typeof reference.subject !== "string")
        return wrongShape("read the references of a schema");
      const path = `/subjects/${encodeURIComponent(reference.subject)}/versions/${encodeURIComponent(String(reference.version))}`;
      const what = `read version ${String(reference.version)} of subject ${reference.subject}`;
      if (found.has(path) || above.includes(path)) continue;
      if (found.size + above.length >= MOST_REFERENCES)
        return {
          kind: "too-large",
          sentence: `a schema refers to more than ${MOST_REFERENCES} others`,
          remedy: null,
        };
      const { value, failure } = await exchange.get(path, what);
      if (failure) return failure;
      const text = schemaText(value);
      if (text === null) return wrongShape(what);
      const fault = await addReferences(value, found, [...above, path]);
      if (fault) return fault;
      found.set(path, text);
    }
    return null;
  }

  return {
    async schema(id) {
      const { value, failure } = await find(id);
      return failure ? { failure } : { value: value.schema };
    },
    async decode(bytes) {
      const id = schemaIdOf(bytes);
      if (id === null) return null;
      const { value, failure } = await find(id);
      if (failure) return { failure };
      if (!readTypes.has(value.schema.type)) return { failure: unreadType(id, value.schema.type) };
      const read = value.read(bytes);
      if (read.why === undefined) return { value: read.value };
      return { failure: { kind: "invalid-answer", sentence: `schema ${id}: ${read.why}`, remedy: null } };
    },
    close: () => exchange.close(),
  };
}

/** Puts it last, where it is forgotten last. */
function keep<T>(map: Map<number, T>, id: number, value: T): void {
  map.delete(id);
  map.set(id, value);
  const [oldest] = map.keys();
  if (map.size > MOST_SCHEMAS && oldest !== undefined) map.delete(oldest);
}

function schemaText({ schema }: JsonObject): string | null {
  return typeof schema === "string" ? schema : null;
}

const readTypes = new Set(["AVRO", "JSON"]);

function unreadType(id: number, type: string): Failure {
  return {
    kind: "not-supported",
    sentence: `schema ${id} is ${/^\w{1,40}$/.test(type) ? type : "of an unknown type"}, which is not read`,
    remedy: "Let the connector write with AvroConverter or JsonConverter.",
  };
}

function wrongShape(what: string): Failure {
  return {
    kind: "invalid-answer",
    sentence: `could not ${what}: the answer has not the form of a schema registry's`,
    remedy: "Check schemaRegistry.url (SCHEMA_REGISTRY_URL): it must have Confluent's API.",
  };
}
