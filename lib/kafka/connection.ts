import { readFile } from "node:fs/promises";
import type net from "node:net";
import type { ConnectionOptions } from "node:tls";
import Broker from "kafkajs/src/broker/index.js";
import type Connection from "kafkajs/src/network/connection.js";
import ConnectionPool from "kafkajs/src/network/connectionPool.js";
import type { ClusterSettings } from "@/lib/config/settings";
import { AnswerMemory } from "./answer-memory";
import { openGuardedSocket } from "./guarded-socket";

const CONNECT_MS = 3_000;
const ANSWER_MS = 8_000;
/** The longest any call may take, all brokers tried. */
const CALL_MS = 15_000;

/** Key of the Kafka protocol. */
const FETCH = 1;

/** No brokers are configured for this cluster. */
export class NoBrokersError extends Error {
  override name = "NoBrokersError";
}

/** A call took longer than it may, whatever the reason. */
export class DeadlineError extends Error {
  override name = "DeadlineError";
  constructor(readonly milliseconds: number) {
    super(`no answer within ${milliseconds / 1000} s`);
  }
}

/** Brokers could not be reached; `cause` is the last error. */
export class NoBrokerReachedError extends Error {
  override name = "NoBrokerReachedError";
  constructor(
    readonly addresses: readonly string[],
    /** Set when a broker of the cluster cannot be reached at the address that the cluster gives for it. */
    readonly advertisedAs: string | null,
    cause: unknown,
  ) {
    super(`no broker reached at ${addresses.join(", ")}`, { cause });
  }
}

/** Another request on the same connection met with trouble, and the connection was given up. */
class LinkEndedError extends Error {
  override name = "LinkEndedError";
  readonly code = "LINK_ENDED";
  constructor() {
    super("the connection was given up");
  }
}

export type BrokerVersions = Record<number, { minVersion: number; maxVersion: number }>;

/** One connection to the brokers of one cluster, opened when first used, opened again after a broker was away. */
export interface KafkaConnection {
  /** Configured addresses; empty when none are configured. */
  readonly addresses: readonly string[];
  /**
   * Sends one request to a broker (`null`: any) and gives its answer undecided: errors inside it are the caller's.
   * @throws NoBrokersError, NoBrokerReachedError, DeadlineError, or what kafkajs throws for a refused login.
   */
  ask(node: number | null, build: (versions: BrokerVersions) => KafkaWireCall): Promise<unknown>;
  /** Remembers where the brokers are, as a metadata answer told. */
  learn(brokers: readonly { nodeId: number; host: string; port: number }[]): void;
  /** The memory that this is a view of may be used for another answer: nobody looks at it any more. */
  giveBack(answer: Buffer): void;
  close(): Promise<void>;
}

interface Link {
  broker: Broker;
  pool: ConnectionPool;
  sockets: Set<net.Socket>;
  /** Connections of the pool that are being opened, by the sort of request they are for. */
  opening: Map<"fetch" | "other", Promise<Connection>>;
}

const silent = {
  namespace: () => silent,
  info: () => {},
  error: () => {},
  warn: () => {},
  debug: () => {},
};

/** Opens nothing yet. TLS files are read at the first use, so that a renewed certificate is taken at a reconnect. */
export function openKafka(cluster: ClusterSettings): KafkaConnection {
  const settings = cluster.kafka;
  const addresses = settings?.brokers ?? [];
  const nodes = new Map<number, string>();
  const links = new Map<string, Promise<Link>>();
  const memory = new AnswerMemory();
  let lastGood: string | null = null;
  let closed = false;

  function drop(address: string): void {
    const link = links.get(address);
    links.delete(address);
    // Not awaited: kafkajs waits for answers that may never come.
    link?.then(endLink, () => {});
  }

  async function linkTo(address: string): Promise<Link> {
    const known = links.get(address);
    if (known) {
      const link = await known;
      if (link.broker.isConnected()) return link;
      if (links.get(address) === known) drop(address);
    }
    const opening = links.get(address) ?? openLink(address, settings, memory);
    links.set(address, opening);
    opening.catch(() => {
      if (links.get(address) === opening) links.delete(address);
    });
    return opening;
  }

  async function askAt(
    address: string,
    build: (versions: BrokerVersions) => KafkaWireCall,
    deadline: number,
  ): Promise<unknown> {
    try {
      return await before(
        deadline,
        linkTo(address).then((link) => send(link, build(link.broker.versions ?? {}))),
      );
    } catch (error) {
      if (concernsConnection(error)) drop(address);
      throw error;
    }
  }

  return {
    addresses,
    async ask(node, build) {
      if (closed) throw new Error("the connection is closed");
      if (addresses.length === 0) throw new NoBrokersError("no brokers are configured");
      const deadline = Date.now() + CALL_MS;
      const candidates = node === null ? tryInOrder(lastGood, addresses, nodes) : [nodes.get(node) ?? ""];
      let last: unknown = null;
      for (const address of candidates.filter((a) => a !== "")) {
        for (const again of [true, false]) {
          try {
            const answer = await askAt(address, build, deadline);
            lastGood = node === null ? address : lastGood;
            return answer;
          } catch (error) {
            if (!concernsConnection(error)) throw error;
            last = error;
            // A connection that a restarted broker closed under us is worth one new one.
            if (!again || closed || !wasClosed(error) || Date.now() > deadline) break;
          }
        }
        if (Date.now() > deadline) break;
      }
      throw new NoBrokerReachedError(
        node === null ? addresses : candidates,
        node === null ? null : `broker ${node}`,
        last,
      );
    },
    learn(brokers) {
      nodes.clear();
      for (const b of brokers)
        nodes.set(b.nodeId, b.host.includes(":") ? `[${b.host}]:${b.port}` : `${b.host}:${b.port}`);
      const wanted = new Set([...addresses, ...nodes.values()]);
      for (const address of links.keys()) if (!wanted.has(address)) drop(address);
    },
    giveBack: (answer) => memory.giveBack(answer),
    async close() {
      closed = true;
      for (const address of [...links.keys()]) drop(address);
    },
  };
}

/**
 * kafkajs keeps two connections to a broker, one of them for fetches, and opens each when it is first needed: once for every
 * request that comes meanwhile, all but the last socket lost. Here they wait for one opening.
 */
async function send(link: Link, call: KafkaWireCall): Promise<unknown> {
  const sort = call.request.apiKey === FETCH ? "fetch" : "other";
  let opening = link.opening.get(sort);
  if (!opening) {
    opening = link.pool.getConnectionByRequest(call).finally(() => link.opening.delete(sort));
    link.opening.set(sort, opening);
  }
  return (await opening).send(call);
}

function tryInOrder(
  lastGood: string | null,
  configured: readonly string[],
  nodes: Map<number, string>,
): string[] {
  return [...new Set([...(lastGood ? [lastGood] : []), ...configured, ...nodes.values()])];
}

async function openLink(
  address: string,
  settings: ClusterSettings["kafka"],
  memory: AnswerMemory,
): Promise<Link> {
  const [host, port] = splitAddress(address);
  const sockets = new Set<net.Socket>();
  const pool = new ConnectionPool({
    host,
    port,
    ssl: await tlsOptions(settings?.tls ?? false),
    sasl: settings?.sasl ?? null,
    clientId: "tidemark",
    connectionTimeout: CONNECT_MS,
    requestTimeout: ANSWER_MS,
    enforceRequestTimeout: true,
    logger: silent,
    socketFactory: (target) => {
      const socket = openGuardedSocket({ ...target, memory });
      sockets.add(socket);
      socket.once("close", () => sockets.delete(socket));
      return socket;
    },
  });
  pool.map(takeWholeAnswers);
  const link = {
    broker: new Broker({
      connectionPool: pool,
      logger: silent,
      authenticationTimeout: ANSWER_MS,
      allowAutoTopicCreation: false,
    }),
    pool,
    sockets,
    opening: new Map(),
  };
  try {
    await before(Date.now() + CONNECT_MS + ANSWER_MS, link.broker.connect());
  } catch (error) {
    endLink(link);
    throw error;
  }
  return link;
}

/** kafkajs keeps the last answer for an empty rest of it, and for its sake copies the next one, though it came whole. */
function takeWholeAnswers(connection: Connection): void {
  const process = connection.processData;
  connection.processData = (data) => {
    process.call(connection, data);
    if (connection.bytesBuffered === 0) connection.chunks = [];
  };
}

/** Requests that still wait for an answer fail now, not when their time is over. */
function endLink(link: Link): void {
  link.pool.destroy().catch(() => {});
  for (const socket of link.sockets) socket.destroy(new LinkEndedError());
}

/** `host:port` or `[v6]:port`. */
function splitAddress(address: string): [string, number] {
  const at = address.lastIndexOf(":");
  return [address.slice(0, at).replace(/^\[|\]$/g, ""), Number(address.slice(at + 1))];
}

/** TLS files are read at each call. Null: no TLS. */
export async function tlsOptions(
  tls: NonNullable<ClusterSettings["kafka"]>["tls"],
): Promise<ConnectionOptions | null> {
  if (tls === false) return null;
  if (tls === true) return {};
  const pem = (file: string | undefined) => (file === undefined ? undefined : readFile(file, "utf8"));
  const [ca, cert, key] = await Promise.all([pem(tls.ca), pem(tls.cert), pem(tls.key)]);
  return {
    rejectUnauthorized: tls.rejectUnauthorized,
    ...(ca ? { ca } : {}),
    ...(cert ? { cert } : {}),
    ...(key ? { key } : {}),
  };
}

async function before<T>(deadline: number, work: Promise<T>): Promise<T> {
  const milliseconds = Math.max(1, deadline - Date.now());
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new DeadlineError(milliseconds)), milliseconds);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
    work.catch(() => {});
  }
}

const connectionErrors = new Set([
  "DeadlineError",
  "KafkaJSConnectionError",
  "KafkaJSConnectionClosedError",
  "KafkaJSRequestTimeoutError",
  "KafkaJSLockTimeout",
  "KafkaJSTimeout",
]);

function concernsConnection(error: unknown): boolean {
  return error instanceof Error && connectionErrors.has(error.name);
}

function wasClosed(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = "code" in error ? error.code : null;
  return (
    error.name === "KafkaJSConnectionClosedError" ||
    code === "ECONNRESET" ||
    code === "EPIPE" ||
    code === "LINK_ENDED"
  );
}
