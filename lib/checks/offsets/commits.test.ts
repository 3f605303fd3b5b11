import { describe, expect, test } from "vitest";
import type { ConnectorFacts } from "../check";
import {
  ago,
  commitHistory,
  facts,
  judged,
  mariadbCommits,
  never,
  now,
  postgresConfig,
  refused,
  report,
  runState,
  seen,
  stale,
  storedOffset,
} from "../testing/facts";
import cases from "./cases.json";

const mysqlConfig = {
  "connector.class": "io.debezium.connector.mysql.MySqlConnector",
  "topic.prefix": "inv",
};
type Commits = Parameters<typeof commitHistory>[1];

const forbidden = {
  kind: "forbidden" as const,
  sentence: "not allowed to read topic connect-offsets (needs Read)",
  remedy: "Grant it.",
};

function mysql(commits: Commits): ConnectorFacts {
  const config = mysqlConfig;
  return facts({
    report: seen(report({ config })),
    commits: seen(commitHistory({ server: "inv" }, commits)),
  });
}

function postgres(commits: Commits): ConnectorFacts {
  const config = postgresConfig;
  return facts({
    report: seen(report({ config })),
    commits: seen(commitHistory({ server: "shop" }, commits)),
  });
}

/** A PostgreSQL offset after a commit; `at`: its source time, so many seconds ago. */
function lsn(value: number, at: number, more: object = {}) {
  return {
    lsn: value,
    lsn_proc: value,
    lsn_commit: value,
    messageType: "COMMIT",
    ts_usec: ago(at).getTime() * 1000,
    ...more,
  };
}

describe("offset-went-back", () => {
  test("is silent while commits rise, stand still, or are repeated", () => {
    expect(judged("offset-went-back", facts()).outcome).toBe("ok");
    const still = postgres([
      [30, lsn(100, 31)],
      [20, lsn(100, 31)],
      [10, lsn(101, 11)],
    ]);
    expect(judged("offset-went-back", still).outcome).toBe("ok");
  });

  test("a tombstone between: the offsets were deleted, with both positions, when and where", () => {
    const verdict = judged(
      "offset-went-back",
      postgres([
        [300, lsn(27408640, 301)],
        [200, null],
        [100, lsn(26120704, 101)],
        [40, lsn(26120960, 41)],
      ]),
    );
    expect(verdict).toMatchObject({ outcome: "warning", short: "offsets deleted" });
    expect(verdict.sentence).toBe(
      "The stored position went back at 2026-09-14 06:28:20 UTC, from 0/1A23900 to 0/18E9200: the offset was deleted before (at 2026-09-14 06:26:40 UTC), so the connector started as new. What it emits from there comes again.",
    );
    expect(verdict.evidence).toEqual([
      {
        label: "before",
        value: "0/1A23900",
        from: "connect-offsets, partition 3, offset 1200, 2026-09-14T06:25:00.000Z",
      },
      {
        label: "deleted",
        value: "tombstone",
        from: "connect-offsets, partition 3, offset 1201, 2026-09-14T06:26:40.000Z",
      },
      {
        label: "then",
        value: "0/18E9200",
        from: "connect-offsets, partition 3, offset 1202, 2026-09-14T06:28:20.000Z",
      },
      { label: "distance", value: "-1287936 bytes of WAL", from: "the two positions" },
      { label: "since", value: "2026-09-14T06:28:20.000Z", from: "offset topic" },
    ]);
    expect(verdict.remedy.length).toBeGreaterThan(0);
  });

  test.each([
    [
      "an earlier commit put back",
      [
        [300, lsn(100, 301)],
        [200, lsn(900, 201)],
        [100, lsn(100, 301)],
      ],
      "set to an earlier commit",
      "exactly the commit of 2026-09-14 06:25:00 UTC",
    ],
    [
      "a lower one whose source time is earlier too",
      [
        [200, lsn(900, 201)],
        [100, lsn(100, 400)],
      ],
      "set by hand",
      "PATCH /offsets",
    ],
    [
      "a lower one without a source time",
      [
        [200, lsn(900, 201)],
        [100, { lsn: 100 }],
      ],
      "set by hand",
      "PATCH /offsets",
    ],
    [
      "a lower one that was committed later at the source",
      [
        [200, lsn(900, 201)],
        [100, lsn(100, 101)],
      ],
      "other server",
      "committed later at the source",
    ],
    [
      "a snapshot that began again, lower",
      [
        [200, lsn(900, 201)],
        [
          100,
          { lsn: 100, snapshot: "INITIAL", snapshot_completed: false, ts_usec: ago(101).getTime() * 1000 },
        ],
      ],
      "snapshot began again",
      "a snapshot began there",
    ],
  ] satisfies [string, Commits, string, string][])("%s", (_, commits, short, words) => {
    const verdict = judged("offset-went-back", postgres(commits));
    expect(verdict).toMatchObject({ outcome: "warning", short });
    expect(verdict.sentence).toContain(words);
  });

  test("a lower commit of another server of MySQL names both", () => {
    const verdict = judged(
      "offset-went-back",
      mysql([
        [
          200,
          { file: "b.000009", pos: 900, gtids: "3e11fa47-71ca-11e1-9e33-c80aa9429562:1-90", server_id: 1 },
        ],
        [
          100,
          { file: "b.000002", pos: 100, gtids: "3e11fa47-71ca-11e1-9e33-c80aa9429562:1-80", server_id: 2 },
        ],
      ]),
    );
    expect(verdict).toMatchObject({ outcome: "warning", short: "other server" });
    expect(verdict.sentence).toContain("server_id 2, before 1");
  });

  test.each([
    ["a new snapshot after streaming", [[200, lsn(100, 201)]]],
    ["a snapshot begun anew", [[200, { lsn: 100, snapshot: "INITIAL", snapshot_completed: false }]]],
  ] satisfies [string, Commits][])("%s, at a higher position, is told and no fault", (_, first) => {
    const verdict = judged(
      "offset-went-back",
      postgres([...first, [100, { lsn: 900, snapshot: "INITIAL", snapshot_completed: false }]]),
    );
    expect(verdict).toMatchObject({ outcome: "info", short: "new snapshot" });
    expect(verdict.sentence).toContain("every row is emitted again");
  });

  test("deleted, and gone on at a higher position: it started as new, which loses changes where no rows are read", () => {
    const commits: Commits = [
      [200, { file: "b.000001", pos: 100, gtids: "0-1-10" }],
      [150, null],
      [100, { file: "b.000001", pos: 900, gtids: "0-1-90" }],
    ];
    const started = (mode: string | undefined, config: object = facts().report.value?.config ?? {}) =>
      judged(
        "offset-went-back",
        facts({
          report: seen(report({ config: { ...config, ...(mode ? { "snapshot.mode": mode } : {}) } })),
          commits: seen(commitHistory({ server: "inv" }, commits)),
        }),
      );
    expect(started("initial")).toMatchObject({ outcome: "info", short: "started as new" });
    expect(started("initial").sentence).toBe(
      "The stored offset was deleted at 2026-09-14 06:27:30 UTC (DELETE /offsets), and the connector started as new: with snapshot.mode=initial it takes a full snapshot; deletes made in between are not seen.",
    );
    expect(started("no_data")).toMatchObject({ outcome: "warning", short: "started as new" });
    expect(started("no_data").sentence).toContain("the changes made in between are lost");
    expect(started("no_data", postgresConfig).outcome).not.toBe("warning");
  });

  test("commits of one snapshot, its end, and a blocking snapshot are none", () => {
    const snapshot = { lsn: 100, snapshot: "INITIAL", snapshot_completed: false };
    const one = postgres([
      [400, { ...snapshot, ts_usec: 1 }],
      [300, { ...snapshot, ts_usec: 2 }],
      [200, { ...snapshot, snapshot_completed: true, last_snapshot_record: true }],
      [100, lsn(101, 101)],
      [50, { lsn: 101, lsn_commit: 101, snapshot: "BLOCKING", snapshot_completed: false }],
    ]);
    expect(judged("offset-went-back", one).outcome).toBe("ok");
  });

  test("is a finding for 24 hours, and never mixes two topics or two partitions", () => {
    const [first, second] = [lsn(900, 999_999), lsn(100, 999_998)];
    const old = (age: number) =>
      postgres([
        [age + 60, first],
        [age, second],
        [10, lsn(950, 11)],
      ]);
    expect(judged("offset-went-back", old(86_000)).outcome).toBe("warning");
    expect(judged("offset-went-back", old(87_000)).outcome).toBe("ok");

    const mixed = commitHistory({ server: "shop" }, [
      [30, lsn(900, 31)],
      [20, lsn(100, 21)],
    ]);
    const [only] = mixed.partitions;
    if (!only) throw new Error("one partition");
    const ownTopic = only.commits.map((c, i) => ({ ...c, topic: i === 0 ? "own-offsets" : c.topic }));
    const apart = facts({
      report: seen(report({ config: postgresConfig })),
      commits: seen({ topics: [], partitions: [{ ...only, commits: ownTopic }] }),
    });
    expect(judged("offset-went-back", apart).outcome).toBe("ok");
  });

  test("several: the newest is told, the others are counted, the partition is named", () => {
    const two = commitHistory({ server: "shop" }, [
      [300, lsn(900, 301)],
      [200, lsn(100, 401)],
      [150, lsn(800, 151)],
      [100, lsn(50, 501)],
    ]);
    const other = commitHistory({ server: "shop2" }, [[10, lsn(1, 11)]]);
    const verdict = judged(
      "offset-went-back",
      facts({
        report: seen(report({ config: postgresConfig })),
        commits: seen({ topics: [], partitions: [...two.partitions, ...other.partitions] }),
      }),
    );
    expect(verdict.evidence).toContainEqual(expect.objectContaining({ label: "then", value: "0/32" }));
    expect(verdict.evidence).toContainEqual(expect.objectContaining({ value: "2 in 24 h" }));
    expect(verdict.evidence[0]).toMatchObject({ label: "source partition", value: '{"server":"shop"}' });
  });
});

describe.each(["offset-went-back", "offset-not-comparable"])("%s without the offset topic", (slug) => {
  test("is unknown, with the reason and what to grant", () => {
    const verdict = judged(slug, facts({ commits: never(forbidden) }));
    expect(verdict.outcome).toBe("unknown");
    expect(verdict.sentence).toContain("needs Read");
    expect(verdict.sentence).toContain("only the offset topic has more than the newest");
    expect(verdict.remedy).toEqual([{ text: "Grant it.", command: null }]);
    expect(judged(slug, facts({ commits: null })).outcome).toBe("unknown");
    expect(judged(slug, facts({ commits: stale(mariadbCommits, refused) })).outcome).toBe("unknown");
  });

  test("an offset that cannot be read is no ground for a claim, and does not hide the others", () => {
    const odd = postgres([
      [40, lsn(100, 41)],
      [30, "[1,2"],
      [20, { lsn: "abc" }],
      [10, lsn(200, 11)],
    ]);
    expect(judged(slug, odd).outcome).toBe("ok");
  });
});

describe("offset-not-comparable", () => {
  const at = (hours: string) => (now.getTime() - Date.parse(`2026-09-14T${hours}:00Z`)) / 1000;

  test("OFF-08: the GTID set stands still while file and position move", () => {
    const { input, expected } = cases["OFF-08"];
    const [first, second] = input;
    if (!first || !second) throw new Error("two commits");
    const later = new Date("2026-09-14T12:01:00Z");
    const verdict = judged(
      "offset-not-comparable",
      mysql([
        [at(first.at), first.offset],
        [at(second.at), second.offset],
      ]),
      later,
    );
    expect(verdict.outcome).toBe("warning");
    expect(verdict.sentence).toMatch(/gtid_mode/);
    expect(verdict.sentence).toMatch(/restart may fail or (replay|send)/);
    expect(expected.progress).toContain("989200");
    expect(verdict.evidence).toContainEqual(
      expect.objectContaining({ label: "progress", value: expect.stringMatching(/\+989,?200 bytes/) }),
    );
  });

  test("OFF-10: binlog numbering restarts; by GTID it goes on, and nothing is called up to date", () => {
    const [first, second] = cases["OFF-10"].input;
    if (!first || !second) throw new Error("two commits");
    const verdict = judged(
      "offset-not-comparable",
      mysql([
        [80_000, first.offset],
        [60, second.offset],
      ]),
    );
    expect(verdict.outcome).toBe("warning");
    expect(verdict.sentence).toMatch(/numbering/);
    expect(verdict.sentence).toMatch(/(another|different) server/);
    expect(verdict.evidence).toContainEqual(
      expect.objectContaining({ label: "progress", value: expect.stringMatching(/\+45 transactions/) }),
    );
    expect(JSON.stringify(verdict)).not.toMatch(/up to date|lag|-\d+ transactions/);
  });

  test("two servers without GTIDs, for 24 hours; a GTID set that moves on again ends it at once", () => {
    const apart: Commits = [
      [300, { file: "b.000009", pos: 900, server_id: 1 }],
      [200, { file: "b.000009", pos: 950, server_id: 2 }],
    ];
    const verdict = judged("offset-not-comparable", mysql(apart));
    expect(verdict.outcome).toBe("warning");
    expect(verdict.evidence.find((e) => e.label === "since")?.value).toBe(ago(200).toISOString());
    const still = mysql([...apart, [100, { file: "b.000009", pos: 970, server_id: 2 }]]);
    expect(judged("offset-not-comparable", still)).toMatchObject({ outcome: "warning" });
    const old = apart.map(([age, offset]) => [age + 86_400, offset] as const);
    const over = mysql([...old, [100, { file: "b.000009", pos: 970, server_id: 2 }]]);
    expect(judged("offset-not-comparable", over).outcome).toBe("ok");

    const uuid = "6bdfafd3-ab88-11f1-ac78-663f1c0f15f3";
    const frozen: Commits = [
      [300, { file: "b.000009", pos: 900, gtids: `${uuid}:1-18` }],
      [200, { file: "b.000009", pos: 990_400, gtids: `${uuid}:1-18` }],
    ];
    expect(judged("offset-not-comparable", mysql(frozen)).outcome).toBe("warning");
    const moving = mysql([...frozen, [100, { file: "b.000009", pos: 991_000, gtids: `${uuid}:1-19` }]]);
    expect(judged("offset-not-comparable", moving).outcome).toBe("ok");
  });

  test("is silent for commits that compare, and does not apply where positions are not decoded", () => {
    expect(judged("offset-not-comparable", facts()).outcome).toBe("ok");
    expect(judged("offset-not-comparable", facts({ report: seen(report({ type: "sink" })) })).outcome).toBe(
      "not-applicable",
    );
  });
});

describe("offset-snapshot-unfinished", () => {
  const offset = { lsn: 26120704, snapshot: "INITIAL", snapshot_completed: false, txId: 501 };
  const partition = { server: "shop" };
  /** `commit`: seconds since the newest one. */
  function snapshot(commit: number, more: Partial<ConnectorFacts> = {}): ConnectorFacts {
    return facts({
      report: seen(report({ config: postgresConfig })),
      offsets: seen({ offsets: [storedOffset(partition, offset)] }, { since: ago(commit) }),
      commits: seen(commitHistory(partition, [[commit, offset]])),
      ...more,
    });
  }
  const table = (grew: number | null, watched = 3600) => ({
    topic: "shop.public.orders",
    role: "table" as const,
    partitions: 1,
    end: "10",
    grewAt: grew === null ? null : ago(grew).toISOString(),
    watchedSince: ago(watched).toISOString(),
    perSecond: 0,
    failure: null,
  });
  const ends = (grew: number | null, watched?: number) => seen({ topics: [table(grew, watched)] });

  test("a snapshot under way is told and no fault: commits come, or its topics grow", () => {
    expect(judged("offset-snapshot-unfinished", snapshot(30))).toMatchObject({
      outcome: "info",
      short: "under way",
    });
    expect(judged("offset-snapshot-unfinished", snapshot(900, { ends: ends(20) })).outcome).toBe("info");
  });

  test("no commit for long and no table topic that grows: unfinished", () => {
    const verdict = judged("offset-snapshot-unfinished", snapshot(900, { ends: ends(900) }));
    expect(verdict).toMatchObject({ outcome: "warning", short: "unfinished" });
    expect(verdict.sentence).toContain(
      "nothing was committed since 2026-09-14 06:15:00 UTC and no table topic grew",
    );
    expect(verdict.evidence).toContainEqual({
      label: "last commit",
      value: ago(900).toISOString(),
      from: `connect-offsets, partition 3, offset 1200, ${ago(900).toISOString()}`,
    });
    const unseen = judged("offset-snapshot-unfinished", snapshot(900, { ends: ends(null, 60) }));
    expect(unseen.outcome).toBe("warning");
    expect(unseen.sentence).not.toContain("no table topic grew");
  });

  test("by REST alone, as long as the offset was seen to be the same", () => {
    const rest = (commit: number) => snapshot(commit, { commits: never(forbidden) });
    expect(judged("offset-snapshot-unfinished", rest(30)).outcome).toBe("info");
    expect(judged("offset-snapshot-unfinished", rest(900)).evidence).toContainEqual(
      expect.objectContaining({ label: "last commit", from: "not seen to change since, by REST" }),
    );
  });

  test.each([
    ["STOPPED", [], "the connector is STOPPED"],
    ["PAUSED", [{ id: 0, ...runState("PAUSED") }], "the connector is PAUSED"],
    ["RUNNING", [{ id: 0, ...runState("FAILED") }], "its task is FAILED"],
    ["RUNNING", [], "the connector has no task"],
  ])("%s with %j: nothing of it goes on", (state, tasks, words) => {
    const still = report({ config: postgresConfig, connector: runState(state), tasks });
    const verdict = judged("offset-snapshot-unfinished", snapshot(30, { report: seen(still) }));
    expect(verdict.outcome).toBe("warning");
    expect(verdict.sentence).toContain(words);
  });

  test("is silent once it is complete, and while no snapshot was taken", () => {
    const done = { ...offset, snapshot_completed: true, last_snapshot_record: true };
    const complete = snapshot(900, { offsets: seen({ offsets: [storedOffset(partition, done)] }) });
    expect(judged("offset-snapshot-unfinished", complete).outcome).toBe("ok");
    expect(judged("offset-snapshot-unfinished", facts()).outcome).toBe("ok");
  });

  test("is unknown without offsets, without the tasks' state, and for a flag that is not known", () => {
    expect(judged("offset-snapshot-unfinished", facts({ offsets: never(refused) })).outcome).toBe("unknown");
    const silent = report({ config: postgresConfig, connector: null, tasks: null });
    expect(judged("offset-snapshot-unfinished", snapshot(30, { report: seen(silent) })).outcome).toBe(
      "unknown",
    );
    const odd = { offsets: [storedOffset(partition, { ...offset, snapshot: "SIDEWAYS" })] };
    const verdict = judged("offset-snapshot-unfinished", snapshot(30, { offsets: seen(odd) }));
    expect(verdict.outcome).toBe("unknown");
    expect(verdict.sentence).toContain("SIDEWAYS");
  });
});
