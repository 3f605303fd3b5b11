import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openLab } from "@/lab/open-lab";
import { WORKER_NAMES } from "@/lab/state";
import { type KafkaConnection, openKafka } from "@/lib/kafka/connection";
import { openLogReader } from "@/lib/kafka/log/open-log-reader";
import { pastSnapshots } from "./commits";
import { crashInReplay, freezeUntilMoved } from "./duplicates-events";
import { emptyAndReadAgain, readAgain } from "./duplicates-snapshots";
import { type DuplicatesWatch, openDuplicatesWatch } from "./duplicates-watch";
import { isLong } from "./figures";

/** Changes a second in each database, and the sessions that write them: their transactions interleave. */
const RATE = isLong ? 100 : 60;
const WRITERS = 16;
/** At every which event all is looked at from the first record too; the last one does so in any case. */
const WHOLE_EACH = 8;
const CONNECTORS = ["orders-cdc", "inventory-cdc"] as const;
/** A test that is given up goes on beside the next one, and both would look: it is waited for. */
const PATIENCE = { timeout: isLong ? 3_600_000 : 600_000 };
const random = (from: number, to: number) => from + Math.random() * (to - from);

// Run once: an event that is done again is another event.
describe("replays found from positions, against the copies that row numbers tell", { retry: 0 }, () => {
  // The tests beside this one would meet its crashes.
  const lab = openLab(mkdtempSync(join(tmpdir(), "lab-duplicates-")));
  const writing = new AbortController();
  let written: Promise<unknown> | undefined;
  let connection: KafkaConnection;
  let watch: DuplicatesWatch;
  const copies = { "orders-cdc": 0, "inventory-cdc": 0 };
  const isOneWithoutCopies = () => CONNECTORS.some((connector) => copies[connector] === 0);
  /** New copies at each event, to be told where there were none at all. */
  const events: string[] = [];

  beforeAll(async () => {
    await lab.up();
    connection = openKafka({ name: "lab", connect: { urls: lab.connectUrls }, kafka: lab.kafkaSettings() });
    watch = openDuplicatesWatch(lab, openLogReader(connection), WHOLE_EACH);
    written = lab.write({ rate: RATE, writers: WRITERS, signal: writing.signal });
    await pastSnapshots(lab, CONNECTORS);
  }, 300_000);
  afterAll(async () => {
    writing.abort();
    await written?.catch(() => {});
    await connection?.close();
    await lab.reset();
  }, 120_000);

  interface Wanted {
    /** Rows that snapshots have read at least. */
    reReads?: number;
    /** Looked at from the first record too, and scanned. */
    all?: boolean;
  }

  /** Compares after what was done. */
  async function same(name: string, work: () => Promise<void>, wanted: Wanted = {}): Promise<void> {
    const { reReads = 0, all = false } = wanted;
    const outcome = await watch.event(name, work, all);
    for (const connector of CONNECTORS) copies[connector] += outcome.fresh[connector] ?? 0;
    events.push(`${name}: ${JSON.stringify(outcome.fresh)}`);
    expect(outcome.differences).toEqual([]);
    expect(outcome.reReads).toBeGreaterThanOrEqual(reReads);
  }

  const flushEach = (seconds: number) => lab.configure({ flushIntervalMs: seconds * 1_000 });

  const inShort = () => {
    test("a graceful restart under load", () => same("graceful restart", () => flushEach(20)));

    // One that comes right after a commit leaves none.
    test("crashes, until there are copies of each connector", async () => {
      for (let crash = 1; crash === 1 || (crash <= 5 && isOneWithoutCopies()); crash++) {
        await sleep(random(2_000, 5_000));
        await same(`crash ${crash}`, () => lab.crash("connect"));
      }
    });

    test("a crash in the middle of the replay that a crash made", async () => {
      await sleep(3_000);
      await same("crash in a replay", () => crashInReplay(lab, 100));
    });

    test("the broker is killed", () => same("broker killed", () => lab.crash("broker")));
  };

  const inFull = () => {
    for (const seconds of [5, 15, 30, 60]) {
      test(`a graceful restart, to a flush each ${seconds} s`, () =>
        same(`graceful restart, flush ${seconds} s`, () => flushEach(seconds)));

      for (let crash = 1; crash <= 5; crash++)
        test(`crash ${crash} with a flush each ${seconds} s`, async () => {
          await sleep(random(2_000, 4_000 + seconds * 700));
          const inReplay = crash === 5;
          const work = () =>
            inReplay ? crashInReplay(lab, Math.round(random(20, 400))) : lab.crash("connect");
          await same(`${inReplay ? "crash in a replay" : "crash"}, flush ${seconds} s`, work);
        });
    }

    test("two workers more", () =>
      same("two workers more", async () => {
        await lab.up({ workers: 3, hold: true });
        await flushEach(10);
      }));

    for (const worker of WORKER_NAMES)
      test(`${worker} is killed while the others go on`, async () => {
        await sleep(random(2_000, 10_000));
        await same(`${worker} killed`, () => lab.crash(worker, { stayDown: true }));
        await same(`${worker} comes back`, () => lab.start(worker));
      });

    for (const connector of CONNECTORS)
      test(`the worker of ${connector} is frozen until its task has moved, and thawed`, async () => {
        await shortSenderTimeout();
        await sleep(random(2_000, 8_000));
        await same(`worker of ${connector} frozen and thawed`, () => freezeUntilMoved(lab, connector, 5_000));
      });

    for (const database of ["postgres", "mariadb"] as const) {
      test(`${database} is restarted`, async () => {
        await sleep(random(2_000, 8_000));
        await same(`${database} restarted`, () => lab.restart(database));
      });

      test(`${database} is killed`, async () => {
        await sleep(random(2_000, 8_000));
        await same(`${database} killed`, () => lab.crash(database));
      });
    }

    for (const time of [1, 2, 3])
      test(`the broker is killed, time ${time}`, async () => {
        await sleep(random(2_000, 8_000));
        await same(`broker killed, time ${time}`, () => lab.crash("broker"));
      });

    test("a crash of all workers", async () => {
      await sleep(random(2_000, 8_000));
      await same("all workers killed", async () => {
        await Promise.all(WORKER_NAMES.map((name) => lab.crash(name)));
      });
    });
  };

  describe(isLong ? "in full" : "in short", PATIENCE, () => (isLong ? inFull() : inShort()));

  describe("snapshots by signal", PATIENCE, () => {
    test("incremental ones of tables that are being written", () =>
      same("incremental snapshots", () => readAgain(lab, "incremental"), { reReads: 4_000 }));

    test("blocking ones of tables that are being written", () =>
      same("blocking snapshots", () => readAgain(lab, "blocking"), { reReads: 4_000 }));

    test("of tables that were emptied, and filled again", async () => {
      // The rows that go belong to the writers.
      writing.abort();
      await written;
      await same("emptied and read again", () => emptyAndReadAgain(lab), { reReads: 300, all: true });
    });
  });

  test("there were duplicates of each connector to be found", () => {
    for (const connector of CONNECTORS) expect({ connector, events }).toSatisfy(() => copies[connector] > 0);
  });

  /** A frozen worker holds the replication slot until the server gives up waiting for it: sooner than after a minute. */
  async function shortSenderTimeout(): Promise<void> {
    const pg = await lab.pg();
    try {
      await pg.query("ALTER SYSTEM SET wal_sender_timeout = '20s'");
      await pg.query("SELECT pg_reload_conf()");
    } finally {
      await pg.end();
    }
  }
});
