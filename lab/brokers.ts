import { join } from "node:path";
import type { Places } from "./places";
import { BROKER_NAMES, type BrokerName, type LabState } from "./state";

/** One of the lab's brokers. */
export interface BrokerPlace {
  name: BrokerName;
  /** Its node.id, from 1. */
  node: number;
  port: number;
  /** Only a lab with access control listens here. */
  tlsPort: number;
  folder: string;
  /** File with its settings. */
  settings: string;
}

/** Where a broker is and what it has. */
export function brokerPlace(
  places: Places,
  { ports }: Pick<LabState, "ports">,
  name: BrokerName,
): BrokerPlace {
  return {
    name,
    node: BROKER_NAMES.indexOf(name) + 1,
    port: name === "broker" ? ports.kafka : ports[name],
    tlsPort: name === "broker" ? ports.kafkaTls : ports[`${name}-tls`],
    folder: join(places.data, name.replace("broker", "kafka")),
    settings: join(places.run, `${name}.properties`),
  };
}

/** Addresses of all brokers of the lab, the first one first. */
export function brokerAddresses(places: Places, state: LabState, tls = false): string[] {
  return BROKER_NAMES.slice(0, state.brokers).map((name) => {
    const { port, tlsPort } = brokerPlace(places, state, name);
    return `127.0.0.1:${tls ? tlsPort : port}`;
  });
}
