import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { commitsInForce } from "@/lib/measure/replay-window/in-force";
import type { CommitHistory, OffsetCommit } from "@/lib/observed/commits";
import type { Restart } from "@/lib/observed/window-series";
import type { Database } from "@/lib/store/database";
import { saveRestart } from "@/lib/store/restarts";
import { startTestServer, type TestServer } from "@/lib/store/test-server";
import type { TopicLook } from "../replay-window/fleet-look";
import type { SeenTask } from "./task-starts";
import { postgresChange, RunLog, readerOf, runIdAt } from "./testing/run-log";
import { openRestartWatch, type RestartWatch } from "./watch-restarts";

const config = {
  "connector.class": "io.debezium.connector.postgresql.PostgresConnector",
  "topic.prefix": "shop",
};
const topics = ["shop.public.orders", "shop.public.lines"] as const;
const partition = '{"server":"shop"}';
const began = Date.parse("2026-11-30T10:00:00.000Z");

/** A pipeline of two tables: changes with even numbers go to orders, the others to lines. */
class Pipeline {
  readonly logs = new Map<string, RunLog>(topics.map((topic) => [topic, new RunLog()]));
  readonly commits: OffsetCommit[] = [];
  now = began;
  /** Whether the offset topic is known. */
  found = true;
  /** Empty: records bear none, as before Debezium 3.4. */
  runId = "";

  start(): string {
    this.now += 1_000;
    this.runId = runIdAt(this.now);
    return this.runId;
  }

  write(from: number, to: number, only: (n: number) => boolean = () => true): void {
    for (let n = from; n < to; n++) {
      this.now += 1;
      if (only(n))
        this.logs.get(topics[n % 2] ?? "")?.append(postgresChange(n, this.runId || null, this.now));
    }
  }

  /** Stores that everything before change `n` was sent. */
  commit(n: number): void {
    this.now += 1;
    const lsn = 1000 + n * 10;
    this.commits.push({
      at: new Date(this.now).toISOString(),
      offset: JSON.stringify({
        lsn,
        lsn_proc: lsn,
        lsn_commit: lsn,
        messageType: "COMMIT",
        ts_usec: began * 1_000,
      }),
      topic: "connect-offsets",
      kafkaPartition: 0,
      kafkaOffset: this.commits.length,
    });
  }

  /** @param runIds of the newest records, unless told otherwise */
  look(
    watch: RestartWatch,
    shown: number | null = null,
    runIds: ReadonlyMap<string, string | null> = this.#newestRuns(),
    tasks: readonly SeenTask[] | null = null,
  ): Promise<Restart[]> {
    this.now += 10;
    const partitions = [{ partition, commits: this.commits }];
    const history: CommitHistory | null = this.found ? { topics: ["connect-offsets"], partitions } : null;
    const newest = this.commits.at(-1);
    const offsets = newest ? [{ partition, offset: newest.offset ?? "{}", committedAt: newest.at }] : [];
    const at = new Date(this.now).toISOString();
    return watch.look({
      connector: "orders",
      type: "postgresql",
      config,
      inForce: commitsInForce("postgresql", config, { offsets, from: "topic" }, history),
      history,
      looks: new Map([...this.logs].map(([topic, log]) => [topic, lookAt(log)])),
      runIds,
      tasks,
      shown: shown === null ? null : ({ at, events: shown, by: "position" } as never),
      now: new Date(this.now),
    });
  }

  #newestRuns(): Map<string, string | null> {
    return new Map([...this.logs].map(([topic, log]) => [`${topic}/0`, newestRun(log)]));
  }
}

function lookAt(log: RunLog): TopicLook {
  const partition = { partition: 0, topicId: null, end: log.end, place: null, since: null };
  return { partitions: [partition], appendTime: false } as unknown as TopicLook;
}

function newestRun(log: RunLog): string | null {
  const header = log.records.at(-1)?.headers.find(({ name }) => name.endsWith("runId"));
  return header?.value?.toString() ?? null;
}

describe("restarts, noticed by run ids and measured", () => {
  let server: TestServer;
  let db: Database;
  let pipe: Pipeline;
  /** Each test has a cluster of its own. */
  let cluster = 0;
  beforeAll(async () => {
    server = await startTestServer();
    db = (await server.create()).db;
  });
  afterAll(() => server?.stop());
  beforeEach(() => {
    cluster += 1;
    pipe = new Pipeline();
  });
  const open = () => openRestartWatch(`cluster ${cluster}`, readerOf(pipe.logs), db);

  test("a crash: what was recomputed is what came again, beside what was shown before it", async () => {
    const watch = open();
    const before = pipe.start();
    pipe.write(0, 100);
    pipe.commit(60);
    expect(await pipe.look(watch)).toEqual([]);
    pipe.write(100, 120);
    expect(await pipe.look(watch, 57)).toEqual([]);
    pipe.write(120, 125);
    // Polls after the death show what is left: that is no prediction.
    expect(await pipe.look(watch, 65)).toEqual([]);
    const after = pipe.start();
    pipe.write(60, 90);
    const [measuring] = await pipe.look(watch);
    expect(measuring).toMatchObject({
      state: "measuring",
      runBefore: before,
      runAfter: after,
      shown: { events: 57, by: "position" },
      recomputed: 65,
      replayed: null,
    });
    pipe.write(90, 140);
    pipe.commit(140);
    const [measured] = await pipe.look(watch);
    expect(measured).toMatchObject({ state: "measured", recomputed: 65, replayed: 65, why: null });
    expect(measured?.partitions).toEqual([
      { topic: topics[0], partition: 0, firstOffset: 63, lastOffset: 95, count: 33 },
      { topic: topics[1], partition: 0, firstOffset: 62, lastOffset: 93, count: 32 },
    ]);
    expect(await pipe.look(watch)).toEqual([]);
  });

  test("brokers that do not answer while the window is recomputed are asked again", async () => {
    const reader = readerOf(pipe.logs);
    const timeout = { kind: "timeout", sentence: "no answer within 10 s", remedy: null } as const;
    const ask = reader.offsetsForTime;
    let silent = false;
    const watch = openRestartWatch(`cluster ${cluster}`, reader, db);
    pipe.start();
    pipe.write(0, 100);
    pipe.commit(60);
    await pipe.look(watch);
    pipe.start();
    pipe.write(60, 140);
    pipe.commit(140);
    reader.offsetsForTime = async (asked) => {
      const answers = await ask(asked);
      // The place of the run's first record is told, nothing after it.
      silent = true;
      reader.offsetsForTime = async (again) => (silent ? again.map(() => timeout) : ask(again));
      return answers;
    };
    const [measuring] = await pipe.look(watch);
    expect(measuring).toMatchObject({ state: "measuring", recomputed: null });
    silent = false;
    expect(await pipe.look(watch)).toMatchObject([
      { state: "measured", recomputed: 40, replayed: 40, why: null },
    ]);
  });

  test("a clean stop costs nothing, and so does a first start", async () => {
    const watch = open();
    expect(await pipe.look(watch)).toEqual([]);
    pipe.start();
    pipe.write(0, 50);
    expect(await pipe.look(watch)).toEqual([]);
    pipe.commit(50);
    pipe.start();
    pipe.write(50, 60);
    pipe.commit(60);
    expect(await pipe.look(watch)).toMatchObject([
      { state: "measured", recomputed: 0, replayed: 0, partitions: [] },
    ]);
  });

  test("a crash right after the watch began is noticed, though no run was seen before", async () => {
    pipe.start();
    pipe.write(0, 50);
    pipe.commit(40);
    const watch = open();
    // Nothing moved since: no record was read that would tell the run.
    expect(await pipe.look(watch, null, new Map())).toEqual([]);
    pipe.start();
    pipe.write(40, 60);
    pipe.commit(60);
    expect(await pipe.look(watch)).toMatchObject([{ state: "measured", recomputed: 10, replayed: 10 }]);
  });

  test("a table that the new run has not written to waits for its commit, unless there is nothing to replay", async () => {
    const watch = open();
    pipe.start();
    pipe.write(0, 50);
    pipe.commit(40);
    await pipe.look(watch);
    pipe.start();
    const even = (n: number) => n % 2 === 0;
    pipe.write(40, 60, even);
    expect(await pipe.look(watch)).toMatchObject([{ state: "measuring", recomputed: 10 }]);
    pipe.commit(60);
    // The end may be older than the commit: one more look decides.
    expect(await pipe.look(watch)).toEqual([]);
    expect(await pipe.look(watch)).toMatchObject([{ state: "measured", recomputed: 10, replayed: 5 }]);
  });

  test("starts between two polls are each measured, the run that died in its replay too", async () => {
    const watch = open();
    const first = pipe.start();
    pipe.write(0, 100);
    pipe.commit(50);
    await pipe.look(watch);
    const second = pipe.start();
    pipe.write(50, 70);
    const third = pipe.start();
    pipe.write(50, 120);
    pipe.commit(120);
    const restarts = await pipe.look(watch);
    expect(restarts).toMatchObject([
      { runBefore: first, runAfter: second, state: "measured", recomputed: 50, replayed: 20 },
      { runBefore: second, runAfter: third, state: "measured", recomputed: 50, replayed: 50 },
    ]);
  });

  test("one that was being measured when the collector stopped is measured by the next", async () => {
    const watch = open();
    pipe.start();
    pipe.write(0, 100);
    pipe.commit(50);
    await pipe.look(watch, 44);
    pipe.write(100, 110);
    pipe.start();
    pipe.write(50, 70);
    const [measuring] = await pipe.look(watch);
    expect(measuring).toMatchObject({ state: "measuring", recomputed: 60, shown: { events: 44 } });
    if (measuring) await saveRestart(db, measuring);
    pipe.write(70, 130);
    pipe.commit(130);
    const [measured] = await pipe.look(open());
    expect(measured).toMatchObject({
      state: "measured",
      recomputed: 60,
      replayed: 60,
      shown: { events: 44 },
    });
    expect(measured?.id).toBe(measuring?.id);
  });

  test("a start while the collector was away is noticed by what it had stored", async () => {
    const watch = open();
    pipe.start();
    pipe.write(0, 50);
    pipe.commit(50);
    await pipe.look(watch);
    pipe.start();
    pipe.write(50, 60);
    pipe.commit(55);
    for (const restart of await pipe.look(watch)) await saveRestart(db, restart);
    pipe.start();
    pipe.write(55, 80);
    pipe.commit(80);
    expect(await pipe.look(open())).toMatchObject([
      { state: "measured", recomputed: 5, replayed: 5, shown: null },
    ]);
  });

  test("it says why it cannot be measured: the topic was made again", async () => {
    const watch = open();
    pipe.start();
    pipe.write(0, 50);
    pipe.commit(40);
    await pipe.look(watch);
    pipe.start();
    pipe.write(40, 45);
    await pipe.look(watch);
    for (const log of pipe.logs.values()) log.recreated = true;
    pipe.write(45, 60);
    expect(await pipe.look(watch)).toMatchObject([
      { state: "not-measurable", replayed: null, why: expect.stringContaining("was deleted and made again") },
    ]);
  });

  test("commits are waited for where the offset topic was not found yet", async () => {
    const watch = open();
    pipe.start();
    pipe.write(0, 100);
    pipe.commit(60);
    pipe.found = false;
    await pipe.look(watch);
    pipe.start();
    pipe.write(60, 130);
    pipe.commit(130);
    await pipe.look(watch);
    pipe.now += 60_000;
    expect(await pipe.look(watch)).toEqual([]);
    pipe.found = true;
    expect(await pipe.look(watch)).toMatchObject([
      { state: "measured", recomputed: 40, replayed: 40, why: null },
    ]);
  });

  test("commits that are never found are not waited for longer than two minutes", async () => {
    const watch = open();
    pipe.found = false;
    pipe.start();
    pipe.write(0, 100);
    await pipe.look(watch);
    pipe.start();
    pipe.write(60, 130);
    await pipe.look(watch);
    pipe.now += 121_000;
    expect(await pipe.look(watch)).toMatchObject([
      { state: "measured", recomputed: null, replayed: 40, why: expect.stringContaining("is not known") },
    ]);
  });

  test("it is given up where the new run never passes what was there", async () => {
    const watch = open();
    pipe.start();
    pipe.write(0, 50);
    pipe.commit(40);
    await pipe.look(watch);
    pipe.start();
    pipe.write(40, 45);
    await pipe.look(watch);
    pipe.now += 31 * 60_000;
    expect(await pipe.look(watch)).toMatchObject([
      {
        state: "not-measurable",
        recomputed: 10,
        replayed: null,
        why: expect.stringContaining("has still not passed"),
      },
    ]);
  });

  test("without run ids a start is noticed by the tasks, and where positions fall", async () => {
    const watch = open();
    const running = (since: string): SeenTask[] => [{ id: 0, state: "RUNNING", workerId: "w:1", since }];
    const look = (since: string, shown: number | null = null) =>
      pipe.look(watch, shown, undefined, running(since));
    pipe.write(0, 100);
    pipe.commit(60);
    expect(await look("10:00", 40)).toEqual([]);
    pipe.write(100, 110);
    expect(await look("10:00", 40)).toEqual([]);
    pipe.write(110, 115);
    pipe.write(60, 80);
    expect(await look("10:05")).toMatchObject([
      { state: "measuring", runBefore: null, runAfter: null, recomputed: 55, shown: { events: 40 } },
    ]);
    pipe.write(80, 130);
    pipe.commit(130);
    expect(await look("10:05")).toMatchObject([
      { state: "measured", recomputed: 55, replayed: 55, partitions: [{ count: 28 }, { count: 27 }] },
    ]);
  });

  test("without run ids, where nothing came again, it says why the window before is not known", async () => {
    const watch = open();
    const look = (since: string) =>
      pipe.look(watch, null, undefined, [{ id: 0, state: "RUNNING", workerId: "w:1", since }]);
    pipe.write(0, 50);
    pipe.commit(50);
    await look("10:00");
    pipe.write(50, 60);
    await look("10:05");
    pipe.write(60, 70);
    pipe.commit(70);
    await look("10:05");
    expect(await look("10:05")).toMatchObject([
      { state: "measured", recomputed: null, replayed: 0, why: expect.stringContaining("bear no run id") },
    ]);
  });
});
