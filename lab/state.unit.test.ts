import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { parseJavaVersion } from "./needs";
import { openLab } from "./open-lab";
import { cacheFolder, placesOf } from "./places";
import { USUAL_PORTS } from "./ports";
import { endProcess, isAlive, isFrozen, startTimeOf } from "./processes";
import { changeState, expected, newState, readState, secretsOf, writeState } from "./state";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lab-state-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("what a lab remembers", () => {
  test("nothing where none was ever up, and a sentence when it is needed", () => {
    const lab = openLab(folder);
    expect(readState(lab.places)).toBeNull();
    expect(lab.isUp()).toBe(false);
    expect(() => lab.ports).toThrow("Bring one up: npm run lab -- up");
  });

  test("a lab that is up without access control is not given it on the fly", async () => {
    const places = placesOf(folder);
    const self = { pid: process.pid, startTime: startTimeOf(process.pid) ?? "" };
    writeState(places, { ...newState(USUAL_PORTS), processes: { broker: self } });
    const up = openLab(folder).up({ secure: true, mariadb: false });
    await expect(up).rejects.toThrow(
      "The lab is up with a broker that asks for no login. First: npm run lab -- down",
    );
    expect(readState(places)?.secure).toBe(false);
  });

  test("the state of an earlier checkout has what came later", () => {
    const places = placesOf(folder);
    const {
      secure: _,
      avro: __,
      brokers: ___,
      workers: ____,
      brokerOnly: _____,
      ...earlier
    } = newState(USUAL_PORTS);
    const { kafka, controller, connect, postgres, mariadb } = USUAL_PORTS;
    const ports = { kafka, controller, connect, postgres, mariadb };
    mkdirSync(places.run, { recursive: true });
    writeFileSync(places.state, JSON.stringify({ ...earlier, ports }));
    expect(readState(places)).toEqual({ ...newState(USUAL_PORTS), marker: earlier.marker });
  });

  test("which processes it has", () => {
    const state = newState(USUAL_PORTS);
    expect(expected(state)).toEqual(["broker", "postgres", "connect"]);
    const full = { ...state, mariadb: true, avro: true, brokers: 2 };
    expect(expected(full)).toEqual(["broker", "broker-2", "postgres", "mariadb", "registry", "connect"]);
    expect(expected({ ...state, workers: 3 }).slice(-3)).toEqual(["connect", "connect-2", "connect-3"]);
    expect(expected({ ...full, brokerOnly: true, brokers: 3 })).toEqual(["broker", "broker-2", "broker-3"]);
  });

  test("its state comes back as written, with changes", () => {
    const places = placesOf(folder);
    writeState(places, newState(USUAL_PORTS));
    changeState(places, (state) => {
      state.exactlyOnce = true;
    });
    expect(readState(places)).toMatchObject({
      ports: USUAL_PORTS,
      exactlyOnce: true,
      flushIntervalMs: 5_000,
    });
  });

  test("passwords are made once, and for the owner's eyes only", () => {
    const places = placesOf(folder);
    const secrets = secretsOf(places);
    expect(secretsOf(places)).toEqual(secrets);
    expect(secrets.admin).toMatch(/^[0-9a-f]{36}$/);
    expect(statSync(places.secrets).mode & 0o077).toBe(0);
    expect(readFileSync(places.secrets, "utf8")).toContain(`cdc=${secrets.cdc}`);
  });
});

describe("processes", () => {
  test("one is told from a later one with the same number by its start time", async () => {
    const child = spawn("sleep", ["60"], { stdio: "ignore" });
    const pid = child.pid ?? 0;
    const startTime = startTimeOf(pid) ?? "";
    expect(isAlive({ pid, startTime })).toBe(true);
    const other = { pid, startTime: "1" };
    expect(isAlive(other)).toBe(false);
    await endProcess(other, "SIGKILL");
    expect(isAlive({ pid, startTime })).toBe(true);
    await endProcess({ pid, startTime });
    expect(isAlive({ pid, startTime })).toBe(false);
  });
});

describe("freezing", () => {
  test("a process stands still, is thawed, and ends when asked while it is frozen", async () => {
    const lab = openLab(folder);
    const child = spawn("sleep", ["60"], { stdio: "ignore" });
    const recorded = { pid: child.pid ?? 0, startTime: startTimeOf(child.pid ?? 0) ?? "" };
    writeState(lab.places, { ...newState(USUAL_PORTS), processes: { broker: recorded } });
    await lab.freeze("broker");
    expect(isFrozen(recorded)).toBe(true);
    await lab.thaw("broker");
    expect(isFrozen(recorded)).toBe(false);
    await lab.freeze("broker");
    await lab.stop("broker");
    expect(isAlive(recorded)).toBe(false);
    await expect(lab.freeze("broker")).rejects.toThrow(
      "broker is down. Start it: npm run lab -- start broker",
    );
    await expect(lab.freeze("postgres")).rejects.toThrow("PostgreSQL is many processes");
  });
});

describe("the machine", () => {
  test("the cache folder: the lab's own variable, the system's, the home folder", () => {
    expect(cacheFolder({ TIDEMARK_LAB_CACHE: "/a", XDG_CACHE_HOME: "/b" })).toBe("/a");
    expect(cacheFolder({ XDG_CACHE_HOME: "/b" })).toBe("/b/tidemark-lab");
    expect(cacheFolder({})).toMatch(/\/\.cache\/tidemark-lab$/);
  });

  test("Java's version", () => {
    expect(parseJavaVersion("openjdk 17.0.15 2025-04-15\nOpenJDK Runtime …")).toBe(17);
    expect(parseJavaVersion("java 21 2023-09-19 LTS")).toBe(21);
    expect(parseJavaVersion("Usage: java")).toBeNull();
  });
});
