import { describe, expect, test } from "vitest";
import type { JudgedConnector } from "@/lib/checks/judged";
import type { TopicDuplicates } from "@/lib/observed/duplicates";
import { duplicatesCell } from "./duplicates-cell";
import { duplicatesSectionSchema } from "./duplicates-schema";
import { duplicatesSection } from "./duplicates-section";
import { duplicatesTopic } from "./duplicates-topic";
import { duplicatesConnectors, duplicatesOf, scanOf } from "./scene-duplicates";
import { poll, seen } from "./scene-facts";
import { type DuplicatesState, duplicatesName, duplicatesStates } from "./scene-replays";

const now = new Date("2026-11-29T14:36:46.000Z");
const day = 86_400_000;

function stored(state: DuplicatesState): JudgedConnector {
  const found = duplicatesConnectors(now).find((c) => c.connector === duplicatesName(state));
  if (!found) throw new Error(`no connector ${state}`);
  return found;
}

const section = (connector: JudgedConnector) => duplicatesSection({ connector, poll, now });
const cell = (connector: JudgedConnector) => duplicatesCell(connector, { pollMs: poll.duplicates, now });

function topic(change: Partial<TopicDuplicates>): TopicDuplicates {
  const [first] = duplicatesOf("none", now)?.topics ?? [];
  if (!first) throw new Error("no topic");
  return { ...first, ...change };
}

function withTopics(topics: TopicDuplicates[]): JudgedConnector {
  return { ...stored("none"), duplicates: seen({ topics, replays: [] }, now) };
}

describe("duplicates of a connector", () => {
  test("each state fits its schema", () => {
    for (const state of duplicatesStates) duplicatesSectionSchema.parse(section(stored(state)));
  });

  test("two replays: count, rate, and the topic that they are of first", () => {
    const { day: today, topics, whyNone } = section(stored("two"));
    expect(whyNone).toBeNull();
    expect(today).toMatchObject({
      duplicates: 39_932,
      replays: 2,
      countWords: "39,932",
      outcome: "info",
      why: null,
    });
    expect(today?.rateWords).toBe("0.79\u00a0%");
    expect(topics[0]).toMatchObject({
      topic: "shop.public.orders",
      how: "bisection, complete",
      rateWords: "0.81\u00a0%",
      reReads: 12_400,
    });
    expect(topics[0]?.checked).toBe("a sample of 1 in 64 gives 0.81\u00a0% ±0.03\u00a0%");
  });

  test("none found is 0 only where all was measured", () => {
    expect(section(stored("none")).day).toMatchObject({
      rateWords: "0\u00a0%",
      countWords: "0",
      outcome: "ok",
    });
    for (const state of ["flattened"] as const)
      expect(section(stored(state)).day).toMatchObject({
        rateWords: "unknown",
        outcome: "unknown",
        rate: null,
      });
  });

  test("a look that failed: why, and what to grant", () => {
    expect(section(stored("unknown"))).toMatchObject({
      whyNone: expect.stringContaining("refuse"),
      remedy: expect.stringContaining("Grant"),
      day: null,
      topics: [],
    });
  });

  test("going backwards: at least what was found, and how much is left", () => {
    const found = section(stored("backwards"));
    expect(found.day).toMatchObject({
      countWords: "at least 1,204",
      why: expect.stringMatching(/^Still to be/),
    });
    expect(found.behind).toBe(15_120_440);
    const none = section(
      withTopics([topic({ behind: 10, from: new Date(now.getTime() - 3_600_000).toISOString() })]),
    );
    expect(none.day).toMatchObject({ rateWords: "unknown", outcome: "unknown" });
    // What lies further back than the day does not bear on it.
    const enough = section(
      withTopics([topic({ behind: 10, from: new Date(now.getTime() - 2 * day).toISOString() })]),
    );
    expect(enough.day).toMatchObject({ rateWords: "0\u00a0%", outcome: "ok" });
    expect(enough.all).toMatchObject({ rateWords: "unknown" });
  });

  test("copies of aborted transactions stand apart", () => {
    const [orders] = section(stored("transactional")).topics;
    expect(orders).toMatchObject({
      duplicates: 0,
      rateWords: "0\u00a0%",
      uncommittedWords: "1,449 more for readers that do not wait for commits",
    });
  });

  test("a sink has none, as a fact", () => {
    const connector = stored("none");
    const report = connector.report.value && { ...connector.report.value, type: "sink" as const };
    const sink = { ...connector, report: { ...connector.report, value: report } };
    expect(section(sink)).toMatchObject({ noneIsFact: true, day: null });
    expect(cell(sink)).toMatchObject({ text: "–", outcome: "not-applicable", rate: null });
  });
});

describe("one topic", () => {
  test("what cannot be measured is never 0", () => {
    const flattened = { slug: "flattened", reason: "no position", count: null, remedy: "Add it." };
    expect(duplicatesTopic(topic({ notMeasurable: [flattened] }))).toMatchObject({
      state: "not-measurable",
      rate: null,
      rateWords: "unknown",
      how: "not measurable",
    });
    const some = { ...flattened, count: 12 };
    expect(duplicatesTopic(topic({ notMeasurable: [some] }))).toMatchObject({
      state: "in-part",
      outcome: "unknown",
      rateWords: "0\u00a0% of what can be read",
    });
    expect(duplicatesTopic(topic({ notMeasurable: [some], duplicates: 400, records: 1_000 })).rateWords).toBe(
      "at least 40\u00a0%",
    );
    const all = { ...flattened, count: 1_000 };
    expect(duplicatesTopic(topic({ notMeasurable: [all], records: 1_000 })).state).toBe("not-measurable");
  });

  test("not looked at yet, and nothing in it", () => {
    expect(duplicatesTopic(topic({ records: null })).rateWords).toBe("not measured yet");
    expect(
      duplicatesTopic(topic({ records: 0, day: { records: 0, duplicates: 0, replays: 0 } })).rateWords,
    ).toBe("0\u00a0%");
  });

  test("a scan by itself: its estimate with the interval", () => {
    const scanned = duplicatesTopic(topic({ records: null, sure: null, scan: scanOf("t", 100_000, now) }));
    expect(scanned).toMatchObject({
      rate: 0.0081,
      interval: [0.0078, 0.0084],
      base: 100_000,
      baseUnit: "changes",
      how: "sample of 1 in 64, ±0.03\u00a0%",
    });
    const whole = duplicatesTopic(
      topic({ records: null, sure: null, scan: scanOf("t", 100_000, now, { share: 1 }) }),
    );
    expect(whole).toMatchObject({ how: "every record read", interval: null });
  });
});

describe("the fleet's cell", () => {
  test("each state in a few words, and a sentence", () => {
    const words = Object.fromEntries(duplicatesStates.map((state) => [state, cell(stored(state)).text]));
    expect(words).toEqual({
      none: "0\u00a0%",
      two: "0.79\u00a0%",
      three: "0.13\u00a0%",
      many: expect.stringMatching(/%$/),
      unknown: "unknown",
      flattened: "unknown",
      transactional: "0\u00a0%",
      backwards: "≥\u00a00.1\u00a0%",
    });
    expect(cell(stored("two"))).toMatchObject({ replays: 2, outcome: "info" });
    expect(cell(stored("two")).sentence).toBe(
      "Consumers got 39,932 duplicates in the last 24 hours, in 2\u00a0replays: 0.79\u00a0% of what was delivered.",
    );
    expect(cell(stored("unknown")).sentence).toContain("refuse");
  });

  test("measuring: no figure that may still change to something else", () => {
    const from = new Date(now.getTime() - 3_600_000).toISOString();
    expect(cell(withTopics([topic({ behind: 10, from })]))).toMatchObject({
      text: "measuring",
      rate: null,
      outcome: "unknown",
    });
  });

  test("over the limit: the verdict colours it", () => {
    const verdict = {
      slug: "duplicates-high",
      outcome: "warning" as const,
      sentence: "",
      short: "",
      evidence: [],
      remedy: [],
    };
    expect(cell({ ...stored("two"), verdicts: [verdict] }).outcome).toBe("warning");
  });
});
