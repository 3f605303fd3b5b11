import { createServer } from "node:net";

/** Ports of a lab, all on 127.0.0.1. */
export interface LabPorts {
  kafka: number;
  /** Only a lab with access control listens here: with TLS. */
  kafkaTls: number;
  controller: number;
  connect: number;
  postgres: number;
  mariadb: number;
  /** Only an Avro lab listens here. */
  registry: number;
  /** Only a lab of several brokers listens here, with access control on the ports with TLS too. */
  "broker-2": number;
  "broker-2-tls": number;
  "broker-3": number;
  "broker-3-tls": number;
  /** Only a lab of several Connect workers listens here. */
  "connect-2": number;
  "connect-3": number;
}

export const USUAL_PORTS: LabPorts = {
  kafka: 29092,
  kafkaTls: 29094,
  controller: 29093,
  connect: 28083,
  postgres: 25432,
  mariadb: 23306,
  registry: 28081,
  "broker-2": 29095,
  "broker-2-tls": 29096,
  "broker-3": 29097,
  "broker-3-tls": 29098,
  "connect-2": 28084,
  "connect-3": 28085,
};

/** Whether nothing listens on this port of 127.0.0.1. */
export function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen({ port, host: "127.0.0.1", exclusive: true }, () => server.close(() => resolve(true)));
  });
}

/** The wished ports, or the next free ones above where one is taken. No two are the same. */
export async function choosePorts(
  wished: LabPorts,
  free: (port: number) => Promise<boolean> = isFree,
): Promise<LabPorts> {
  const chosen = { ...wished };
  const used = new Set<number>();
  for (const name of Object.keys(USUAL_PORTS) as (keyof LabPorts)[]) {
    let port = wished[name];
    while (used.has(port) || !(await free(port))) {
      port += 1;
      if (port > 65_535) throw new Error(`No free port at or above ${wished[name]} for ${name}.`);
    }
    used.add(port);
    chosen[name] = port;
  }
  return chosen;
}
