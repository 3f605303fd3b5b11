import { describe, expect, test } from "vitest";
import type { JudgedConnector } from "@/lib/checks/judged";
import type { ReplayWindow } from "@/lib/observed/replay-window";
import { replayWindowSectionSchema } from "./replay-window-schema";
import { replayWindowSection } from "./replay-window-section";
import { scene } from "./scene";
import { failing, minute, poll, refused, seen, unreachable } from "./scene-facts";
import { type WindowState, windowStates } from "./scene-series";
import { windowConnectors, windowOf } from "./scene-windows";
import { exactlyOnceInShort } from "./window-notes";

const now = new Date("2026-11-29T14:36:46.000Z");
const nbsp = "\u00a0";

function of(name: string): JudgedConnector {
  const found = [...windowConnectors(now), ...scene(now).connectors].find((c) => c.connector === name);
  if (!found) throw new Error(`no connector ${name}`);
  return found;
}

function section(state: WindowState, change: Partial<ReplayWindow> = {}) {
  const window = seen({ ...windowOf(state, now), ...change }, now);
  return replayWindowSection({ connector: { ...of(`${state}-cdc`), window }, poll, now });
}

function words(state: WindowState, change: Partial<ReplayWindow> = {}) {
  const { words: said } = section(state, change);
  if (!said) throw new Error("no words");
  return said;
}

describe("the replay window's section", () => {
  test("fits its schema in every state", () => {
    for (const state of windowStates) replayWindowSectionSchema.parse(section(state));
  });

  test("the headline has a word for each bound, and none where it is exact", () => {
    const headline = (bound: ReplayWindow["bound"], events = 41_000) =>
      words("bursty", { events, bound }).headline;
    expect(headline("exact")).toBe(`41,000${nbsp}events`);
    expect(headline("about")).toBe(`about 41,000${nbsp}events`);
    expect(headline("at-most", 1)).toBe(`at most 1${nbsp}event`);
    expect(headline("at-least")).toBe(`at least 41,000${nbsp}events`);
  });

  test("at most 0 is 0; at least 0 is not", () => {
    expect(words("bursty", { events: 0, bound: "at-most" }).headline).toBe(`0${nbsp}events`);
    expect(words("bursty", { events: 0, bound: "at-least" }).headline).toBe(`0${nbsp}events or more`);
    expect(words("bursty", { events: 0, bound: "at-least" }).notes.join()).not.toContain("nothing to send");
  });

  test("where only a wide bracket is known, it is the headline, and told once", () => {
    const time = windowOf("bursty", now).byTime;
    const amount = (records: number) => ({ records, bytes: null });
    const told = (low: number, high: number, change: Partial<ReplayWindow> = {}) =>
      words("bursty", {
        events: high,
        by: "time",
        bound: "at-most",
        bytes: 2_048,
        spanMs: null,
        byTime: { ...time, low: amount(low), high: amount(high) },
        ...change,
      });
    expect(told(110, 1_210)).toMatchObject({
      headline: `110 to 1,210${nbsp}events`,
      beside: `up to 2${nbsp}KiB`,
      how: "by time",
    });
    expect(told(0, 3).headline).toBe(`0 to 3${nbsp}events`);
    expect(told(1_100, 1_210)).toMatchObject({
      headline: `at most 1,210${nbsp}events`,
      beside: `2${nbsp}KiB`,
      how: "by time, 1,100 to 1,210",
    });
    expect(told(110, 1_210, { by: "position" }).headline).toBe(`at most 1,210${nbsp}events`);
    expect(told(110, 1_210, { events: 1_000, by: "position", bound: "exact" }).how).toMatch(/110 to 1,210$/);
  });

  test("what stands beside it: time and size, each only where it is known", () => {
    const beside = (change: Partial<ReplayWindow>) => words("bursty", { events: 7, ...change }).beside;
    expect(beside({ spanMs: 44_000, bytes: 28_101_837 })).toBe(`44${nbsp}s of writes, 26.8${nbsp}MiB`);
    expect(beside({ spanMs: 400, bytes: null })).toBe(`under 1${nbsp}s of writes`);
    expect(beside({ spanMs: null, bytes: 100 })).toBe(`100${nbsp}B`);
    expect(beside({ spanMs: null, bytes: null })).toBeNull();
    expect(beside({ events: 0, spanMs: 0, bytes: 0 })).toBeNull();
  });

  test("how it was got: by position beside its bracket, by time with what there is of it", () => {
    const time = windowOf("bursty", now).byTime;
    const amount = (records: number) => ({ records, bytes: null });
    const how = (low: number | null, high: number | null, change: Partial<ReplayWindow> = {}) =>
      words("bursty", {
        byTime: {
          ...time,
          low: low === null ? null : amount(low),
          high: high === null ? null : amount(high),
        },
        ...change,
      }).how;
    expect(how(38_900, 43_200)).toBe("by position, exact · by time 38,900 to 43,200");
    expect(how(null, null)).toBe("by position, exact");
    expect(how(5, 5, { by: "time", bound: "exact" })).toBe("by time, 5");
    expect(how(5, null, { by: "time", bound: "at-least" })).toBe("by time, 5 or more");
    expect(how(null, 9, { by: "time", bound: "at-most" })).toBe("by time, 9 or fewer");
  });

  test("a count by position that is older than the look says by how much", () => {
    const { byPosition } = windowOf("bursty", now);
    const at = new Date(now.getTime() - 5_000).toISOString();
    const change = { byPosition: byPosition && { ...byPosition, at }, bound: "at-most" } as const;
    expect(words("bursty", change).how).toMatch(new RegExp(`^by position, read 5${nbsp}s before · by time`));
  });

  test("exactly-once, snapshot, no commit and unknown have words of their own", () => {
    expect(words("exactly-once")).toMatchObject({
      headline: `0${nbsp}events`,
      beside: null,
      how: "seen: transactional batches",
      exactlyOnce: { asked: "required", seen: "yes: transactional batches" },
    });
    expect(words("snapshot", { events: 1_204_880 })).toMatchObject({
      headline: `the whole snapshot, at most 1,204,880${nbsp}rows so far`,
      how: "all records in its topics",
    });
    expect(words("snapshot", { bound: "about" }).how).toBe("by offsets since its run began");
    const none = words("bursty", { kind: "no-commit", by: "time", events: 1_204, bound: "at-most" });
    expect(none.headline).toBe(
      `no commit yet, at most 1,204${nbsp}records so far; a start would read the tables again`,
    );
    expect(none.notes[0]).toMatch(/^No offset is stored/);
    expect(words("unknown")).toMatchObject({ headline: "unknown", beside: null, how: "not counted" });
  });

  test("exactly-once in one line (EOS-03)", () => {
    const asked = [true, false, false, true, false];
    const seen = [true, true, false, false, null];
    expect(asked.map((one, i) => exactlyOnceInShort({ asked: one, seen: seen[i] ?? null }))).toEqual([
      "on (asked for and seen)",
      "on (seen)",
      "off: at-least-once",
      "contradiction: records were written before it was switched on, or by another producer — check",
      "unknown: no records to look at",
    ]);
  });

  test("what is unknown says why first, then what to do", () => {
    const { notes } = words("unknown");
    expect(notes[0]).toMatch(/^The brokers refuse the end offsets/);
    expect(notes[1]).toBe("Grant User:tidemark Describe on topic shop.public.orders.");
  });

  test("a connector that stands still says so, and what a start would do", () => {
    expect(words("stopped").notes[0]).toBe(
      "Nothing runs (FAILED), so the window stands still. A start would send these events again.",
    );
    expect(words("stopped", { events: 0, bound: "exact" }).notes[0]).toContain("send nothing again");
  });

  test("an idle one says that an old commit is no fault", () => {
    expect(words("idle").notes[0]).toContain("however old that commit is");
  });

  test("a topic that could not be read is named, with how many others", () => {
    const failure = { ...unreachable, sentence: "the leader is away" };
    const topic = (name: string) => ({ topic: name, records: null, end: null, failure });
    expect(words("bursty", { topics: [topic("a"), topic("b"), topic("c")] }).notes).toContain(
      `Not counted: a. The leader is away. So it is with 2${nbsp}other topics.`,
    );
  });

  test("the flush interval: from how many commits, whose, and how sure", () => {
    const said = (change: Partial<ReplayWindow["flushInterval"]>) =>
      words("bursty", { flushInterval: { ...windowOf("bursty", now).flushInterval, ...change } })
        .flushInterval;
    expect(said({})).toBe(`every 60${nbsp}s, from 34${nbsp}commits`);
    expect(said({ ms: 300_000, confidence: "likely" })).toBe(
      `probably every 5${nbsp}m, from 34${nbsp}commits`,
    );
    expect(said({ ms: 500, confidence: "unsure", of: "cluster", commits: 1 })).toBe(
      `perhaps every 500${nbsp}ms, from 1${nbsp}commit of the cluster's connectors`,
    );
    expect(said({ ms: null, why: "too few commits were seen." })).toBe("unknown: too few commits were seen");
  });

  test("none: a sink's is a fact, another's is unknown with its reason and remedy", () => {
    const look = (connector: JudgedConnector) => replayWindowSection({ connector, poll, now });
    expect(look(of("orders-jdbc"))).toMatchObject({ noneIsFact: true, window: null, words: null });
    expect(look({ ...of("orders-cdc"), window: null })).toMatchObject({
      noneIsFact: false,
      whyNone: "The replay window has not been looked at yet.",
    });
    expect(look({ ...of("orders-cdc"), window: refused(unreachable, now) })).toMatchObject({
      whyNone: expect.stringContaining("refuses the connection"),
      remedy: unreachable.remedy,
      words: null,
    });
  });

  test("after failed looks the last figure stays, stale", () => {
    const window = failing(seen(windowOf("steady", now), now), unreachable, minute);
    const look = replayWindowSection({ connector: { ...of("steady-cdc"), window }, poll, now });
    expect(look.words).not.toBeNull();
    expect(look.freshness).toMatchObject({ stale: true, late: true, failure: unreachable });
  });
});
