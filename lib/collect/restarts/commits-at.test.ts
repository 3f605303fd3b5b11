import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { CommitHistory, OffsetCommit } from "@/lib/observed/commits";
import { saveCommits } from "@/lib/store/commits";
import type { Database } from "@/lib/store/database";
import { startTestServer, type TestServer } from "@/lib/store/test-server";
import { commitsAt } from "./commits-at";

const start = Date.parse("2026-11-30T10:00:00.000Z");
const of = { cluster: "prod", connector: "orders" };
const partition = '{"server":"shop"}';

const commit = (n: number, offset: string | null = `{"lsn":${n}}`): OffsetCommit => ({
  at: new Date(start + n * 1_000).toISOString(),
  offset,
  topic: "connect-offsets",
  kafkaPartition: 3,
  kafkaOffset: n,
});
const historyOf = (...commits: OffsetCommit[]): CommitHistory => ({
  topics: ["connect-offsets"],
  partitions: [{ partition, commits }],
});

describe("what was stored when a run began", () => {
  let server: TestServer;
  let db: Database;
  beforeAll(async () => {
    server = await startTestServer();
    db = (await server.create()).db;
  });
  afterAll(() => server?.stop());

  test("is the newest commit before it; one at the same moment came later", async () => {
    const found = await commitsAt(db, of, historyOf(commit(1), commit(2), commit(3)), start + 3_000);
    expect(found?.offsets).toEqual({
      from: "topic",
      offsets: [{ partition, offset: '{"lsn":2}', committedAt: commit(2).at }],
    });
    expect(found?.history.partitions[0]?.commits).toEqual([commit(1), commit(2)]);
  });

  test("a deletion leaves nothing stored", async () => {
    const found = await commitsAt(db, of, historyOf(commit(1), commit(2, null)), start + 9_000);
    expect(found?.offsets.offsets).toEqual([]);
  });

  test("comes from the store where the commits at hand do not reach back", async () => {
    const history = historyOf(commit(20), commit(21));
    expect(await commitsAt(db, of, history, start + 9_500)).toBeNull();
    await saveCommits(
      db,
      "prod",
      [8, 9, 20].map((n) => ({ ...commit(n), connector: "orders", partition })),
    );
    const found = await commitsAt(db, of, history, start + 9_500);
    expect(found?.offsets.offsets).toMatchObject([{ offset: '{"lsn":9}' }]);
    expect(found?.history.partitions[0]?.commits).toEqual([commit(8), commit(9)]);
  });
});
