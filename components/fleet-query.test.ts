import { describe, expect, test } from "vitest";
import type { FleetRow } from "@/lib/views/fleet";
import { fits, occurring } from "./fleet-query";

const row: FleetRow = {
  cluster: "eu-1",
  connector: "orders/eu #1 → café%",
  path: "/",
  type: "PostgreSQL",
  version: "3.6.1.Final",
  role: "source",
  state: { state: "RUNNING", outcome: "ok", past: false },
  tasks: null,
  position: { kind: "position", text: "1A/31C90F40", why: null },
  commit: null,
  replayWindow: { text: "snapshot", sentence: "", events: 120_000, outcome: "ok", spark: [] },
  duplicates: { text: "0.8\u00a0%", replays: 2, sentence: "", rate: 0.008, outcome: "info" },
  history: null,
  worst: "ok",
  openFindings: 0,
  missingSince: null,
  stale: null,
};
const all = { q: "", cluster: "", type: "", sort: "" };

describe("what of the fleet is shown", () => {
  test("everything without a filter", () => expect(fits(row, all)).toBe(true));
  test("words in any order and case", () => {
    expect(fits(row, { ...all, q: "CAFÉ eu-1 running" })).toBe(true);
    expect(fits(row, { ...all, q: "café us" })).toBe(false);
    expect(fits(row, { ...all, q: "31c9" })).toBe(true);
    expect(fits(row, { ...all, q: "snapshot" })).toBe(true);
  });
  test("cluster and type must be the same", () => {
    expect(fits(row, { ...all, cluster: "eu" })).toBe(false);
    expect(fits(row, { ...all, cluster: "eu-1", type: "PostgreSQL" })).toBe(true);
  });
  test("choices", () => expect(occurring(["b", null, "a", "b"])).toEqual(["a", "b"]));
});
