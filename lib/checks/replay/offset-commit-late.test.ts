import { describe, expect, test } from "vitest";
import type { ReplayWindow } from "@/lib/observed/replay-window";
import type { ConnectorFacts } from "../check";
import {
  ago,
  commitHistory,
  facts,
  limits,
  never,
  now,
  refused,
  report,
  seen,
  stale,
} from "../testing/facts";
import { byTime, commitsAgo, idleWindow, replayWindow } from "../testing/window";
import cases from "./cases.json";
import { offsetCommitLate } from "./offset-commit-late";

const judge = (input: ConnectorFacts) => offsetCommitLate.judge(input, limits, now);
const of = (window: ReplayWindow) => judge(facts({ window: seen(window) }));

/** Records since so many seconds, and the commits so many seconds ago. */
const growing = (firstAgo: number, commitsSecondsAgo: (number | null)[], more: Partial<ReplayWindow> = {}) =>
  replayWindow({
    commits: commitsAgo(...commitsSecondsAgo),
    byTime: byTime({
      committedAt: ago(Math.max(...commitsSecondsAgo.map((s) => s ?? 0))).toISOString(),
      firstAt: ago(firstAgo).toISOString(),
    }),
    ...more,
  });

/** A connector of which an interval was inferred, with its commits, oldest first; records came since so many seconds ago. */
function flushed(ms: number, firstAgo: number, secondsAgo: number[], confidence: "sure" | "likely" = "sure") {
  const flushInterval = { ...replayWindow().flushInterval, ms, confidence };
  const window = growing(firstAgo, [secondsAgo.at(-1) ?? 0], { flushInterval });
  const commits = commitHistory(
    { server: "inv", n: 0 },
    secondsAgo.map((ago) => [ago, {}]),
  );
  return judge(facts({ window: seen(window), commits: seen(commits) }));
}

const notInferred = {
  ms: null,
  commits: 1,
  of: "connector",
  confidence: null,
  why: "one commit was seen",
} as const;

describe("offset-commit-late fires", () => {
  test("REP-01 flushes time out: the window grows while everything looks fine", () => {
    const { input, expected } = cases["REP-01"];
    const events = 9_400;
    expect(expected.events_replayed_if_crashed_now).toContain(String(events));
    const secondsAgo = 43 * 60;
    const verdict = of(
      growing(secondsAgo - 1, [secondsAgo], {
        events,
        bound: "at-most",
        flushInterval: { ...replayWindow().flushInterval, ms: input["offset.flush.interval.ms"] },
      }),
    );
    expect(verdict.outcome).toBe("warning");
    expect(verdict.sentence).toBe(
      "Records have come for 42 min, and no offset was committed since: a crash now would produce at most 9,400 events again. Flushes of offsets fail, or wait for a record that the brokers do not acknowledge.",
    );
    expect(verdict.evidence).toContainEqual({
      label: "allowed",
      value: "3 flush intervals of 1 min",
      from: "inferred from 34 commits",
    });
    const remedy = verdict.remedy.map((step) => step.text).join("\n");
    expect(remedy).toContain("w1:8083");
    for (const words of [
      "Timed out waiting to flush offsets",
      "offset.flush.timeout.ms",
      "source-record-active-count",
    ])
      expect(remedy).toContain(words);
  });

  test("after three intervals and not before, whatever the interval is", () => {
    expect(flushed(40_000, 120, [203, 163, 123]).outcome).toBe("ok");
    expect(flushed(40_000, 124, [207, 167, 127]).outcome).toBe("warning");
    expect(flushed(120_000, 350, [595, 475, 355]).outcome).toBe("ok");
    expect(flushed(120_000, 370, [615, 495, 375]).outcome).toBe("warning");
  });

  test("of a short one not before a restart with Connect's default could have committed", () => {
    expect(flushed(5_000, 90, [103, 98, 93]).outcome).toBe("ok");
    const verdict = flushed(5_000, 94, [107, 102, 97]);
    expect(verdict.outcome).toBe("warning");
    expect(verdict.evidence.find((e) => e.label === "allowed")?.value).toMatch(
      /, for 3 flush intervals of 5 s are less than a restart takes$/,
    );
  });

  test("after three of Connect's default where the interval may be of an earlier time", () => {
    const verdict = flushed(5_000, 184, [250, 245, 185], "likely");
    expect(verdict.outcome).toBe("warning");
    expect(verdict.evidence.find((e) => e.label === "allowed")).toEqual({
      label: "allowed",
      value: "3 flush intervals of 1 min",
      from: "Connect's default of offset.flush.interval.ms, for 5 s, inferred from 34 commits, may be of an earlier time",
    });
  });

  test("takes Connect's default where none was inferred, and says so", () => {
    expect(of(growing(170, [175], { flushInterval: notInferred })).outcome).toBe("ok");
    const verdict = of(growing(190, [195], { flushInterval: notInferred }));
    expect(verdict.outcome).toBe("warning");
    expect(verdict.evidence.find((e) => e.label === "allowed")).toEqual({
      label: "allowed",
      value: "3 flush intervals of 1 min",
      from: "Connect's default of offset.flush.interval.ms, for none could be inferred: one commit was seen",
    });
  });

  test("during a snapshot too, without a figure of its own", () => {
    const verdict = of(growing(600, [601], { kind: "snapshot", events: 5_000, by: "snapshot" }));
    expect(verdict.outcome).toBe("warning");
    expect(verdict.sentence).not.toContain("5,000");
  });
});

describe("offset-commit-late is silent", () => {
  test("REP-03 quiet tables: the offset is old and the window is zero", () => {
    const { expected } = cases["REP-03"];
    expect(expected.events_replayed_if_crashed_now).toBe(0);
    const verdict = of(idleWindow(3 * 86_400 + 5));
    expect([verdict.outcome, verdict.short]).toEqual(["ok", "idle 3 days"]);
    expect(verdict.sentence).toBe(
      "The newest commit is 3 days old and no record came since: there is nothing to commit.",
    );
  });

  test("while the wait fits a longer interval that workers may have been given", () => {
    // Each minute now, and 5 s are still inferred.
    expect(flushed(5_000, 55, [126, 121, 116, 56]).outcome).toBe("ok");
    expect(flushed(5_000, 55, [116, 56], "likely").outcome).toBe("ok");
    // Every 2 minutes now.
    expect(flushed(5_000, 240, [366, 361, 241]).outcome).toBe("ok");
    expect(flushed(5_000, 365, [491, 486, 366]).outcome).toBe("warning");
    // An idle day is no interval.
    expect(flushed(5_000, 1_000, [90_000, 1_010, 1_005]).outcome).toBe("warning");
    // The newest gap fits, and is of long ago.
    expect(flushed(5_000, 100, [1_010, 1_005, 1_000]).outcome).toBe("ok");
  });

  test("while commits come, in words that do not change with each poll", () => {
    const first = of(growing(10, [12]));
    expect(first.outcome).toBe("ok");
    expect(of(growing(50, [55]))).toEqual(first);
  });

  test("when records began to come only now, after a long quiet", () => {
    expect(of(growing(30, [90_000])).outcome).toBe("ok");
  });

  test("when another source partition was committed: an idle one's commit is old", () => {
    expect(of(growing(80_000, [90_000, 20])).outcome).toBe("ok");
  });

  test("with exactly-once, before the first commit, and when it stands still", () => {
    const late = growing(600, [601]);
    for (const more of [{ kind: "exactly-once" }, { kind: "no-commit" }, { standsStill: "STOPPED" }] as const)
      expect(of({ ...late, ...more }).outcome).toBe("not-applicable");
    expect(judge(facts({ report: seen(report({ type: "sink" })) })).outcome).toBe("not-applicable");
  });
});

describe("offset-commit-late is unknown", () => {
  test("when REST alone told the offset", () => {
    const why = "Connect's REST API does not tell when it was committed.";
    const verdict = of(
      replayWindow({
        commits: commitsAgo(null),
        byTime: byTime({ low: null, whyNoLow: why, firstAt: null }),
      }),
    );
    expect([verdict.outcome, verdict.sentence]).toEqual([
      "unknown",
      `When it last committed is not known. ${why}`,
    ]);
    expect(of(replayWindow({ commits: [] })).sentence).toBe("No commit is known.");
  });

  test("when what came since could not be counted: not taken for idle", () => {
    const why = "A topic carries the broker's time.";
    const noLow = idleWindow(900, { byTime: byTime({ low: null, whyNoLow: why, firstAt: null }) });
    expect([of(noLow).outcome, of(noLow).sentence]).toEqual([
      "unknown",
      `The newest commit is 14 min old; whether records came since is not known. ${why}`,
    ]);
    const unseen = idleWindow(900, {
      topics: [{ topic: "inv.inventory.products", records: null, end: null, failure: refused }],
    });
    expect(of(unseen).sentence).toContain("connection refused");
    expect(of(unseen).outcome).toBe("unknown");
    const shared = idleWindow(900, {
      topics: [{ topic: "inv.all", records: 7, end: 4_000, failure: null }],
    });
    expect(of(shared).sentence).toMatch(/Topic inv\.all got records that may be another connector's\.$/);
  });

  test("without a window, or with one that is too old or unknown", () => {
    expect(judge(facts({ window: never(refused) })).outcome).toBe("unknown");
    expect(judge(facts({ window: stale(growing(600, [601])) })).outcome).toBe("unknown");
    expect(of(replayWindow({ kind: "unknown", why: "no brokers", events: null })).sentence).toBe(
      "No brokers.",
    );
  });
});
