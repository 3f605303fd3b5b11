import { expect, test } from "vitest";
import { countFirst, type Moved } from "./moved";

const order = (...moved: Moved[]) => countFirst(moved).map((m) => m.connector);

test("the largest bracket comes first, one of unknown size before it", () => {
  expect(
    order(
      { connector: "small", bracket: 10, waited: 0 },
      { connector: "unknown", bracket: null, waited: 0 },
      { connector: "large", bracket: 5_000, waited: 1 },
    ),
  ).toEqual(["unknown", "large", "small"]);
});

test("of equal ones, the one that waited longer", () => {
  expect(
    order({ connector: "a", bracket: 10, waited: 0 }, { connector: "b", bracket: 10, waited: 3 }),
  ).toEqual(["b", "a"]);
});

test("one that waited six polls comes before every larger one, so that none waits for ever", () => {
  expect(
    order(
      { connector: "large", bracket: 5_000_000, waited: 0 },
      { connector: "patient", bracket: 1, waited: 6 },
      { connector: "longer", bracket: 0, waited: 9 },
    ),
  ).toEqual(["longer", "patient", "large"]);
});
