import { rmSync } from "node:fs";
import type { Connection } from "mariadb";
import type pg from "pg";
import { connectUrlOf } from "./connect";
import { askConnect, type RestAnswer } from "./connect-rest";
import { downAll, killProcess, stopProcess } from "./down";
import { mariadbClient } from "./mariadb";
import { dropOwnership, isOwner, takeOwnership } from "./owner";
import { type Places, placesOf } from "./places";
import type { LabPorts } from "./ports";
import { postgresClient } from "./postgres";
import { forbidLaunches, isAlive } from "./processes";
import type { Log } from "./progress";
import { waitRunning } from "./running";
import { startProcess } from "./start";
import { changeState, type LabState, type ProcessName, readState, requireState } from "./state";
import { caughtUp, type Truth, truthOf, truthOfAll } from "./truth";
import { bringUp, type UpOptions } from "./up";
import type { Watcher } from "./watch";
import { burst, type WriteOptions, type Written, write } from "./writer";

/** A lab on this machine, up or not. Several programs may hold the same one. */
export interface Lab {
  readonly places: Places;
  /** What the lab remembers. @throws when it was never up */
  readonly state: LabState;
  readonly ports: LabPorts;
  /** Address of Connect's REST interface. */
  readonly connectUrl: string;
  readonly brokers: string[];
  /** Whether all of its processes live. */
  isUp(): boolean;
  /** Brings it up; until `detach` or `down` it ends with this process, however that ends. @throws LabFault */
  up(options?: UpOptions & { program?: boolean }): Promise<void>;
  /** Leaves the lab running when this process ends. */
  detach(): void;
  /** Ends all its processes; data stay. */
  down(): Promise<void>;
  /** Ends all its processes and throws its folder away. */
  reset(): Promise<void>;
  /** Ends an `up` that failed, or is still going on in this process: nothing more is started. */
  abandon(): Promise<void>;
  /** Kills a process with SIGKILL and starts it again, unless told to stay down. */
  crash(name: ProcessName, options?: { stayDown?: boolean; log?: Log }): Promise<void>;
  /** Starts a process that is down. */
  start(name: ProcessName, log?: Log): Promise<void>;
  /** Ends a process gracefully and starts it again. */
  restart(name: ProcessName, log?: Log): Promise<void>;
  /** Changes the worker's settings and restarts it gracefully, if it runs. */
  configure(change: { flushIntervalMs?: number; exactlyOnce?: boolean }, log?: Log): Promise<void>;
  rest(method: string, path: string, body?: unknown): Promise<RestAnswer>;
  /** Waits until both connectors and their tasks are RUNNING. @throws LabFault */
  waitRunning(timeoutMs: number): Promise<void>;
  /** Writes changes steadily to both databases. */
  write(options?: WriteOptions): Promise<Written>;
  /** Writes this many changes to each database as fast as it can. */
  burst(changes: number, signal?: AbortSignal): Promise<Written>;
  /** What a written table's topic holds against what was committed. */
  truthOf(topic: string): Promise<Truth>;
  truthOfAll(): Promise<Truth[]>;
  /** Waits until all that was committed is in the topics. @throws LabFault with what is missing */
  caughtUp(timeoutMs: number): Promise<void>;
  /** A connection to the source PostgreSQL (database shop) as its owner; the caller ends it. */
  pg(): Promise<pg.Client>;
  /** A connection to the source MariaDB (database inventory) as its owner; the caller ends it. */
  mariadb(): Promise<Connection>;
}

const quiet: Log = () => {};

/** The lab in a folder: `TIDEMARK_LAB_DIR`, else `.lab` in the checkout. Starts nothing. */
export function openLab(folder?: string): Lab {
  const places = placesOf(folder);
  let watcher: Watcher | undefined;
  const stateNow = () => requireState(places);

  async function start(name: ProcessName, log: Log = quiet): Promise<void> {
    await startProcess(places, name, log);
  }
  async function restart(name: ProcessName, log: Log = quiet): Promise<void> {
    await stopProcess(places, name, 30_000);
    await start(name, log);
  }

  const lab: Lab = {
    places,
    get state() {
      return stateNow();
    },
    get ports() {
      return stateNow().ports;
    },
    get connectUrl() {
      return connectUrlOf(stateNow());
    },
    get brokers() {
      return [`127.0.0.1:${stateNow().ports.kafka}`];
    },
    isUp() {
      const state = readState(places);
      return state !== null && expected(state).every((name) => isAlive(state.processes[name]));
    },
    async up(options = {}) {
      takeOwnership(places, options.program ?? false);
      watcher = await bringUp(places, options);
    },
    detach() {
      watcher?.release();
      watcher = undefined;
      dropOwnership(places);
    },
    async down() {
      await downAll(places);
      watcher?.release();
      watcher = undefined;
    },
    async reset() {
      await lab.down();
      rmSync(places.root, { recursive: true, force: true });
    },
    async abandon() {
      forbidLaunches();
      if (isOwner(places)) await lab.down();
    },
    async crash(name, options = {}) {
      await killProcess(places, name);
      if (!options.stayDown) await start(name, options.log);
    },
    start,
    restart,
    async configure(change, log) {
      changeState(places, (state) => Object.assign(state, change));
      if (isAlive(stateNow().processes.connect)) await restart("connect", log);
    },
    rest: (method, path, body) => askConnect(connectUrlOf(stateNow()), method, path, body),
    waitRunning: (timeoutMs) => waitRunning(places, timeoutMs),
    pg: () => postgresClient(places, stateNow().ports),
    mariadb: () => mariadbClient(places, stateNow().ports),
    write: (options) => write(lab, options),
    burst: (changes, signal) => burst(lab, changes, signal),
    truthOf: (topic) => truthOf(lab, topic),
    truthOfAll: () => truthOfAll(lab),
    caughtUp: (timeoutMs) => caughtUp(lab, timeoutMs),
  };
  return lab;
}

/** The processes that a lab has when it is up. */
export function expected(state: LabState): ProcessName[] {
  return state.mariadb ? ["broker", "postgres", "mariadb", "connect"] : ["broker", "postgres", "connect"];
}
