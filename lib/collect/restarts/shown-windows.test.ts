import { expect, test } from "vitest";
import type { ReplayWindow } from "@/lib/observed/replay-window";
import { ShownWindows } from "./shown-windows";

const start = Date.parse("2026-11-30T10:00:00.000Z");
const window = (second: number, events: number | null) =>
  ({ at: new Date(start + second * 1_000).toISOString(), events, by: "time" }) as ReplayWindow;

test("the poll before the run's last record is what the page showed, not those after its death", () => {
  const shown = new ShownWindows();
  expect(shown.before(start + 9_000, start + 20_000)).toBeNull();
  for (const second of [1, 6, 11, 16]) shown.add(window(second, second * 10));
  shown.add(null);
  expect(shown.before(start + 9_000, start + 20_000)).toMatchObject({ events: 60, by: "time" });
});

test("of a run that was quiet for longer than polls are remembered the last before the next run counts", () => {
  const shown = new ShownWindows();
  for (let second = 100; second < 300; second++) shown.add(window(second, second));
  expect(shown.before(start, start + 250_500)).toMatchObject({ events: 250 });
});

test("what was unknown stays so", () => {
  const shown = new ShownWindows();
  shown.add(window(1, null));
  expect(shown.before(start + 2_000, start + 3_000)?.events).toBeNull();
});
