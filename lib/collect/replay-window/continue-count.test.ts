import { describe, expect, test } from "vitest";
import type { ByPosition } from "@/lib/observed/replay-window";
import { joined } from "./continue-count";

const run = "0199aa00-0000-7000-8000-000000000001";
const other = "0199aa00-0001-7000-8000-000000000002";
const start = Date.parse("2026-11-30T10:00:00.000Z");

function count(events: number, second: number, more: Partial<ByPosition> = {}): ByPosition {
  return {
    at: new Date(start + second * 1_000).toISOString(),
    events,
    tombstones: 1,
    reReads: 0,
    bytes: events * 10,
    spanMs: events === 0 ? null : 3_000,
    bound: "exact",
    unread: 0,
    partitions: 2,
    probes: 2,
    bytesRead: events * 12,
    notes: [],
    ...more,
  };
}

const sameRun = { before: run, more: new Map([["a/0", run]]) };

describe("a count that goes on where the one before ended", () => {
  test("adds up, and lasts from the first of the first to the last of the second", () => {
    expect(joined(count(100, 0), count(7, 5), sameRun)).toEqual({
      ...count(107, 5),
      tombstones: 2,
      spanMs: 8_000,
      bytes: 1_070,
      bytesRead: 1_284,
    });
  });

  test("is at most so many where one of them is, and says each reason once", () => {
    const slot = { bound: "at-most" as const, notes: [{ slug: "slot-may-be-ahead", text: "x" }] };
    expect(joined(count(100, 0, slot), count(7, 5, slot), sameRun)).toMatchObject({ ...slot, events: 107 });
    expect(joined(count(100, 0), count(7, 5, slot), sameRun)?.bound).toBe("at-most");
    expect(joined(count(100, 0, slot), count(7, 5), sameRun)?.bound).toBe("at-most");
  });

  test("keeps what was not read of the second", () => {
    const cut = { unread: 5, bound: "at-most" as const };
    expect(joined(count(100, 0), count(7, 5, cut), sameRun)).toMatchObject({ events: 107, unread: 5 });
  });

  test("has no length where there was no event", () => {
    expect(joined(count(0, 0), count(0, 5), sameRun)?.spanMs).toBeNull();
    expect(joined(count(0, 0), count(3, 5), sameRun)?.spanMs).toBe(3_000);
  });

  test("is none where another run has written since: what it sends may be there already", () => {
    expect(joined(count(100, 0), count(7, 5), { before: run, more: new Map([["a/0", other]]) })).toBeNull();
    const both = new Map([
      ["a/0", run],
      ["a/1", other],
    ]);
    expect(joined(count(100, 0), count(7, 5), { before: run, more: both })).toBeNull();
    expect(joined(count(100, 0), count(7, 5), { before: null, more: new Map() })).toBeNull();
  });

  test("goes on over a batch that tells no run", () => {
    const silent = new Map([
      ["a/0", run],
      ["a/1", null],
    ]);
    expect(joined(count(100, 0), count(7, 5), { before: run, more: silent })?.events).toBe(107);
  });
});
