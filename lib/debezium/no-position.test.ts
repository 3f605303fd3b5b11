import { expect, test } from "vitest";
import { isJsonObject } from "./json";
import { noPositionText } from "./no-position";
import { reportedCase } from "./positions/fixtures/read";

test("OFF-22 no stored position, snapshot.mode=no_data: what a stop would cost", () => {
  const { input, expected } = reportedCase("OFF-22");
  const config =
    isJsonObject(input) && isJsonObject(input.config) ? (input.config as Record<string, string>) : {};
  expect(noPositionText(config)).toBe(isJsonObject(expected) ? expected.text : "");
});

test.each([
  [undefined, "depends on snapshot.mode"],
  [{}, "snapshot.mode=initial it takes a full snapshot"],
  [{ "snapshot.mode": "initial_only" }, "does not stream"],
  [{ "snapshot.mode": "recovery" }, "it fails"],
  [{ "snapshot.mode": "custom" }, "depends on that mode"],
  [
    { "snapshot.mode": "no_data", "connector.class": "io.debezium.connector.postgresql.PostgresConnector" },
    "replication slot",
  ],
])("%j: %s", (config, text) => {
  expect(noPositionText(config)).toContain(text);
});
