import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { READ_ONLY } from "@/lab/access";
import { openLab } from "@/lab/open-lab";
import { type KafkaConnection, openKafka } from "@/lib/kafka/connection";
import { openLogReader } from "@/lib/kafka/log/open-log-reader";
import type { Database } from "@/lib/store/database";
import { queryOn, startTestServer, type TestServer } from "@/lib/store/test-server";
import { eventually } from "./dashboard";
import { changes, type Figures, figuresOf, type Made } from "./duplicates-made";
import { openMadeTopics } from "./duplicates-topics";
import {
  instruments,
  Measured,
  Meeting,
  type Midway,
  type Outcome,
  type StepsTaken,
} from "./duplicates-under-way";

/** One broker with access control, and made-up events: what came again is known. */
const lab = openLab(mkdtempSync(join(tmpdir(), "lab-dup-faults-")));
const MIB = 1024 * 1024;
const { made, remove, cut } = openMadeTopics(lab);
let server: TestServer;
let url: string;
let db: Database;
let connection: KafkaConnection;
/** What each instrument takes to measure the usual topic, as long as nothing is in its way. */
let whole: StepsTaken;

beforeAll(async () => {
  [server] = await Promise.all([startTestServer(), lab.up({ secure: true, only: "broker" })]);
  ({ db, url } = await server.create());
  connection = openKafka({ name: "lab", connect: { urls: [lab.connectUrl] }, kafka: lab.kafkaSettings() });
  const topic = await made(usual());
  const calm = await measuring(topic).all();
  expectExact(calm, figuresOf(usual()));
  whole = calm.steps;
}, 120_000);
beforeEach(async () => {
  await lab.start("broker");
  await lab.grant(READ_ONLY);
  await queryOn(url, "TRUNCATE cluster, replay, restart, measurement CASCADE");
});
afterAll(async () => {
  await connection?.close();
  await Promise.all([server?.stop(), lab.reset()]);
});

/** 80 changes come again in three replays. */
const usual = () => [
  ...changes(0, 1, 0, 600),
  ...changes(0, 2, 550, 900),
  ...changes(0, 3, 880, 1_200),
  ...changes(1, 1, 2_000, 2_300),
  ...changes(1, 2, 2_290, 2_400),
];
/** Another history: 40 of it come again. */
const another = () => [
  ...changes(0, 4, 5_000, 6_200),
  ...changes(0, 5, 6_160, 6_400),
  ...changes(1, 4, 7_000, 7_100),
];

/** All that measures one topic: both instruments, and the loop. */
const measuring = (topic: string, { patienceMs = 2_000, pauseMs = 10 } = {}) =>
  new Measured({ db, topic, log: openLogReader(connection, patienceMs), pauseMs });
const half = (steps: number) => Math.floor(steps / 2);
/** Something happens when all of them are half way through their usual topics. */
const halfWay = (act: () => Promise<unknown>, readers: number = instruments.length): Midway => ({
  meeting: new Meeting(readers, act),
  at: { bisect: half(whole.bisect), scan: half(whole.scan), loop: half(whole.loop) },
});

/** Nothing is left out, by any of them. @param base records that the loop measured */
function expectExact(
  { bisect, scan, part, replays }: Outcome,
  { records, events, duplicates, replays: found }: Figures,
  base = records,
) {
  expect(bisect).toMatchObject({ state: "done", failure: null, done: records, total: records });
  expect(bisect.result?.partitions.flatMap((one) => one.replays)).toMatchObject(found);
  expect(bisect.result?.partitions.flatMap((one) => one.notMeasurable)).toEqual([]);
  expect(scan).toMatchObject({ state: "done", failure: null, done: records, total: records });
  expect(scan.result?.scan).toMatchObject({
    ...{ records, events, duplicates, share: 1, keyOrderViolations: 0, notMeasurable: [] },
  });
  expect(part).toMatchObject({
    ...{ records: base, behind: 0, duplicates, replays: found.length, notMeasurable: [] },
    day: { duplicates, replays: found.length },
  });
  expect(replays).toMatchObject(found);
}

/** Both measurements ended by this, and tell nothing but why and what to do. */
function expectFailed({ bisect, scan }: Outcome, sentence: RegExp, remedy: RegExp) {
  for (const { state, failure, result } of [bisect, scan]) {
    expect([state, result]).toEqual(["failed", null]);
    expect(failure?.sentence).toMatch(sentence);
    expect(failure?.remedy).toMatch(remedy);
  }
}

/** What the loop shows is of what it measured, says why that is not all, and every replay is one of these. */
function expectPartly({ part, replays }: Outcome, { records, replays: known }: Figures, why: RegExp) {
  for (const one of replays) expect(known).toContainEqual(expect.objectContaining(figure(one)));
  expect(part?.notMeasurable.map(({ reason }) => reason).join(" ")).toMatch(why);
  expect(part?.duplicates).toBe(replays.reduce((sum, { count }) => sum + count, 0));
  expect((part?.records ?? 0) + (part?.behind ?? 0)).toBe(records);
  expect(part?.behind).toBeGreaterThan(0);
}
const figure = ({ partition, firstOffset, count }: Omit<Figures["replays"][number], "firstCopyOf">) => ({
  partition,
  firstOffset,
  count,
});

test("a broker that dies: those with patience wait until it is back, the others say so and measure all then", async () => {
  const patient = measuring(await made(usual()), { patienceMs: 5_000, pauseMs: 1_000 });
  const measured = measuring(await made(usual()), { patienceMs: 300 });
  const death = halfWay(() => lab.crash("broker", { stayDown: true }), 2 * instruments.length);
  const waiting = patient.all(death);
  const outcome = await measured.all(death);
  expectFailed(
    outcome,
    /^Partition 0 of shop\.public\.faults_\d+ cannot be read at offset \d+: the broker/,
    /brokers run/,
  );
  expectPartly(outcome, figuresOf(usual()), /broker/);
  const away = await measured.look();
  expect(away.failure).toMatchObject({ kind: "unreachable" });
  expectPartly({ ...outcome, ...away }, figuresOf(usual()), /broker/);
  await lab.start("broker");
  const waited = await waiting;
  expectExact({ ...waited, ...(await patient.look()) }, figuresOf(usual()));
  expectExact(await measured.all(), figuresOf(usual()));
});

test("a topic deleted in the middle, and made again later: of the new one nothing is taken for the old one's", async () => {
  const topic = await made(usual());
  const measured = measuring(topic);
  const outcome = await measured.all(halfWay(() => remove(topic)));
  expectFailed(outcome, /deleted|does not exist/, /./);
  expectPartly(outcome, figuresOf(usual()), /deleted|does not exist/);
  const away = await measured.all();
  expectFailed(away, /does not exist/, /Check its name/);
  await made(another(), topic);
  expectExact(await measured.all(), figuresOf(another()));
});

test("a topic deleted and made again in the middle: neither its figures nor the old one's are told as one", async () => {
  const topic = await made(usual());
  const measured = measuring(topic);
  const outcome = await measured.all(
    halfWay(async () => {
      await remove(topic);
      await made(another(), topic);
    }),
  );
  expectFailed(outcome, /deleted and made again/, /Measure it again/);
  expectPartly(outcome, figuresOf(usual()), /deleted, or made again/);
  expectExact(await measured.all(), figuresOf(another()));
});

test.each([
  ["what lies before all that comes again", 400, 80],
  ["all but a few", 1_260, 10],
])("retention removes %s under them: it is told, and the rest is counted", async (_, first, left) => {
  const topic = await made(usual());
  const measured = measuring(topic);
  const { meeting, at } = halfWay(() => cut(topic, first));
  const { bisect, scan, part, replays } = await measured.all({ meeting, at: { ...at, scan: 10 } });
  const all = figuresOf(usual());

  expect(["done", "failed"]).toContain(bisect.state);
  if (bisect.state === "failed") expect(bisect.failure?.sentence).toMatch(/Retention removed offsets \d+ to/);
  else expect(bisect.result?.partitions.flatMap((one) => one.replays)).toMatchObject(all.replays);

  const { records = 0, notMeasurable } = scan.result?.scan ?? {};
  expect(scan.result?.scan).toMatchObject({ events: records, duplicates: left });
  expect(notMeasurable).toMatchObject([{ slug: "deleted", count: all.records - records }]);
  expect(records).toBeLessThan(all.records);

  for (const one of replays) expect(all.replays).toContainEqual(expect.objectContaining(figure(one)));
  expect(part).toMatchObject({ duplicates: left, behind: 0 });
  expect(part?.records).toBeGreaterThanOrEqual(all.records - first);

  const healed = await measured.all();
  expectExact({ ...healed, part, replays }, figuresOf(usual(), first), part?.records ?? 0);
});

test.each([
  ["Read", [{ operation: "READ", topic: "*" }] as const],
  ["all rights", READ_ONLY],
])(
  "%s taken away in the middle: they say what to grant, and measure all when it is granted",
  async (_, rights) => {
    const topic = await made(usual());
    const measured = measuring(topic);
    const onlooker = openLogReader(connection, 100);
    const sees = () =>
      onlooker.newest({ topic, partition: 0 }, "read_committed").then(
        () => true,
        () => false,
      );
    const outcome = await measured.all(
      halfWay(async () => {
        await lab.revoke(rights);
        await eventually("the rights are gone", 10_000, async () => !(await sees()));
      }),
    );
    expectFailed(outcome, /not allowed to read the records/, /--operation Read --topic/);
    expectPartly(outcome, figuresOf(usual()), /not allowed to read the records/);
    const away = await measured.look();
    expectPartly({ ...outcome, ...away }, figuresOf(usual()), /[Nn]ot allowed/);
    await lab.grant(rights);
    await eventually("it is read again", 10_000, sees);
    expectExact(await measured.all(), figuresOf(usual()));
  },
);

/** The same change with a row of so many bytes. */
const large = (one: Made, bytes: number): Made => ({
  ...one,
  value: one.value.replace('"after":{', `"after":{"note":"${"x".repeat(bytes)}",`),
});

test("a change of 50 MB that comes again is one change", async () => {
  const records = [...changes(0, 1, 0, 300), ...changes(0, 2, 280, 400)];
  const isLarge = ({ key }: Made) => key === '{"id":3990}';
  const written = records.map((one) => (isLarge(one) ? large(one, 50_000_000) : one));
  const measured = measuring(await made(written));
  const outcome = await measured.all();
  // One look of the loop may not read as much.
  let shown = await measured.look();
  for (let looks = 0; looks < 8 && shown.part?.behind !== 0; looks++) shown = await measured.look();
  expectExact({ ...outcome, ...shown }, figuresOf(written));
});

test("a record that is larger than what can be read: they say so, and measure all when it is gone", async () => {
  const [one, ...others] = changes(0, 1, 0, 300);
  const written = [large(one as Made, 64 * MIB), ...others, ...changes(0, 2, 280, 400)];
  const topic = await made(written);
  const measured = measuring(topic);
  const outcome = await measured.all();
  expectFailed(outcome, /at offset 0: .* larger than/, /^Scan a range of times that begins after it/);
  expectPartly(outcome, figuresOf(written), /offset 0: .* larger than/);
  await cut(topic, 1);
  expectExact(await measured.all(), figuresOf(written, 1));
});

/** Values that are no change of any connector's. */
const garbage = [
  "",
  "not json",
  "{",
  '{"before":null,"after":{"id":1},"source":{"connector":"postgresql"',
  '{"before":null,"after":{"id":1},"source":null,"op":"c"}',
  '{"before":null,"after":{"id":1},"source":{"connector":"postgresql","name":"shop"},"op":"c"}',
  '{"payload":42}',
  "[".repeat(20_000),
  "\u0000\u0000\u0000\u0000\u0007abc",
  "\ufffd\u0001\u0002",
];

test("garbage between the changes, and where runs begin and end, is told and changes no count", async () => {
  const junk = (run: string | null, timestamp: number) =>
    garbage.map((value): Made => ({ partition: 0, key: null, value, run, timestamp }));
  const runs = [changes(0, 1, 0, 600), changes(0, 2, 550, 900), changes(0, 3, 880, 1_200)];
  const written = runs.flatMap((run) => {
    const [first, last] = [run[0] as Made, run.at(-1) as Made];
    return [
      ...junk(first.run, first.timestamp),
      ...run.slice(0, 9),
      ...junk(null, first.timestamp),
      ...run.slice(9),
      ...junk(last.run, last.timestamp),
    ];
  });
  const measured = measuring(await made(written));
  const { bisect, scan, part, replays } = await measured.all();
  const { records, events, duplicates, replays: found } = figuresOf(written);
  expect([bisect.state, scan.state]).toEqual(["done", "done"]);
  expect(bisect.result?.partitions.flatMap((one) => one.replays)).toMatchObject(found);
  expect(replays).toMatchObject(found);
  expect(part).toMatchObject({ records, behind: 0, duplicates, replays: found.length });
  expect(scan.result?.scan).toMatchObject({
    events,
    duplicates,
    share: 1,
    reReads: 0,
    keyOrderViolations: 0,
  });
  const told = scan.result?.scan?.notMeasurable ?? [];
  expect(told.reduce((sum, { count }) => sum + (count ?? 0), 0)).toBe(records - events);
  // Only some of the records are looked at, but what was seen of them is told.
  for (const notes of [bisect.result?.partitions[0]?.notMeasurable, part?.notMeasurable, told])
    expect(notes?.map(({ slug }) => slug)).toEqual(
      expect.arrayContaining(["not-json", "no-position", "registry"]),
    );
});
