import { describe, expect, test } from "vitest";
import type { FoundReplay } from "@/lib/observed/duplicates";
import { causeOf } from "./cause";
import type { CauseFacts, StateChange } from "./cause-facts";

/** 12:00:00 UTC: when the new run began. */
const T = Date.UTC(2026, 10, 30, 12);
const runAt = (at: number) =>
  `${at
    .toString(16)
    .padStart(12, "0")
    .replace(/^(.{8})/, "$1-")}-7abc-8def-0123456789ab`;

const found: FoundReplay = {
  topic: "shop.public.orders",
  topicId: "t1",
  partition: 0,
  firstOffset: 100,
  lastOffset: 119,
  count: 20,
  bound: "exact",
  firstPosition: null,
  lastPosition: null,
  firstCopyOf: 80,
  lastCopyOf: 99,
  runBefore: runAt(T - 600_000),
  runAfter: runAt(T),
  writer: "shop",
  at: new Date(T + 1_000).toISOString(),
  until: new Date(T + 2_000).toISOString(),
  evidence: "run-id",
  causeInLog: null,
};

const quiet: CauseFacts = {
  watchedSince: T - 3_600_000,
  reportedAt: T + 5_000,
  restart: null,
  states: [],
  configs: [],
  connectAway: [],
  rebalances: [],
  brokersAway: [],
  workers: new Map(),
  alongside: [],
};

function change(
  was: [string, string],
  is: [string, string],
  at: number,
  task: number | null = 0,
): StateChange {
  const [[wasState, wasWorker], [isState, isWorker]] = [was, is];
  return {
    task,
    notBefore: at - 5_000,
    at,
    was: { state: wasState, workerId: wasWorker },
    is: { state: isState, workerId: isWorker },
  };
}

const moved = change(["UNASSIGNED", "a:8083"], ["RUNNING", "b:8083"], T + 2_000);
const away = { notBefore: T - 25_000, from: T - 20_000, to: T + 3_000 };

const cases: [string, Partial<FoundReplay>, Partial<CauseFacts>, string, RegExp][] = [
  [
    "the log tells of doubled batches",
    { causeInLog: "producer-retry", evidence: "leader-epoch" },
    {},
    "producer-retry",
    /leader/,
  ],
  [
    "the log tells of a task beside a newer one",
    { causeInLog: "worker-lost" },
    {},
    "worker-lost",
    /taken for dead/,
  ],
  ["nobody was watching", {}, { watchedSince: null }, "unknown", /not being watched/],
  [
    "it began before the watch did",
    {},
    { watchedSince: T + 60_000 },
    "unknown",
    /before the connector was watched \(12:01:00 UTC\)/,
  ],
  [
    "the configuration was another one",
    {},
    { configs: [{ notBefore: T - 4_000, at: T + 1_000 }] },
    "config-change",
    /between 11:59:56 UTC and 12:00:01 UTC/,
  ],
  [
    "a configuration changed an hour before",
    {},
    { configs: [{ notBefore: T - 3_604_000, at: T - 3_600_000 }] },
    "source-retry",
    /neither/,
  ],
  [
    "the task had failed",
    {},
    { states: [change(["FAILED", "a"], ["RUNNING", "a"], T + 2_000)] },
    "crash",
    /Task 0 was FAILED until 12:00:02/,
  ],
  [
    "it failed, and began anew before the next look",
    {},
    { states: [change(["RUNNING", "a"], ["FAILED", "a"], T - 2_000)] },
    "crash",
    /FAILED from 11:59:58/,
  ],
  [
    "it failed only after it had begun anew",
    {},
    { states: [change(["RUNNING", "a"], ["FAILED", "a"], T + 14_000)] },
    "source-retry",
    /neither/,
  ],
  [
    "its worker was gone",
    {},
    { states: [moved], workers: new Map([["a:8083", [{ from: T - 900_000, to: T - 30_000 }]]]) },
    "worker-lost",
    /moved to b:8083 from a:8083, and a:8083 was seen to have no task/,
  ],
  [
    "its worker was gone, and thawed a minute later",
    {},
    {
      states: [moved],
      workers: new Map([
        [
          "a:8083",
          [
            { from: T - 900_000, to: T - 30_000 },
            { from: T + 90_000, to: T + 99_000 },
          ],
        ],
      ]),
    },
    "worker-lost",
    /no task/,
  ],
  [
    "its worker goes on with other tasks",
    {},
    { states: [moved], workers: new Map([["a:8083", [{ from: T - 900_000, to: T + 20_000 }]]]) },
    "rebalance",
    /which went on with other tasks/,
  ],
  [
    "it was paused",
    {},
    { states: [change(["PAUSED", "a"], ["RUNNING", "a"], T + 1_000)] },
    "graceful-restart",
    /was PAUSED until/,
  ],
  [
    "it was stopped",
    {},
    { states: [change(["STOPPED", "a"], ["RUNNING", "a"], T + 1_000, null)] },
    "graceful-restart",
    /The connector was STOPPED/,
  ],
  [
    "it was asked to restart",
    {},
    { states: [change(["RESTARTING", "a"], ["RUNNING", "a"], T + 1_000)] },
    "graceful-restart",
    /RESTARTING/,
  ],
  [
    "the group rebalanced",
    {},
    { rebalances: [away] },
    "rebalance",
    /was rebalancing from 11:59:40 UTC to 12:00:03 UTC/,
  ],
  [
    "Connect was away",
    {},
    { connectAway: [away] },
    "crash",
    /did not answer from 11:59:40 UTC to 12:00:03 UTC/,
  ],
  ["Connect is still away", {}, { connectAway: [{ ...away, to: null }] }, "crash", /from 11:59:40 UTC on/],
  [
    "Connect was away long before",
    {},
    { connectAway: [{ notBefore: T - 900_000, from: T - 900_000, to: T - 800_000 }] },
    "source-retry",
    /neither/,
  ],
  [
    "its worker left and came back",
    {},
    { states: [change(["UNASSIGNED", "a"], ["RUNNING", "a"], T + 1_000)] },
    "crash",
    /came back on a/,
  ],
  [
    "others on the worker began anew too",
    {},
    { alongside: ["crm-cdc", "hr-cdc"] },
    "crash",
    /crm-cdc and 1 more/,
  ],
  ["the brokers were away", {}, { brokersAway: [away] }, "rebalance", /brokers did not answer/],
  [
    "the brokers were away, and so all tasks of the worker began anew",
    {},
    { brokersAway: [away], alongside: ["crm-cdc"] },
    "rebalance",
    /brokers did not answer/,
  ],
  ["Connect told nothing since", {}, { reportedAt: T - 1_000 }, "unknown", /told nothing/],
  ["nothing changed in Connect", {}, {}, "source-retry", /began again by itself/],
  [
    "nothing changed, and records bear no run id",
    { runAfter: null, evidence: "samples" },
    {},
    "unknown",
    /Nothing that was seen/,
  ],
];

describe("the cause of a replay", () => {
  test.each(cases)("%s", (_, ofFound, ofFacts, cause, why) => {
    const told = causeOf({ ...found, ...ofFound }, { ...quiet, ...ofFacts });
    expect(told.cause).toBe(cause);
    expect(told.causeWhy).toMatch(why);
    expect(told.causeWhy).toMatch(/^[A-Z].*\.$/);
  });

  test("what the log tells stands, whatever else was seen, also of a time when nobody was watching", () => {
    const facts = { ...quiet, watchedSince: null, connectAway: [away] };
    expect(causeOf({ ...found, causeInLog: "producer-retry" }, facts).cause).toBe("producer-retry");
  });
});
