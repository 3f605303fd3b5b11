import { existsSync, mkdtempSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { oneAtATime } from "./one-at-a-time";

const folder = () => mkdtempSync(join(tmpdir(), "one-at-a-time-"));

test("one after the other, also where one fails", async () => {
  const at = folder();
  let inside = 0;
  const done: number[] = [];
  const work = (n: number) =>
    oneAtATime(at, "lock", async () => {
      inside += 1;
      expect(inside).toBe(1);
      await sleep(20);
      inside -= 1;
      done.push(n);
      if (n === 1) throw new Error("no luck");
    });
  const all = await Promise.allSettled([work(0), work(1), work(2)]);
  expect(all.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(done.sort()).toEqual([0, 1, 2]);
  expect(existsSync(join(at, "lock"))).toBe(false);
});

test("a lock that a process left behind holds nobody up", async () => {
  const at = folder();
  // Its number was given to another process, this one.
  writeFileSync(join(at, "lock"), JSON.stringify({ pid: process.pid, startTime: "1" }));
  expect(await oneAtATime(at, "lock", async () => "done")).toBe("done");
  writeFileSync(join(at, "lock"), "");
  const longAgo = new Date(Date.now() - 60_000);
  utimesSync(join(at, "lock"), longAgo, longAgo);
  expect(await oneAtATime(at, "lock", async () => "done")).toBe("done");
});
