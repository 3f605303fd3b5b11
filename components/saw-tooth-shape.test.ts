import { expect, test } from "vitest";
import type { ReplayHistoryView } from "@/lib/views/replay-window-schema";
import { inSight } from "./saw-tooth-shape";

const hour = { from: "2026-11-30T08:00:00.000Z", to: "2026-11-30T09:00:00.000Z" };

function recordedSince(since: string | null): ReplayHistoryView {
  const at = ["2026-11-30T08:30:00.000Z", "2026-11-30T08:58:00.000Z"];
  return {
    ...hour,
    since,
    sawTooth: at.map((a) => ({ at: a, least: null, most: null })),
    commits: at,
    restarts: [],
  } as unknown as ReplayHistoryView;
}

test("a record that has just begun is not a hair at the end of the hour", () => {
  const shown = inSight(recordedSince("2026-11-30T08:58:00.000Z"));
  expect(shown.from).toBe("2026-11-30T08:50:00.000Z");
  expect(shown.commits).toEqual(["2026-11-30T08:58:00.000Z"]);
  expect(shown.sawTooth).toHaveLength(1);
  expect(inSight(recordedSince("2026-11-30T08:48:00.000Z")).from).toBe("2026-11-30T08:45:00.000Z");
});

test("from a quarter of the range on all of it is drawn", () => {
  const view = recordedSince("2026-11-30T08:45:00.000Z");
  expect(inSight(view)).toBe(view);
  const nothing = recordedSince(null);
  expect(inSight(nothing)).toBe(nothing);
});
