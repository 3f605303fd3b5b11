import { describe, expect, test } from "vitest";
import { replayLimits } from "./replay-limits";
import { settingsSchema } from "./settings";

const connect = { urls: ["http://c1:8083"] };
const settings = settingsSchema.parse({
  checks: { replay: { seconds: 60.5 } },
  clusters: [
    { name: "plain", connect },
    {
      name: "own",
      connect,
      replay: { events: 50_000, bytes: null },
      connectors: {
        orders: { replay: { events: "7", seconds: 0 } },
        audit: { replay: { bytes: 1_000 } },
        toString: {},
      },
    },
  ],
});
const limits = (cluster: string, connector: string) => replayLimits(settings, cluster, connector);

describe("limits of replay windows", () => {
  test("without a word of them the defaults", () => {
    expect(replayLimits(settingsSchema.parse({}), "any", "orders")).toEqual({
      events: 10_000,
      bytes: 268_435_456,
      spanMs: 300_000,
    });
  });

  test("each is the connector's, else the cluster's, else that of all", () => {
    expect(limits("plain", "orders")).toEqual({ events: 10_000, bytes: 268_435_456, spanMs: 60_500 });
    expect(limits("own", "other")).toEqual({ events: 50_000, bytes: null, spanMs: 60_500 });
    expect(limits("own", "orders")).toEqual({ events: 7, bytes: null, spanMs: null });
    expect(limits("own", "audit")).toEqual({ events: 50_000, bytes: 1_000, spanMs: 60_500 });
  });

  test("a name that every object has is a name like any other", () => {
    expect(limits("own", "toString")).toEqual(limits("own", "other"));
    expect(limits("own", "constructor")).toEqual(limits("own", "other"));
  });
});
