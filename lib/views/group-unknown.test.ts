import { expect, test } from "vitest";
import { groupUnknown } from "./group-unknown";

test("what is unknown for one reason stands together; all else alone, in its order", () => {
  const items = [
    { outcome: "critical" as const, why: "x" },
    { outcome: "critical" as const, why: "x" },
    { outcome: "unknown" as const, why: "refused" },
    { outcome: "unknown" as const, why: "late" },
    { outcome: "unknown" as const, why: "refused" },
    { outcome: "ok" as const, why: "refused" },
  ];
  const groups = groupUnknown(items, (i) => i.why);
  expect(groups.map((g) => `${g[0].outcome} ${g[0].why} ${g.length}`)).toEqual([
    "critical x 1",
    "critical x 1",
    "unknown refused 2",
    "unknown late 1",
    "ok refused 1",
  ]);
});
