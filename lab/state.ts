import { randomBytes, randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { LabFault } from "./fault";
import type { Places } from "./places";
import { type LabPorts, USUAL_PORTS } from "./ports";

/** The brokers that a lab can have; the first is there always, and is the controller too. */
export const BROKER_NAMES = ["broker", "broker-2", "broker-3"] as const;
export type BrokerName = (typeof BROKER_NAMES)[number];

/** The Connect workers that a lab can have, all of one group. */
export const WORKER_NAMES = ["connect", "connect-2", "connect-3"] as const;
export type WorkerName = (typeof WORKER_NAMES)[number];

/** The long-lived processes of a lab, in the order in which they start. */
export const PROCESS_NAMES = [...BROKER_NAMES, "postgres", "mariadb", "registry", ...WORKER_NAMES] as const;
export type ProcessName = (typeof PROCESS_NAMES)[number];

/** A process that the lab started. The start time tells it from a later process with the same number. */
export interface RecordedProcess {
  pid: number;
  startTime: string;
}

/** What a lab remembers between two commands, in run/state.json. */
export interface LabState {
  /** In the environment of all that one `up` started. */
  marker: string;
  ports: LabPorts;
  flushIntervalMs: number;
  exactlyOnce: boolean;
  /** Whether the MariaDB half is there. */
  mariadb: boolean;
  /** Whether the broker asks for a login and for rights. */
  secure: boolean;
  /** Whether there are a schema registry and a connector that writes Avro. Stays until the lab is reset: Connect keeps connectors. */
  avro: boolean;
  /** How many brokers there are, 1 to 3. Never fewer until the lab is reset: they hold topics. */
  brokers: number;
  /** How many Connect workers there are, 1 to 3. */
  workers: number;
  /** Whether the brokers are all there is. */
  brokerOnly: boolean;
  processes: Partial<Record<ProcessName, RecordedProcess>>;
  versions: Record<string, string>;
}

const ADDED = { secure: false, avro: false, brokers: 1, workers: 1, brokerOnly: false };

/** The state of a lab, or null where none was ever up. */
export function readState(places: Places): LabState | null {
  if (!existsSync(places.state)) return null;
  const stored = JSON.parse(readFileSync(places.state, "utf8")) as LabState;
  // A lab of an earlier checkout lacks what came later.
  return { ...ADDED, ...stored, ports: { ...USUAL_PORTS, ...stored.ports } };
}

/** The processes that a lab has when it is up, in the order in which they start. */
export function expected(state: LabState): ProcessName[] {
  const brokers = BROKER_NAMES.slice(0, state.brokers);
  if (state.brokerOnly) return brokers;
  const absent = new Set<ProcessName>([
    ...BROKER_NAMES.slice(state.brokers),
    ...WORKER_NAMES.slice(state.workers),
  ]);
  if (!state.mariadb) absent.add("mariadb");
  if (!state.avro) absent.add("registry");
  return PROCESS_NAMES.filter((name) => !absent.has(name));
}

/** The Connect workers of a lab, the first one first. */
export function workersOf(state: Pick<LabState, "workers">): WorkerName[] {
  return WORKER_NAMES.slice(0, state.workers);
}

/** Writes the state whole: a reader never sees half of it. */
export function writeState(places: Places, state: LabState): void {
  mkdirSync(places.run, { recursive: true });
  const draft = `${places.state}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(state, null, 2)}\n`);
  renameSync(draft, places.state);
}

/** The state of a lab. @throws LabFault where none was ever up */
export function requireState(places: Places): LabState {
  const state = readState(places);
  if (!state) throw new LabFault(`There is no lab in ${places.root}. Bring one up: npm run lab -- up`);
  return state;
}

/** Changes the state as it is on disk now: several programs may hold the same lab. */
export function changeState(places: Places, change: (state: LabState) => void): LabState {
  const state = requireState(places);
  change(state);
  writeState(places, state);
  return state;
}

/** The state of a lab that was never up. */
export function newState(ports: LabPorts): LabState {
  return {
    marker: randomUUID(),
    ports,
    flushIntervalMs: 5_000,
    exactlyOnce: false,
    mariadb: false,
    ...ADDED,
    processes: {},
    versions: {},
  };
}

/**
 * The lab's passwords. In the databases `admin` owns everything and `cdc` is the connectors' user; `kafkaAdmin` and
 * `tidemark` are those of the broker's users `admin` and `tidemark`. Empty where an earlier checkout made the lab.
 */
export interface Secrets {
  admin: string;
  cdc: string;
  kafkaAdmin: string;
  tidemark: string;
}

const SECRETS = ["admin", "cdc", "kafkaAdmin", "tidemark"] as const;

/** The lab's passwords, made at the first call. Connect reads the same file, so configs hold references only. */
export function secretsOf(places: Places): Secrets {
  if (!existsSync(places.secrets)) {
    mkdirSync(places.run, { recursive: true });
    const password = () => randomBytes(18).toString("hex");
    writeFileSync(places.secrets, SECRETS.map((name) => `${name}=${password()}\n`).join(""), { mode: 0o600 });
  }
  const lines = readFileSync(places.secrets, "utf8").split("\n");
  const read = (name: string) =>
    lines.find((line) => line.startsWith(`${name}=`))?.slice(name.length + 1) ?? "";
  return {
    admin: read("admin"),
    cdc: read("cdc"),
    kafkaAdmin: read("kafkaAdmin"),
    tidemark: read("tidemark"),
  };
}
