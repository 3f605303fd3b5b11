import type { ClusterSettings } from "@/lib/config/settings";
import { isJsonObject, type JsonObject } from "@/lib/debezium/json";
import type { ConnectorReport, StoredOffsets } from "@/lib/observed/connector";
import type { Failure, Look } from "@/lib/observed/observation";
import { readConnectorReport } from "./connector-report";
import type { Exchanged } from "./exchange";
import { elsewhere, offsetsRefusal, topicsRefusal } from "./explain-refusal";
import { type Limits, type Refusal, TooManyError, WrongShapeError } from "./failure";
import { jsonEntries } from "./json-entries";
import { readStoredOffsets } from "./stored-offsets";
import { type Ask, Workers } from "./workers";

interface ConnectRoot {
  version: string;
  commit: string | null;
  kafkaClusterId: string | null;
}

/** The REST interface of one Connect cluster, read only. Nothing throws: a failure is a value. */
export interface ConnectClient {
  /** `GET /`. */
  readRoot(): Promise<Look<ConnectRoot>>;
  /** `GET /connectors?expand=status&expand=info`, secrets masked. An empty list means that there are none. */
  listConnectors(): Promise<Look<ConnectorReport[]>>;
  /**
   * `GET /connectors/{name}/topics` (Kafka 2.5, KIP-558), sorted. `not-supported` when topic tracking is off.
   * Connect answers an empty list, not 404, for a connector that does not exist: ask only for listed ones.
   */
  readTopics(name: string): Promise<Look<string[]>>;
  /** `GET /connectors/{name}/offsets` (Kafka 3.5, KIP-875). `not-found`: the connector is gone. */
  readOffsets(name: string): Promise<Look<StoredOffsets>>;
  close(): Promise<void>;
}

export interface ConnectClientOptions {
  /** Milliseconds until a connection must stand; Node.js looks about twice a second. Default 3,000. */
  connectMs?: number;
  /** Milliseconds for a whole answer. Connect itself gives up after 90,000. Default 10,000. */
  answerMs?: number;
  /** Bytes of the list of connectors, decompressed. Default 64 MB. */
  maxBytes?: number;
}

const MB = 1024 * 1024;
const ENTRY_BYTES = 8 * MB;
/** More than any cluster has: each costs memory for as long as the list lives. */
const MOST_CONNECTORS = 10_000;
const OFFSETS_BYTES = 16 * MB;
const TOPICS_BYTES = 8 * MB;
const ROOT_BYTES = MB / 16;

/** Makes a client for one cluster. Opens nothing until it is first asked. */
export function createConnectClient(
  settings: ClusterSettings["connect"],
  options: ConnectClientOptions = {},
): ConnectClient {
  const limits: Limits = {
    connectMs: options.connectMs ?? 3_000,
    answerMs: options.answerMs ?? 10_000,
    maxBytes: options.maxBytes ?? 64 * MB,
  };
  const workers = new Workers(settings, limits);
  let version: string | null = null;

  const readRoot = async (): Promise<Look<ConnectRoot>> => {
    const exchanged = await workers.ask(rootQuestion);
    if (exchanged.value) version = exchanged.value.version;
    return lookOf(exchanged, elsewhere);
  };
  const knownVersion = async () => version ?? (await readRoot()).value?.version ?? null;

  return {
    readRoot,
    listConnectors: async () => lookOf(await workers.ask(listQuestion(limits)), elsewhere),
    readTopics: async (name) => {
      if (!isPossibleName(name)) return impossibleName("read its topics");
      const exchanged = await workers.ask(topicsQuestion(name));
      return lookOf(exchanged, (refusal) => topicsRefusal(refusal, name));
    },
    readOffsets: async (name) => {
      if (!isPossibleName(name)) return impossibleName("read its offsets");
      const exchanged = await workers.ask(offsetsQuestion(name));
      const asked = exchanged.refusal?.status === 404 || exchanged.refusal?.status === 405;
      const worker = asked ? await knownVersion() : null;
      return lookOf(exchanged, (refusal) => offsetsRefusal(refusal, name, worker));
    },
    close: () => workers.close(),
  };
}

const rootQuestion: Ask<ConnectRoot> = {
  what: "read the version",
  path: "/",
  maxBytes: ROOT_BYTES,
  read: async (body) => {
    const root = await wholeObject(body, ROOT_BYTES);
    if (typeof root.version !== "string") throw new WrongShapeError("there is no version", true);
    const text = (key: string) => (typeof root[key] === "string" ? root[key] : null);
    return { version: root.version, commit: text("commit"), kafkaClusterId: text("kafka_cluster_id") };
  },
};

const listQuestion = ({ maxBytes }: Limits): Ask<ConnectorReport[]> => ({
  what: "list connectors",
  path: "/connectors?expand=status&expand=info",
  maxBytes,
  read: async (body) => {
    // By name: of a connector that is listed twice, the later entry counts.
    const reports = new Map<string, ConnectorReport>();
    let strange = 0;
    for await (const [name, entry] of jsonEntries(body, ENTRY_BYTES, true)) {
      if (reports.size === MOST_CONNECTORS) throw new TooManyError(MOST_CONNECTORS, "connectors");
      if (entry !== null && !isJsonObject(entry)) strange++;
      if (isPossibleName(name)) reports.set(name, readConnectorReport(name, entry));
    }
    const known = [...reports.values()].some(({ connector, tasks, type, config }) =>
      [connector, tasks, type, config].some((part) => part !== null),
    );
    if (strange > 0 && !known) throw new WrongShapeError("an entry has neither status nor info");
    return [...reports.values()];
  },
});

/** Connect refuses control characters in names, and half a surrogate pair is no Unicode: nobody can ask for such. */
function isPossibleName(name: string): boolean {
  return !/[\0\p{Surrogate}]/u.test(name);
}

function impossibleName(what: string): { failure: Failure } {
  return {
    failure: {
      kind: "not-found",
      sentence: `Could not ${what}: no connector can have a name with a NUL or half a Unicode character`,
      remedy: null,
    },
  };
}

const topicsQuestion = (name: string): Ask<string[]> => ({
  what: `read the topics of ${name}`,
  path: `/connectors/${encodeURIComponent(name)}/topics`,
  maxBytes: TOPICS_BYTES,
  read: async (body) => {
    const entry = (await wholeObject(body, TOPICS_BYTES))[name];
    const topics = isJsonObject(entry) ? entry.topics : undefined;
    if (!Array.isArray(topics)) throw new WrongShapeError("there is no list of topics");
    const names = topics.filter((topic) => typeof topic === "string");
    if (names.length < topics.length) throw new WrongShapeError("a topic is not a text");
    return names.sort();
  },
});

const offsetsQuestion = (name: string): Ask<StoredOffsets> => ({
  what: `read the offsets of ${name}`,
  path: `/connectors/${encodeURIComponent(name)}/offsets`,
  maxBytes: OFFSETS_BYTES,
  read: async (body) => readStoredOffsets((await wholeObject(body, OFFSETS_BYTES)).offsets),
});

async function wholeObject(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<JsonObject> {
  const object: JsonObject = {};
  for await (const [key, value] of jsonEntries(body, maxBytes)) object[key] = value;
  return object;
}

function lookOf<T>(exchanged: Exchanged<T>, explain: (refusal: Refusal) => Refusal): Look<T> {
  if (exchanged.refusal === undefined) return { value: exchanged.value };
  return { failure: explain(exchanged.refusal).failure };
}
