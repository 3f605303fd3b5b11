import { dirname, join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { LabFault } from "./fault";
import { CHECKOUT, placesOf } from "./places";

afterEach(() => vi.unstubAllEnvs());

test.each(["", ".", "/", dirname(CHECKOUT), CHECKOUT, join(CHECKOUT, "lab", "..")])(
  "a lab never has %j: throwing it away would take the checkout along",
  (folder) => {
    vi.stubEnv("TIDEMARK_LAB_DIR", folder);
    if (folder === "") expect(placesOf().root).toBe(join(CHECKOUT, ".lab"));
    else expect(() => placesOf()).toThrow(LabFault);
  },
);

test("a folder given comes before that of the environment, an empty one is none", () => {
  vi.stubEnv("TIDEMARK_LAB_DIR", "/tmp/a-lab");
  expect(placesOf("").root).toBe("/tmp/a-lab");
  expect(placesOf("..other").root).toBe(join(CHECKOUT, "..other"));
  expect(placesOf(".lab-test").root).toBe(join(CHECKOUT, ".lab-test"));
});
