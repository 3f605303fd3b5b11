import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { Measurement } from "@/lib/observed/duplicates";
import type { Database } from "./database";
import {
  askMeasurement,
  cancelMeasurement,
  deleteOldMeasurements,
  endMeasurement,
  giveBackMeasurement,
  type MeasurementAsked,
  mostOpenMeasurements,
  readMeasurement,
  readMeasurements,
  saveProgress,
  TooManyMeasurements,
  takeMeasurement,
} from "./measurements";
import { partitionFound, replayAt } from "./sample-duplicates";
import { queryOn, startTestServer, type TestServer } from "./test-server";

const at = (second: number) => new Date(Date.UTC(2026, 4, 29, 12, 0, second, 123));
const asked = (topic: string, more: Partial<MeasurementAsked> = {}): MeasurementAsked => ({
  cluster: "eu",
  topic,
  method: "bisect",
  from: null,
  to: null,
  ...more,
});
const waiting: Omit<Measurement, "id"> = {
  ...asked("orders"),
  from: null,
  to: null,
  askedAt: at(0).toISOString(),
  state: "waiting",
  startedAt: null,
  endedAt: null,
  done: 0,
  total: null,
  bytesRead: 0,
  failure: null,
  result: null,
};
const stranger = "01940000-0000-4000-8000-000000000001";

let server: TestServer;
let db: Database;
let url: string;
beforeAll(async () => {
  server = await startTestServer();
  ({ db, url } = await server.create());
}, 60_000);
beforeEach(() => queryOn(url, "TRUNCATE measurement"));
afterAll(() => server.stop(), 60_000);

/** As if the collectors that run measurements had been silent since. */
const silence = (url: string) =>
  queryOn(url, "UPDATE measurement SET beat_at = beat_at - interval '31 seconds'");

test("waits, runs, makes progress, is done; the result comes back as it went in", async () => {
  const one = await askMeasurement(db, asked("orders"), at(0));
  expect(one).toEqual({ ...waiting, id: one.id });
  expect(await takeMeasurement(db, ["us"], "a", at(1))).toBeNull();
  const running = { ...one, state: "running", startedAt: at(1).toISOString() };
  expect(await takeMeasurement(db, ["us", "eu"], "a", at(1))).toEqual(running);
  expect(await takeMeasurement(db, ["eu"], "b", at(1))).toBeNull();
  const taken = { id: one.id, owner: "a" };
  const progress = { done: 2 ** 40, total: 2 ** 41, bytesRead: 2 ** 50 };
  expect(await saveProgress(db, taken, progress)).toBe("go on");
  expect(await readMeasurement(db, one.id)).toEqual({ ...running, ...progress });
  const result = { partitions: [partitionFound("orders", 0, { replays: [replayAt(5)] })], scan: null };
  // A replay of a measurement is whose it is found to be: the contract has no more of it.
  const {
    id: _,
    cluster: __,
    connector: ___,
    cause: ____,
    causeWhy: _____,
    restart: ______,
    ...found
  } = replayAt(5);
  expect(await endMeasurement(db, taken, { state: "done", result, replays: 1, duplicates: 10 }, at(9))).toBe(
    true,
  );
  const done = { ...running, ...progress, state: "done", endedAt: at(9).toISOString() };
  const back = await readMeasurement(db, one.id);
  expect(back).toEqual({
    ...done,
    result: { scan: null, partitions: [partitionFound("orders", 0, { replays: [found] })] },
  });
  const { result: _result, ...listed } = { ...done, result };
  expect(await readMeasurements(db)).toEqual([{ ...listed, replays: 1, duplicates: 10 }]);
  expect(await cancelMeasurement(db, one.id)).toBe(false);
  expect(await takeMeasurement(db, ["eu"], "b")).toBeNull();
});

test("two clicks ask for one; another topic, method or range is another, and so is one after the end", async () => {
  const range = { from: at(0), to: at(30) };
  const both = await Promise.all([
    askMeasurement(db, asked("orders", range)),
    askMeasurement(db, asked("orders", range)),
  ]);
  expect(both[0]?.id).toBe(both[1]?.id);
  expect(both[0]).toMatchObject({ from: at(0).toISOString(), to: at(30).toISOString() });
  await askMeasurement(db, asked("orders", { ...range, method: "scan" }));
  await askMeasurement(db, asked("orders", { ...range, to: null }));
  await askMeasurement(db, asked("orders", { ...range, cluster: "us" }));
  expect((await readMeasurements(db)).length).toBe(4);
  await cancelMeasurement(db, both[0]?.id ?? "");
  expect((await askMeasurement(db, asked("orders", range))).id).not.toBe(both[0]?.id);
});

test("one measurement is one collector's, however many ask at the same time, and the oldest comes first", async () => {
  for (let i = 0; i < 6; i++) await askMeasurement(db, asked(`t${i}`), at(10 - i));
  const taken = await Promise.all(Array.from({ length: 8 }, (_, i) => takeMeasurement(db, ["eu"], `c${i}`)));
  const topics = taken.flatMap((one) => one?.topic ?? []);
  expect(topics.toSorted()).toEqual(["t0", "t1", "t2", "t3", "t4", "t5"]);
  await askMeasurement(db, asked("young"), at(40));
  await askMeasurement(db, asked("old"), at(30));
  expect((await takeMeasurement(db, ["eu"], "c"))?.topic).toBe("old");
});

test("a cancel ends it at once, and who runs it is told so and writes nothing more", async () => {
  const [one, two] = [
    await askMeasurement(db, asked("a"), at(0)),
    await askMeasurement(db, asked("b"), at(1)),
  ];
  await takeMeasurement(db, ["eu"], "a");
  const taken = { id: one.id, owner: "a" };
  expect(await cancelMeasurement(db, one.id, at(5))).toBe(true);
  expect(await cancelMeasurement(db, two.id, at(5))).toBe(true);
  expect(await saveProgress(db, taken, { done: 5, total: 9, bytesRead: 1 })).toBe("cancelled");
  const failure = { sentence: "No.", remedy: null };
  expect(await endMeasurement(db, taken, { state: "failed", failure })).toBe(false);
  expect(await readMeasurement(db, one.id)).toMatchObject({
    state: "cancelled",
    endedAt: at(5).toISOString(),
    done: 0,
    failure: null,
  });
  expect(await takeMeasurement(db, ["eu"], "a")).toBeNull();
  expect(await cancelMeasurement(db, stranger)).toBe(false);
  expect(await cancelMeasurement(db, "no id")).toBe(false);
  expect(await readMeasurement(db, "no id")).toBeNull();
});

test("one whose collector died is begun again by another; the dead one that comes back has lost it", async () => {
  const { id } = await askMeasurement(db, asked("orders"));
  await takeMeasurement(db, ["eu"], "a");
  await saveProgress(db, { id, owner: "a" }, { done: 5, total: 9, bytesRead: 1 });
  expect(await takeMeasurement(db, ["eu"], "b")).toBeNull();
  await silence(url);
  expect(await takeMeasurement(db, ["eu"], "b")).toMatchObject({
    id,
    state: "running",
    done: 0,
    total: null,
  });
  expect(await saveProgress(db, { id, owner: "a" }, { done: 6, total: 9, bytesRead: 2 })).toBe("lost");
  const failure = { sentence: "No.", remedy: null };
  expect(await endMeasurement(db, { id, owner: "a" }, { state: "failed", failure })).toBe(false);
  expect(await endMeasurement(db, { id, owner: "b" }, { state: "failed", failure })).toBe(true);
  expect(await readMeasurement(db, id)).toMatchObject({ state: "failed", failure, result: null });
});

test("one that three collectors died of has failed, and says so", async () => {
  const { id } = await askMeasurement(db, asked("orders"));
  for (const owner of ["a", "b", "c"]) {
    expect(await takeMeasurement(db, ["eu"], owner)).toMatchObject({ id });
    await silence(url);
  }
  expect(await takeMeasurement(db, ["eu"], "d", at(7))).toBeNull();
  expect(await readMeasurement(db, id)).toMatchObject({
    state: "failed",
    endedAt: at(7).toISOString(),
    failure: { sentence: expect.stringContaining("begun 3 times"), remedy: expect.any(String) },
  });
});

test("a collector that stops gives it back, as often as it likes", async () => {
  const one = await askMeasurement(db, asked("orders"), at(0));
  for (let i = 0; i < 5; i++) {
    expect(await takeMeasurement(db, ["eu"], `c${i}`)).toMatchObject({ id: one.id });
    await giveBackMeasurement(db, { id: one.id, owner: "another" });
    expect(await readMeasurement(db, one.id)).toMatchObject({ state: "running" });
    await giveBackMeasurement(db, { id: one.id, owner: `c${i}` });
    expect(await readMeasurement(db, one.id)).toEqual(one);
  }
});

test("more than enough is refused with a sentence, for its cluster only", async () => {
  for (let i = 0; i < mostOpenMeasurements; i++) await askMeasurement(db, asked(`t${i}`), at(0));
  const more = askMeasurement(db, asked("more"));
  await expect(more).rejects.toThrow(TooManyMeasurements);
  await expect(more).rejects.toThrow("50 measurements of eu wait or run already");
  await askMeasurement(db, asked("more", { cluster: "us" }));
  expect((await readMeasurements(db, 7)).length).toBe(7);
}, 20_000);

test("old ones go, but none that runs", async () => {
  for (const topic of ["a", "b", "c"]) await askMeasurement(db, asked(topic), at(topic.charCodeAt(0) - 97));
  await takeMeasurement(db, ["eu"], "x");
  expect(await deleteOldMeasurements(db, at(2))).toBe(false);
  expect((await readMeasurements(db)).map(({ topic }) => topic)).toEqual(["c", "a"]);
});

test("a result of another version has failed to be read: it is never an empty one", async () => {
  const { id } = await askMeasurement(db, asked("orders"));
  await takeMeasurement(db, ["eu"], "a");
  const result = { partitions: [], scan: null };
  await endMeasurement(db, { id, owner: "a" }, { state: "done", result, replays: 0, duplicates: 0 });
  await queryOn(url, `UPDATE measurement SET result = '{"partitions":"many"}'`);
  const otherVersion = { sentence: expect.stringContaining("another version"), remedy: "Measure it again." };
  expect(await readMeasurement(db, id)).toMatchObject({
    state: "failed",
    result: null,
    failure: otherVersion,
  });
  await queryOn(url, "UPDATE measurement SET method = 'guess', state = 'dreaming', failure = '7'");
  expect(await readMeasurement(db, id)).toMatchObject({ state: "failed", failure: otherVersion });
  expect(await readMeasurements(db)).toMatchObject([{ state: "failed", failure: otherVersion }]);
});
