import { setImmediate } from "node:timers/promises";
import { beforeEach, expect, test } from "vitest";
import type { TopicSettings } from "@/lib/kafka/topic-settings";
import type { Failure, Look } from "@/lib/observed/observation";
import { LogDouble } from "../offset-topic/testing/log-double";
import { settingsMemory } from "./topic-settings-memory";

const MINUTE = 60_000;
const began = Date.parse("2026-11-29T12:00:00Z");
const settings = (timestampType: string): TopicSettings => ({ cleanupPolicy: "delete", timestampType });

let asked: string[][];
let answer: (topics: readonly string[]) => Look<Map<string, TopicSettings | Failure>>;
/** Answers wait for it. */
let held: Promise<void>;
let memory: ReturnType<typeof settingsMemory>;

beforeEach(() => {
  asked = [];
  held = Promise.resolve();
  answer = (topics) => ({ value: new Map(topics.map((t) => [t, settings("CreateTime")])) });
  memory = settingsMemory({
    ...new LogDouble().probe,
    readTopicSettings: async (topics) => {
      asked.push([...topics]);
      await held;
      return answer(topics);
    },
  });
});

test("what is known is told at once, and read again after five minutes, unseen by who asks", async () => {
  expect((await memory.of(["a"], began))("a")).toEqual(settings("CreateTime"));
  await memory.of(["a"], began + 5 * MINUTE);
  expect(asked).toEqual([["a"]]);
  answer = () => ({ value: new Map([["a", settings("LogAppendTime")]]) });
  let release = () => {};
  held = new Promise((done) => {
    release = done;
  });
  expect((await memory.of(["a"], began + 6 * MINUTE))("a")).toEqual(settings("CreateTime"));
  expect(asked).toEqual([["a"], ["a"]]);
  release();
  await setImmediate();
  expect((await memory.of(["a"], began + 6 * MINUTE + 1))("a")).toEqual(settings("LogAppendTime"));
});

test("when no broker answers, the settings are unknown with the reason, and asked for again soon", async () => {
  const failure: Failure = { kind: "unreachable", sentence: "no broker", remedy: null };
  answer = () => ({ failure });
  expect((await memory.of(["a"], began))("a")).toEqual(failure);
  await memory.of(["a"], began + 10_000);
  expect(asked).toHaveLength(1);
  answer = () => ({ value: new Map([["a", settings("CreateTime")]]) });
  await memory.of(["a"], began + MINUTE);
  await setImmediate();
  expect((await memory.of(["a"], began + MINUTE + 1))("a")).toEqual(settings("CreateTime"));
});

test("a topic that an answer leaves out is unknown; one that nobody asks for is forgotten", async () => {
  answer = () => ({ value: new Map() });
  expect((await memory.of(["a", "b", "c"], began))("a")).toMatchObject({ kind: "invalid-answer" });
  await memory.of(["a"], began + 1);
  await memory.of(["a", "b"], began + 2);
  expect(asked).toEqual([["a", "b", "c"], ["b"]]);
});
