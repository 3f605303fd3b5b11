import { describe, expect, test } from "vitest";
import { apiConnectorPath, connectorPath, pathParameter } from "./paths";

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

  test("text that is not percent-encoding is taken as it is", () => {
    expect(pathParameter("café%")).toBe("café%");
  });
});
