import { existsSync, readdirSync, rmdirSync, rmSync } from "node:fs";
import { grant, revoke } from "./access";
import { registryUrlOf } from "./avro";
import { kafkaClient } from "./broker";
import { brokerAddresses } from "./brokers";
import { answeringUrlOf, connectUrlOf } from "./connect";
import { askConnect } from "./connect-rest";
import { openDeliveries } from "./deliveries";
import { downAll, killProcess, stopProcess } from "./down";
import { freezeProcess, thawProcess } from "./freeze";
import type { Lab } from "./lab";
import { kafkaSettings } from "./login";
import { mariadbClient } from "./mariadb";
import { dropOwnership, isOwner, takeOwnership } from "./owner";
import { placesOf } from "./places";
import { postgresClient } from "./postgres";
import { forbidLaunches, isAlive } from "./processes";
import type { Log } from "./progress";
import { waitRunning } from "./running";
import { snapshotTable } from "./snapshot";
import { startProcess } from "./start";
import { changeState, expected, type ProcessName, readState, requireState, workersOf } from "./state";
import { caughtUp, settled, truthOf, truthOfAll } from "./truth";
import { bringUp } from "./up";
import type { Watcher } from "./watch";
import { burst, write } from "./writer";

const quiet: Log = () => {};

/** The lab in a folder: `TIDEMARK_LAB_DIR`, else `.lab` in the checkout. Starts nothing. */
export function openLab(folder?: string): Lab {
  const places = placesOf(folder);
  let watcher: Watcher | undefined;
  const stateNow = () => requireState(places);

  async function start(name: ProcessName, log: Log = quiet): Promise<void> {
    await startProcess(places, name, log);
  }
  const stop = (name: ProcessName) => stopProcess(places, name, 30_000);
  async function restart(name: ProcessName, log: Log = quiet): Promise<void> {
    await stop(name);
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
    get connectUrls() {
      return workersOf(stateNow()).map((name) => connectUrlOf(stateNow(), name));
    },
    get brokers() {
      return brokerAddresses(places, stateNow());
    },
    get registryUrl() {
      return stateNow().avro ? registryUrlOf(stateNow().ports) : null;
    },
    kafkaSettings: (user = "tidemark", options = {}) => kafkaSettings(places, stateNow(), user, options),
    kafka: (user) => kafkaClient(places, user),
    grant: (rights) => grant(kafkaClient(places), rights),
    revoke: (rights) => revoke(kafkaClient(places), rights),
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
      // Only what the lab made: a folder named by mistake keeps the rest.
      for (const made of [places.data, places.logs, places.run])
        rmSync(made, { recursive: true, force: true });
      if (existsSync(places.root) && readdirSync(places.root).length === 0) rmdirSync(places.root);
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
    stop,
    restart,
    freeze: (name) => freezeProcess(places, name),
    thaw: (name) => thawProcess(places, name),
    async configure(change, log) {
      changeState(places, (state) => Object.assign(state, change));
      const alive = workersOf(stateNow()).filter((name) => isAlive(stateNow().processes[name]));
      for (const name of alive) await restart(name, log);
    },
    rest: (method, path, body) => askConnect(answeringUrlOf(stateNow()), method, path, body),
    waitRunning: (timeoutMs) => waitRunning(places, timeoutMs),
    pg: () => postgresClient(places, stateNow().ports),
    mariadb: () => mariadbClient(places, stateNow().ports),
    write: (options) => write(lab, options),
    burst: (changes, signal) => burst(lab, changes, signal),
    truthOf: (topic, waitMs) => truthOf(lab, topic, waitMs),
    truthOfAll: (waitMs) => truthOfAll(lab, waitMs),
    deliveries: (topics) => openDeliveries(lab, topics),
    snapshot: (table, kind, timeoutMs = 120_000) => snapshotTable(lab, table, kind, timeoutMs),
    settled: (timeoutMs) => settled(lab, timeoutMs),
    caughtUp: (timeoutMs) => caughtUp(lab, timeoutMs),
  };
  return lab;
}
