import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { placesOf } from "./places";
import { USUAL_PORTS } from "./ports";
import { startTimeOf } from "./processes";
import { portsOfOtherLabs, reserving } from "./reservations";
import { newState, writeState } from "./state";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lab-ports-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("ports of other labs", () => {
  test("are kept while any of their processes lives, also those of a process that is down", async () => {
    const one = placesOf(join(folder, "one"));
    const other = placesOf(join(folder, "other"));
    const ports = { kafka: 50_001, controller: 50_002, connect: 50_003, postgres: 50_004, mariadb: 50_005 };
    await reserving(other, async () => {
      const self = { pid: process.pid, startTime: startTimeOf(process.pid) ?? "" };
      writeState(other, { ...newState({ ...USUAL_PORTS, ...ports }), processes: { broker: self } });
    });
    const taken = portsOfOtherLabs(one);
    expect(Object.values(ports).every((port) => taken.has(port))).toBe(true);
    expect(portsOfOtherLabs(other).has(50_003)).toBe(false);

    writeState(other, newState({ ...USUAL_PORTS, ...ports }));
    expect(portsOfOtherLabs(one).has(50_003)).toBe(false);
  });

  test("are chosen by one lab at a time", async () => {
    const order: string[] = [];
    const choose = (name: string) =>
      reserving(placesOf(join(folder, name)), async () => {
        order.push(`${name} begins`);
        await new Promise((resolve) => setTimeout(resolve, 120));
        order.push(`${name} ends`);
      });
    await Promise.all([choose("a"), choose("b")]);
    expect(order[1]).toBe(order[0]?.replace("begins", "ends"));
  });
});
