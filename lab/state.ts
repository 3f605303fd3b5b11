import { randomBytes, randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { LabFault } from "./fault";
import type { Places } from "./places";
import type { LabPorts } from "./ports";

/** The long-lived processes of a lab, in the order in which they start. */
export const PROCESS_NAMES = ["broker", "postgres", "mariadb", "connect"] as const;
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
  processes: Partial<Record<ProcessName, RecordedProcess>>;
  versions: Record<string, string>;
}

/** The state of a lab, or null where none was ever up. */
export function readState(places: Places): LabState | null {
  if (!existsSync(places.state)) return null;
  return JSON.parse(readFileSync(places.state, "utf8")) as LabState;
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
    processes: {},
    versions: {},
  };
}

/** Passwords of the databases: `admin` owns everything, `cdc` is the connectors' user. */
export interface Secrets {
  admin: string;
  cdc: string;
}

/** The lab's passwords, made at the first call. Connect reads the same file, so configs hold references only. */
export function secretsOf(places: Places): Secrets {
  if (!existsSync(places.secrets)) {
    mkdirSync(places.run, { recursive: true });
    const password = () => randomBytes(18).toString("hex");
    writeFileSync(places.secrets, `admin=${password()}\ncdc=${password()}\n`, { mode: 0o600 });
  }
  const lines = readFileSync(places.secrets, "utf8").split("\n");
  const read = (name: string) =>
    lines.find((line) => line.startsWith(`${name}=`))?.slice(name.length + 1) ?? "";
  return { admin: read("admin"), cdc: read("cdc") };
}
