import { expect, test } from "vitest";
import type { ConnectorReport } from "@/lib/observed/connector";
import { nextStateTimes } from "./state-times";

const run = (state: string) => ({ state, workerId: "w1:8083", version: null, trace: null });
const report = (connector: string, ...tasks: string[]): ConnectorReport => ({
  name: "shop",
  type: "source",
  connector: run(connector),
  tasks: tasks.map((state, id) => ({ id, ...run(state) })),
  config: {},
  plaintextSecrets: [],
});
const at = (second: number) => new Date(Date.UTC(2026, 10, 29, 12, 0, second));

test("a state keeps its start while it lasts; a task that changes starts anew", () => {
  const first = nextStateTimes(null, report("RUNNING", "UNASSIGNED", "RUNNING"), at(0));
  const second = nextStateTimes(first, report("RUNNING", "UNASSIGNED", "FAILED"), at(5));
  expect(second.connector).toEqual({ state: "RUNNING", since: at(0).toISOString() });
  expect(second.tasks.map((t) => t.since)).toEqual([at(0).toISOString(), at(5).toISOString()]);
});

test("what is not reported has no time", () => {
  const none = nextStateTimes(null, { ...report("RUNNING"), connector: null, tasks: null }, at(0));
  expect(none).toEqual({ connector: null, tasks: [] });
});
