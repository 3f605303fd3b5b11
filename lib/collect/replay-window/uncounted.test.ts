import { afterEach, describe, expect, test, vi } from "vitest";
import type { JudgedConnector } from "@/lib/checks/judged";
import { countMoved } from "./count-moved";
import { COMMITTED_LSN, connector, events, T } from "./testing/known-connector";
import { measure } from "./testing/measure";
import { WrittenTopics } from "./testing/written-topics";
import { toWindow } from "./to-window";
import { newMemory } from "./window-memory";

const { signal } = new AbortController();
const [a, b] = ["shop.public.a", "shop.public.b"] as const;
const noInterval = { ms: null, commits: 0, of: "connector", confidence: null, why: "few" } as const;

afterEach(() => void vi.useRealTimers());

/** Two tables: 40 events after the commit in the first, `inB` in the second. */
function written(inB: number) {
  const brokers = new WrittenTopics();
  for (const topic of [a, b]) brokers.topic(topic);
  brokers.write(a, 0, events("shop", COMMITTED_LSN - 50, 1, T - 5_000));
  for (let i = 0; i < 40; i++)
    brokers.write(a, 0, events("shop", COMMITTED_LSN + 10 + i * 10, 1, T + 100 + i));
  for (let i = 0; i < inB; i++)
    brokers.write(b, 0, events("shop", COMMITTED_LSN + 900 + i * 10, 1, T + 200 + i));
  return brokers;
}

/** Polls as the loop does, each at its moment, milliseconds after the commit. */
function loop(brokers: WrittenTopics, known: JudgedConnector = connector("shop", "shop", [a, b])) {
  const memory = newMemory(null, null);
  let poll = 0;
  return async (afterMs: number, now: JudgedConnector = known) => {
    vi.useFakeTimers({ now: T + afterMs, toFake: ["Date"] });
    poll += 1;
    const measured = await measure(brokers, now, memory);
    const at = new Date(T + afterMs);
    await countMoved(brokers.log.reader(), [measured], poll, at, signal);
    const { events, by, bound, byTime, byPosition } = toWindow(measured, noInterval, poll, at);
    const notes = (by === "position" ? byPosition : byTime)?.notes.map((n) => n.slug) ?? [];
    return { events, by, bound, notes: notes.filter((slug) => slug !== "slot-may-be-ahead") };
  };
}

/** The same connector, whose commit is of so many milliseconds later. */
function committedLater(ms: number): JudgedConnector {
  const known = connector("shop", "shop", [a, b]);
  const [stored] = known.offsets?.value?.offsets ?? [];
  if (!known.offsets?.value || !stored) throw new Error("no offset");
  const offsets = [{ ...stored, committedAt: new Date(T + ms).toISOString() }];
  return { ...known, offsets: { ...known.offsets, value: { ...known.offsets.value, offsets } } };
}

describe("a topic that was deleted within the window", () => {
  test("leaves the figure at least so much, whether it was seen before or not", async () => {
    const brokers = written(25);
    const poll = loop(brokers);
    expect(await poll(1_000)).toMatchObject({ events: 65, by: "position", notes: [] });
    brokers.deleteTopic(b);
    const without = { events: 40, by: "position", bound: "at-least", notes: ["topic-not-counted"] };
    expect(await poll(6_000)).toEqual(without);
    expect(await loop(brokers)(6_000)).toEqual(without);
  });

  test("changes nothing once a commit is later, or when it had not grown since the one before", async () => {
    const brokers = written(25);
    const poll = loop(brokers);
    await poll(1_000);
    brokers.deleteTopic(b);
    expect((await poll(6_000)).bound).toBe("at-least");
    expect((await poll(12_000, committedLater(8_000))).bound).not.toBe("at-least");
    const quiet = written(0);
    const second = loop(quiet);
    await second(-5_000);
    quiet.deleteTopic(b);
    const { bound, notes } = await second(6_000);
    expect(bound).not.toBe("at-least");
    expect(notes).toEqual([]);
  });

  test("nothing is left of any: that is no 0", async () => {
    const brokers = written(25);
    brokers.deleteTopic(a);
    brokers.deleteTopic(b);
    expect(await loop(brokers)(1_000)).toEqual({
      events: 0,
      by: "time",
      bound: "at-least",
      notes: ["topic-not-counted"],
    });
  });
});

describe("a topic that cannot be seen", () => {
  test("never leaves the other's count exact", async () => {
    const brokers = written(25);
    brokers.failing.set(b, { kind: "forbidden", sentence: "not allowed", remedy: null });
    expect(await loop(brokers)(1_000)).toMatchObject({
      events: 40,
      bound: "at-least",
      notes: ["topics-unreadable"],
    });
  });
});

describe("records that were deleted within the window", () => {
  test("leave at least what is left, by both methods, at a first look", async () => {
    const brokers = written(0);
    brokers.deleteBefore(a, 0, 21);
    expect(await loop(brokers)(1_000)).toEqual({
      events: 20,
      by: "position",
      bound: "at-least",
      notes: ["deleted-in-window"],
    });
    brokers.deleteBefore(a, 0, 41);
    expect(await loop(brokers)(1_000)).toMatchObject({
      events: 0,
      bound: "at-least",
      notes: ["deleted-in-window"],
    });
  });

  test("were counted before, and count on while the commit stands", async () => {
    const brokers = written(0);
    const poll = loop(brokers);
    expect(await poll(1_000)).toMatchObject({ events: 40, by: "position" });
    brokers.deleteBefore(a, 0, 41);
    for (const after of [6_000, 70_000, 140_000])
      expect(await poll(after)).toMatchObject({ events: 40, by: "position", notes: [] });
  });

  test("between two questions about log starts: a count made after is told short as soon as that is known", async () => {
    const brokers = written(0);
    const poll = loop(brokers);
    await poll(50, committedLater(-1));
    brokers.deleteBefore(a, 0, 21);
    await poll(6_000);
    expect(await poll(70_000)).toMatchObject({ events: 20, bound: "at-least", notes: ["deleted-in-window"] });
  });

  test("long ago, of a topic that has not grown since the commit: the figure stands", async () => {
    const brokers = written(3);
    brokers.deleteBefore(b, 0, 3);
    const poll = loop(brokers);
    expect((await poll(1_000)).notes).toEqual(["deleted-in-window"]);
    const later = await poll(12_000, committedLater(8_000));
    expect(later.notes).toEqual([]);
    expect(later.bound).not.toBe("at-least");
  });

  test("log starts are asked for once a minute", async () => {
    const brokers = written(3);
    const poll = loop(brokers);
    for (let ms = 1_000; ms < 61_000; ms += 5_000) await poll(ms);
    expect(brokers.asked.earliest).toBe(1);
    await poll(62_000);
    expect(brokers.asked.earliest).toBe(2);
  });
});
