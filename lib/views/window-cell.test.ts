import { describe, expect, test } from "vitest";
import type { JudgedConnector } from "@/lib/checks/judged";
import { windowCellSchema } from "./replay-window-schema";
import { scene } from "./scene";
import { failing, minute, refused, second, seen, unreachable } from "./scene-facts";
import type { WindowState } from "./scene-series";
import { windowConnectors, windowOf } from "./scene-windows";
import { windowCell } from "./window-cell";

const now = new Date("2026-11-29T14:36:46.000Z");
const spark = [1, null, 3];

function of(state: WindowState): JudgedConnector {
  const found = windowConnectors(now).find((c) => c.connector === `${state}-cdc`);
  if (!found) throw new Error(`no connector in state ${state}`);
  return found;
}

const cell = (connector: JudgedConnector) => windowCell(connector, { spark, pollMs: 5 * second, now });

function withEvents(events: number, bound: "exact" | "about" | "at-most" | "at-least") {
  return cell({ ...of("bursty"), window: seen({ ...windowOf("bursty", now), events, bound }, now) });
}

describe("the replay window in a row of the fleet", () => {
  test("fits its schema in every state", () => {
    for (const connector of windowConnectors(now)) windowCellSchema.parse(cell(connector));
  });

  test("a sign for each bound", () => {
    expect(withEvents(41_000, "exact").text).toBe("41,000");
    expect(withEvents(310, "at-most").text).toBe("≤ 310");
    expect(withEvents(40, "at-least").text).toBe("≥ 40");
    expect(withEvents(40, "about").text).toBe("≈ 40");
    expect(withEvents(0, "at-most").text).toBe("0");
  });

  test("a snapshot, an unknown and a sink are words; only the unknown and the sink sort last", () => {
    expect(cell(of("snapshot"))).toMatchObject({
      text: "snapshot",
      events: windowOf("snapshot", now).events,
      outcome: "ok",
    });
    expect(cell(of("unknown"))).toMatchObject({ text: "unknown", events: null, outcome: "unknown" });
    const sink = scene(now).connectors.find((c) => c.report.value?.type === "sink");
    expect(sink && cell(sink)).toMatchObject({
      text: "–",
      events: null,
      outcome: "not-applicable",
      spark: [],
    });
  });

  test("the check's verdict makes it a warning, the figure alone does not", () => {
    const verdict = { sentence: "", short: "", evidence: [], remedy: [] };
    const large = { ...verdict, slug: "replay-window-large", outcome: "warning" as const };
    expect(cell({ ...of("steady"), verdicts: [] }).outcome).toBe("ok");
    expect(cell({ ...of("steady"), verdicts: [large] }).outcome).toBe("warning");
  });

  test("never looked at, or refused: unknown with the reason, the past still drawn", () => {
    expect(cell({ ...of("steady"), window: null })).toMatchObject({
      text: "unknown",
      outcome: "unknown",
      spark,
    });
    const sentence = cell({ ...of("steady"), window: refused(unreachable, now) }).sentence;
    expect(sentence).toContain("refuses the connection");
  });

  test("an old figure stays, no longer good, and says how old it is", () => {
    const window = failing(seen(windowOf("steady", now), now), unreachable, minute);
    const old = cell({ ...of("steady"), window });
    expect(old.text).toMatch(/\d/);
    expect(old.outcome).toBe("unknown");
    expect(old.sentence).toMatch(/Seen 1\sm ago\.$/);
  });

  test("the sentence says what a crash would do, and that a stopped one stands still", () => {
    expect(withEvents(41_000, "exact").sentence).toMatch(/^A crash now would produce again: 41,000\sevents/);
    expect(cell(of("stopped")).sentence).toContain("stands still: the connector is FAILED");
    expect(cell(of("exactly-once")).sentence).toContain("transactional batches");
  });
});
