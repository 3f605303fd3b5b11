import { expect, test } from "vitest";
import { openProgressBar } from "./progress-bar";

function barOn(stream: { isTTY?: boolean; columns?: number }) {
  const written: string[] = [];
  const clock = { now: 0 };
  const bar = openProgressBar(
    "tidemark duplicates",
    { ...stream, write: (text) => written.push(text) },
    () => clock.now,
  );
  return { bar, written, clock };
}

const half = { done: 50, total: 100, beside: "12 MiB read" };

test("draws over itself on a terminal, and leaves nothing behind", () => {
  const { bar, written, clock } = barOn({ isTTY: true, columns: 100 });
  bar.stage("looking");
  clock.now = 100;
  bar.at(half);
  clock.now = 150;
  bar.at({ ...half, done: 60 });
  expect(written).toEqual(["\r[############............] 50 %, looking, 12 MiB read"]);
  clock.now = 250;
  bar.at({ ...half, done: 100, beside: "" });
  expect(written[1]).toMatch(/^\r\[#{24}\] 100 %, looking +$/);
  bar.end();
  bar.end();
  expect(written).toHaveLength(3);
  expect(written[2]).toMatch(/^\r +\r$/);
});

test("keeps within the terminal's width", () => {
  const { bar, written, clock } = barOn({ isTTY: true, columns: 40 });
  clock.now = 100;
  bar.at({ ...half, beside: "x".repeat(200) });
  expect(written[0]).toHaveLength(40);
});

test("writes a line every three seconds elsewhere, and none for what is quick", () => {
  const { bar, written, clock } = barOn({});
  bar.stage("looking");
  clock.now = 2_999;
  bar.at(half);
  expect(written).toEqual([]);
  clock.now = 3_000;
  bar.at(half);
  clock.now = 5_000;
  bar.at(half);
  clock.now = 6_000;
  bar.at({ done: 7, total: null, beside: "13 MiB read" });
  bar.end();
  expect(written).toEqual([
    "tidemark duplicates: 50 %, looking, 12 MiB read (3 s)\n",
    "tidemark duplicates: looking, 13 MiB read (6 s)\n",
  ]);
});
