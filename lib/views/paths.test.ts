import { describe, expect, test } from "vitest";
import {
  apiCancelMeasurementPath,
  apiConnectorPath,
  apiDuplicatesPath,
  apiTopicsPath,
  connectorPath,
  measurementPath,
  pathParameter,
  replayPath,
} from "./paths";

describe("paths", () => {
  const names = ["orders-cdc", "orders/eu #1 → café%", "mm->eu.Heartbeat", "a+b", "..", "%2F"];

  test("CON-05 names survive the way into a path and back", () => {
    for (const name of names) {
      const path = new URL(connectorPath("eu 1", name), "http://127.0.0.1").pathname;
      const segments = path.split("/");
      if (name === "..") continue; // a URL parser swallows it; no such connector can be made over REST either
      expect(segments).toHaveLength(5);
      expect(pathParameter(segments[4] ?? "")).toBe(name);
    }
  });

  test("the paths are these", () => {
    expect(names.map((name) => connectorPath("eu-1", name))).toMatchInlineSnapshot(`
      [
        "/clusters/eu-1/connectors/orders-cdc",
        "/clusters/eu-1/connectors/orders%2Feu%20%231%20%E2%86%92%20caf%C3%A9%25",
        "/clusters/eu-1/connectors/mm-%3Eeu.Heartbeat",
        "/clusters/eu-1/connectors/a%2Bb",
        "/clusters/eu-1/connectors/..",
        "/clusters/eu-1/connectors/%252F",
      ]
    `);
    expect(connectorPath("eu-1", "a+b", "history-missing")).toMatchInlineSnapshot(
      `"/clusters/eu-1/connectors/a%2Bb?check=history-missing"`,
    );
    expect(apiConnectorPath("eu-1", "orders/eu #1 → café%")).toMatchInlineSnapshot(
      `"/api/v1/clusters/eu-1/connectors/orders%2Feu%20%231%20%E2%86%92%20caf%C3%A9%25"`,
    );
  });

  test("of replays and measurements: ids hold slashes, names may hold anything", () => {
    expect(replayPath("eu-1", "a+b", "shop.orders/0/7")).toBe(
      "/clusters/eu-1/connectors/a%2Bb?replay=shop.orders%2F0%2F7#duplicates",
    );
    expect(apiDuplicatesPath("eu-1", "a b")).toBe("/api/v1/clusters/eu-1/connectors/a%20b/duplicates");
    const path = apiDuplicatesPath("eu-1", "a", {
      from: "2026-11-29T00:00:00+02:00",
      format: "csv",
      to: undefined,
    });
    const query = new URL(path, "http://127.0.0.1").searchParams;
    expect([...query]).toEqual([
      ["from", "2026-11-29T00:00:00+02:00"],
      ["format", "csv"],
    ]);
    expect(new URL(apiTopicsPath("eu 1", "a&b=c"), "http://x").searchParams.get("q")).toBe("a&b=c");
    expect(measurementPath("1/2")).toBe("/measure?id=1%2F2");
    expect(apiCancelMeasurementPath("1")).toBe("/api/v1/measurements/1/cancel");
  });

  test("text that is not percent-encoding is taken as it is", () => {
    expect(pathParameter("café%")).toBe("café%");
  });
});
