import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { createGzip } from "node:zlib";

/** How the double answers one request. */
export type Behaviour = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

/** A stand-in for a Connect worker, for tests: a real server on the loopback interface that misbehaves as told. */
export interface ConnectDouble {
  url: string;
  /** Paths as they came over the wire, in order. */
  requests: string[];
  /** The most requests that were open at once, by path. */
  mostOpen: Map<string, number>;
  set(behaviour: Behaviour): void;
  close(): Promise<void>;
}

export interface DoubleOptions {
  behaviour: Behaviour;
  /** A fixed port, to come back at after `close`. */
  port?: number;
  tls?: { key: string; cert: string; ca?: string };
}

/** Starts a double. Close it, or the test does not end. */
export async function startConnectDouble(options: DoubleOptions): Promise<ConnectDouble> {
  let behaviour = options.behaviour;
  const requests: string[] = [];
  const open = new Map<string, number>();
  const mostOpen = new Map<string, number>();
  const sockets = new Set<Socket>();

  const listener = (request: IncomingMessage, response: ServerResponse) => {
    const path = request.url ?? "";
    requests.push(path);
    const now = (open.get(path) ?? 0) + 1;
    open.set(path, now);
    mostOpen.set(path, Math.max(now, mostOpen.get(path) ?? 0));
    response.once("close", () => open.set(path, (open.get(path) ?? 1) - 1));
    response.on("error", () => {});
    Promise.resolve(behaviour(request, response)).catch(() => response.destroy());
  };
  const server = options.tls
    ? createTlsServer({ ...options.tls, requestCert: options.tls.ca !== undefined }, listener)
    : createServer(listener);
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  server.on("tlsClientError", () => {});
  server.listen(options.port ?? 0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `${options.tls ? "https" : "http"}://localhost:${port}`,
    requests,
    mostOpen,
    set: (next) => {
      behaviour = next;
    },
    close: async () => {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, "close");
    },
  };
}

/** A server that speaks no HTTP: whatever it is asked, it answers with `bytes`. */
export async function startTcpDouble(bytes: string): Promise<{ url: string; close(): Promise<void> }> {
  const server = createTcpServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => socket.end(bytes));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://localhost:${port}`,
    close: async () => {
      server.close();
      await once(server, "close");
    },
  };
}

/** Answers with a JSON body: a value, or a text that is taken as it is. */
export function json(body: unknown, status = 200): Behaviour {
  return text(typeof body === "string" ? body : JSON.stringify(body), "application/json", status);
}

/** An error body as Connect writes it. */
export function connectError(status: number, message: string): Behaviour {
  return json({ error_code: status, message }, status);
}

export function text(body: string, contentType: string, status = 200): Behaviour {
  return (_request, response) => {
    response.writeHead(status, { "content-type": contentType }).end(body);
  };
}

/** Accepts and never answers. */
export const hang: Behaviour = () => {};

/** Sends headers and the beginning of a body, then nothing. */
export const hangInBody: Behaviour = (_request, response) => {
  response.writeHead(200, { "content-type": "application/json" });
  response.write('{"a":');
};

/** Promises more than it sends. */
export const truncated: Behaviour = (_request, response) => {
  response.writeHead(200, { "content-type": "application/json", "content-length": "5000" });
  response.write('{"a":{"status":{', () => response.destroy());
};

/** Closes the connection instead of answering. */
export const reset: Behaviour = (request) => {
  request.socket.destroy();
};

export function redirect(location: string, status = 302): Behaviour {
  return (_request, response) => {
    response.writeHead(status, { location, "content-type": "text/html" }).end("<h1>Moved</h1>");
  };
}

/** Sends a body a byte at a time. */
export function drip(body: string, everyMs: number): Behaviour {
  return async (_request, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    for (const character of body) {
      if (response.destroyed) return;
      response.write(character);
      await sleep(everyMs);
    }
    response.end();
  };
}

export interface Flood {
  bytes: number;
  /** Compressed on the way: 200 MB become 200 kB. */
  gzip?: boolean;
  /** Tells the length before. */
  announced?: boolean;
  /** `value`: one endless text. `connectors`: an endless list. `noise`: no JSON at all. */
  of?: "value" | "connectors" | "noise";
}

/** Sends a JSON answer of a given size, as fast as it is read, and holds none of it. */
export function flood({ bytes, gzip = false, announced = false, of = "value" }: Flood): Behaviour {
  return async (_request, response) => {
    response.writeHead(200, {
      "content-type": "application/json",
      ...(gzip ? { "content-encoding": "gzip" } : {}),
      ...(announced ? { "content-length": String(bytes) } : {}),
    });
    const into = gzip ? createGzip({ level: 1 }) : response;
    if (into !== response) into.pipe(response);
    into.on("error", () => {});
    const closed = once(response, "close");
    const chunk = Buffer.alloc(65_536, "x");
    let sent = 0;
    const write = async (part: Buffer | string) => {
      sent += part.length;
      if (!into.write(part)) await Promise.race([once(into, "drain"), closed]);
    };
    if (of === "value") await write('{"a":"');
    if (of === "connectors") await write("{");
    while (sent < bytes && !response.destroyed)
      await write(of === "connectors" ? connectorLine(sent) : chunk);
    if (into !== response) into.destroy();
    response.destroy();
  };
}

function connectorLine(n: number): string {
  const status = {
    name: `c${n}`,
    connector: { state: "RUNNING", worker_id: "w:8083" },
    tasks: [],
    type: "source",
  };
  return `"c${n}":${JSON.stringify({ status })},`;
}

/** Answers by path, query left out; what is not named gets Connect's 404. Paths are as on the wire. */
export function routes(byPath: Record<string, Behaviour>): Behaviour {
  return (request, response) => {
    const path = (request.url ?? "").split("?")[0] ?? "";
    return (byPath[path] ?? connectError(404, "HTTP 404 Not Found"))(request, response);
  };
}

export interface FakeConnector {
  status?: unknown;
  info?: unknown;
  topics?: readonly string[];
  /** The answer of `/offsets`: a value, or JSON text where digits matter. */
  offsets?: unknown;
}

/** A whole Connect cluster that is well: root, list, topics and offsets. */
export function fakeCluster(connectors: Record<string, FakeConnector>, version = "4.4.0"): Behaviour {
  const list = Object.entries(connectors).map(([name, { status, info }]) => [
    name,
    { ...(status === undefined ? {} : { status }), ...(info === undefined ? {} : { info }) },
  ]);
  const byPath: Record<string, Behaviour> = {
    "/": json({ version, commit: "1156b2752aaa28ea", kafka_cluster_id: "double" }),
    "/connectors": json(Object.fromEntries(list)),
  };
  for (const [name, { topics, offsets }] of Object.entries(connectors)) {
    const path = `/connectors/${encodeURIComponent(name)}`;
    byPath[`${path}/topics`] = json({ [name]: { topics: topics ?? [] } });
    byPath[`${path}/offsets`] = json(offsets ?? { offsets: [] });
  }
  return routes(byPath);
}
