import { createServer } from "node:net";

const host = "127.0.0.1";

/** The first free port of the loopback interface at or after the wanted one; any, if fifty are taken; null: none is. */
export async function freePort(wanted: number): Promise<number | null> {
  for (const port of [...Array.from({ length: 50 }, (_, i) => wanted + i), 0]) {
    const free = await tryPort(port);
    if (free !== null) return free;
  }
  return null;
}

function tryPort(port: number): Promise<number | null> {
  return new Promise((done) => {
    const server = createServer();
    server.once("error", () => done(null));
    server.listen(port, host, () => {
      const address = server.address();
      const got = typeof address === "object" && address ? address.port : port;
      server.close(() => done(got));
    });
  });
}
