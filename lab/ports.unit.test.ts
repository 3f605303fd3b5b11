import { createServer } from "node:net";
import { describe, expect, test } from "vitest";
import { choosePorts, isFree, USUAL_PORTS } from "./ports";

describe("ports of a lab", () => {
  test("the usual ones when all are free", async () => {
    expect(await choosePorts(USUAL_PORTS, async () => true)).toEqual(USUAL_PORTS);
  });

  test("the next free ones when some are taken, and never one twice", async () => {
    const taken = new Set([29092, 29093, 28083]);
    const ports = await choosePorts(USUAL_PORTS, async (port) => !taken.has(port));
    expect(ports).toEqual({
      kafka: 29094,
      kafkaTls: 29095,
      controller: 29096,
      connect: 28084,
      postgres: 25432,
      mariadb: 23306,
      registry: 28081,
      "broker-2": 29097,
      "broker-2-tls": 29098,
      "broker-3": 29099,
      "broker-3-tls": 29100,
      "connect-2": 28085,
      "connect-3": 28086,
    });
  });

  test("a port that somebody listens on is not free", async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    const port = typeof address === "object" && address ? address.port : 0;
    expect(await isFree(port)).toBe(false);
    await new Promise((resolve) => server.close(resolve));
    expect(await isFree(port)).toBe(true);
  });
});
