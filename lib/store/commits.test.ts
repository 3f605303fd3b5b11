import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { CommitHistory, OffsetCommit } from "@/lib/observed/commits";
import {
  type CommitOf,
  deleteOldCommits,
  dropCommitsOf,
  readCommitsBetween,
  readStoredEnds,
  saveCommits,
} from "./commits";
import {
  readConnector,
  readConnectors,
  saveConnectorParts,
  saveOffsetParts,
  saveReports,
} from "./connectors";
import { reportOf, seen } from "./sample-facts";
import { queryOn, startTestServer, type TestServer } from "./test-server";

const hour = 3_600_000;
const start = Date.UTC(2026, 10, 29, 12, 0, 0, 123);
const shop = '{"server":"shop"}';

function commit(kafkaOffset: number, more: Partial<CommitOf> = {}): CommitOf {
  return {
    connector: "orders",
    partition: shop,
    at: new Date(start + kafkaOffset * 1_000).toISOString(),
    offset: `{"lsn":18446744073709551615,"n":${kafkaOffset},"z":1.0}`,
    topic: "connect-offsets",
    kafkaPartition: 2,
    kafkaOffset,
    ...more,
  };
}
const plain = ({ connector: _, partition: __, ...rest }: CommitOf): OffsetCommit => rest;
const history = (...commits: CommitOf[]): CommitHistory => ({
  topics: ["connect-offsets"],
  partitions: [{ partition: shop, commits: commits.map(plain) }],
});
const always = { from: new Date(0), to: new Date(start + 1_000 * hour) };
const orders = { cluster: "eu", connector: "orders" };

describe("commits of source offsets", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer();
  });
  afterAll(() => server.stop());

  test("come back to the letter, and reading the topic again adds nothing", async () => {
    const { db, url } = await server.create();
    const commits = [
      commit(0),
      commit(1, { offset: null }),
      commit(2, { connector: 'an "odd" → name', partition: '{"a":"\\u0000\\ud800"}' }),
    ];
    await saveCommits(db, "eu", commits);
    await saveCommits(db, "eu", [...commits, commit(1, { offset: null })]);
    expect(await readCommitsBetween(db, orders, always)).toEqual(commits.slice(0, 2));
    expect(await readCommitsBetween(db, { cluster: "eu", connector: 'an "odd" → name' }, always)).toEqual(
      commits.slice(2),
    );
    expect(await readCommitsBetween(db, { ...orders, cluster: "us" }, always)).toEqual([]);
    expect(await queryOn(url, "SELECT count(*)::int AS n FROM offset_commit")).toEqual([{ n: 3 }]);
  });

  test("a range takes its beginning and leaves its end", async () => {
    const { db } = await server.create();
    await saveCommits(db, "eu", [commit(0), commit(1), commit(2)]);
    const range = { from: new Date(start), to: new Date(start + 2_000) };
    expect((await readCommitsBetween(db, orders, range)).map((c) => c.kafkaOffset)).toEqual([0, 1]);
  });

  test("another record at the same place takes it over: the topic was made again", async () => {
    const { db } = await server.create();
    await saveCommits(db, "eu", [commit(0), commit(1)]);
    const other = commit(0, { at: new Date(start + hour).toISOString(), offset: '{"lsn":5}' });
    await saveCommits(db, "eu", [other]);
    expect(await readCommitsBetween(db, orders, always)).toEqual([commit(1), other]);
  });

  test("what is stored of a partition or of a whole topic is forgotten", async () => {
    const { db } = await server.create();
    const far = commit(3_000_000_000, { kafkaPartition: 4, at: new Date(start).toISOString() });
    await saveCommits(db, "eu", [far]);
    await dropCommitsOf(db, "eu", "connect-offsets", 4, 3_000_000_001);
    expect(await readCommitsBetween(db, orders, always)).toEqual([far]);
    await dropCommitsOf(db, "eu", "connect-offsets", 4, 3_000_000_000);
    expect(await readCommitsBetween(db, orders, always)).toEqual([]);
    const others = [commit(7, { kafkaPartition: 3 }), commit(8, { topic: "own-offsets" })];
    await saveCommits(db, "eu", [commit(0), commit(1), commit(2), ...others]);
    const place = { topic: "connect-offsets", kafkaPartition: 2 };
    expect(await readStoredEnds(db, "eu", [place, { ...place, kafkaPartition: 9 }])).toEqual([
      { ...place, kafkaOffset: 2, at: commit(2).at },
    ]);
    await dropCommitsOf(db, "eu", "connect-offsets", 2, 1);
    expect(await readCommitsBetween(db, orders, always)).toEqual([commit(0), ...others]);
    await dropCommitsOf(db, "eu", "connect-offsets", 2);
    expect(await readCommitsBetween(db, orders, always)).toEqual(others);
    await dropCommitsOf(db, "us", "connect-offsets");
    await dropCommitsOf(db, "eu", "connect-offsets");
    expect(await readCommitsBetween(db, orders, always)).toEqual(others.slice(1));
  });

  test("names too long for an index are left out and stop nothing", async () => {
    const { db } = await server.create();
    const noise = Array.from({ length: 3_000 }, () => Math.random().toString(36)).join("");
    await saveCommits(db, "eu", [commit(0, { partition: `{"token":"${noise}"}` }), commit(1)]);
    expect(await readCommitsBetween(db, orders, always)).toEqual([commit(1)]);
  });

  test("a connector is read with its recent commits, a list of connectors with the newest", async () => {
    const { db } = await server.create();
    await saveReports(db, "eu", [reportOf("orders")]);
    const all = Array.from({ length: 100 }, (_, i) => commit(i));
    // The clock of another worker goes behind: the order is that of the topic.
    const newest = commit(100, { at: new Date(start + 97_500).toISOString() });
    const copy = commit(55, { topic: "own-offsets" });
    await saveCommits(db, "eu", [...all, newest, copy]);
    const observed = seen(history(...all.slice(41), newest));
    await saveConnectorParts(db, "eu", "orders", { commits: observed });
    expect((await readConnector(db, "eu", "orders"))?.commits).toEqual(observed);
    expect((await readConnectors(db, "eu"))[0]?.commits?.value).toEqual(history(newest));
  });

  test("a newest commit that is not in the table is read all the same", async () => {
    const { db } = await server.create();
    await saveReports(db, "eu", [reportOf("orders")]);
    await saveCommits(db, "eu", [commit(0)]);
    await saveOffsetParts(db, "eu", new Map([["orders", { commits: seen(history(commit(0), commit(1))) }]]));
    expect((await readConnector(db, "eu", "orders"))?.commits?.value).toEqual(history(commit(0), commit(1)));
  });

  test("a failure keeps the history that was read before it", async () => {
    const { db } = await server.create();
    await saveReports(db, "eu", [reportOf("orders")]);
    const failure = { kind: "forbidden" as const, sentence: "not allowed", remedy: null };
    const failing = { ...seen(history(commit(0))), failure };
    await saveOffsetParts(
      db,
      "eu",
      new Map([
        ["orders", { commits: failing }],
        ["gone", { commits: failing }],
      ]),
    );
    expect((await readConnector(db, "eu", "orders"))?.commits).toEqual(failing);
    await saveConnectorParts(db, "eu", "orders", { commits: { ...failing, value: null } });
    expect((await readConnector(db, "eu", "orders"))?.commits).toMatchObject({ value: null, failure });
  });

  test("old ones go, but for the newest offset of each source partition of a known connector", async () => {
    const { db } = await server.create();
    await saveReports(db, "eu", [reportOf("orders")]);
    const idle = { partition: '{"server":"idle"}' };
    const deleted = { partition: '{"server":"deleted"}' };
    await saveCommits(db, "eu", [
      commit(0),
      commit(1),
      commit(2, idle),
      commit(3, idle),
      commit(4, deleted),
      commit(5, { ...deleted, offset: null }),
      commit(6, { connector: "dropped" }),
      commit(7_200),
    ]);
    await saveCommits(db, "us", [commit(0)]);
    expect(await deleteOldCommits(db, new Date(start + hour))).toBe(false);
    expect((await readCommitsBetween(db, orders, always)).map((c) => c.kafkaOffset)).toEqual([3, 7_200]);
    expect(await readCommitsBetween(db, { cluster: "eu", connector: "dropped" }, always)).toEqual([]);
    expect(await readCommitsBetween(db, { cluster: "us", connector: "orders" }, always)).toEqual([]);
  });

  test("50,000 are written, read and deleted in batches, none of which takes long", async () => {
    const { db, url } = await server.create();
    await saveReports(db, "eu", [reportOf("orders")]);
    const many = Array.from({ length: 50_000 }, (_, i) => commit(i));
    await saveCommits(db, "eu", many);
    let longest = 0;
    let more = true;
    while (more) {
      const began = performance.now();
      more = await deleteOldCommits(db, new Date(start + 45_000_000));
      longest = Math.max(longest, performance.now() - began);
    }
    expect(await queryOn(url, "SELECT count(*)::int AS n FROM offset_commit")).toEqual([{ n: 5_000 }]);
    expect(longest).toBeLessThan(5_000);
  });
});
