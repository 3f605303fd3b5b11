import { createServer as createHttpServer } from "node:http";
import { createServer, type Server, type Socket } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { openKafka } from "./connection";
import { describeCluster } from "./describe-cluster";

const servers: { server: Server; sockets: Set<Socket> }[] = [];
afterEach(async () => {
  for (const { server, sockets } of servers.splice(0)) {
    for (const socket of sockets) socket.destroy();
    await new Promise((done) => server.close(done));
  }
});

async function serve(server: Server): Promise<string> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
  });
  servers.push({ server, sockets });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const address = server.address();
  return `127.0.0.1:${typeof address === "object" && address ? address.port : 0}`;
}

async function lookAt(broker: string, tls: boolean | { ca: string; rejectUnauthorized: boolean } = false) {
  const k = openKafka({
    name: "t",
    connect: { urls: ["http://localhost:1"] },
    kafka: { brokers: [broker], tls },
  });
  try {
    return (await describeCluster(k)).failure;
  } finally {
    await k.close();
  }
}

describe("something else in place of a broker", () => {
  test("a web server", async () => {
    const failure = await lookAt(await serve(createHttpServer((_req, res) => res.end("hello"))));
    expect(failure?.kind).toBe("unreachable");
    expect(failure?.sentence).toContain(`does not speak Kafka's protocol (its answer begins with "HTTP")`);
  });

  test("a server that wants TLS", async () => {
    const alert = Buffer.from([0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 0x46]);
    const failure = await lookAt(await serve(createServer((socket) => socket.end(alert))));
    expect(failure).toMatchObject({ kind: "unreachable", remedy: "Set kafka.tls." });
    expect(failure?.sentence).toContain("wants TLS");
  });

  test("one that claims to send gigabytes is cut off before it does", async () => {
    let sent = 0;
    const flood = (socket: Socket) => {
      socket.write(Buffer.from([0x7f, 0xff, 0xff, 0xff]));
      const chunk = Buffer.alloc(1 << 16);
      const more = () => {
        while (!socket.destroyed && socket.write(chunk)) sent += chunk.length;
      };
      socket.on("drain", more);
      more();
    };
    const failure = await lookAt(await serve(createServer(flood)));
    expect(failure?.sentence).toContain("claims to have 2147483647 bytes");
    expect(sent).toBeLessThan(32 * 1024 * 1024);
  });

  test("one that takes the connection and is silent", async () => {
    const failure = await lookAt(await serve(createServer(() => {})));
    expect(failure?.kind).toBe("timeout");
    expect(failure?.sentence).toContain("did not answer in time");
  });

  test("one that hangs up", async () => {
    const failure = await lookAt(await serve(createServer((socket) => socket.end())));
    expect(failure?.kind).toBe("unreachable");
  });

  test("nothing at all", async () => {
    expect((await lookAt("127.0.0.1:1"))?.sentence).toBe(
      "the broker at 127.0.0.1:1 cannot be reached (connection refused)",
    );
    expect((await lookAt("no-such-host.invalid:9092"))?.kind).toBe("unreachable");
    expect((await lookAt("[::1]:1"))?.kind).toBe("unreachable");
  });

  test("a TLS file that is not there is told by its path", async () => {
    const failure = await lookAt("127.0.0.1:1", { ca: "/no/such.pem", rejectUnauthorized: true });
    expect(failure).toMatchObject({
      kind: "not-configured",
      sentence: expect.stringContaining("/no/such.pem"),
    });
  });
});
