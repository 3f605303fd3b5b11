import fc from "fast-check";
import { expect, test } from "vitest";
import { NotMeasurableList } from "./not-measurable-list";
import { SeenIdentities } from "./seen-identities";

test("knows the first copy of each identity, as a map of texts does", () => {
  const places = fc.array(
    fc.tuple(fc.string({ maxLength: 3 }), fc.nat(2 ** 40), fc.integer({ min: 0, max: 3 })),
  );
  fc.assert(
    fc.property(places, (added) => {
      const seen = new SeenIdentities(1_000);
      const known = new Map<string, { partition: number; offset: number }>();
      for (const [text, offset, partition] of added) {
        expect(seen.find(text)).toEqual(known.get(text) ?? null);
        expect(seen.add(text, { offset, partition })).toBe(true);
        const before = known.get(text) ?? { offset, partition };
        // Of one partition the lowest offset, in whatever order they come; of several the one that came first.
        const isEarlier = before.partition === partition && offset < before.offset;
        known.set(text, isEarlier ? { offset, partition } : before);
      }
      for (const [text, place] of known) expect(seen.find(text)).toEqual(place);
      expect(seen.size).toBe(known.size);
    }),
  );
});

test("grows, and takes no more than its limit", () => {
  const seen = new SeenIdentities(5_000);
  for (let n = 0; n < 6_000; n++)
    expect(seen.add(`change ${n}`, { partition: n % 7, offset: n })).toBe(n < 5_000);
  expect(seen.full).toBe(true);
  for (let n = 0; n < 6_000; n++)
    expect(seen.find(`change ${n}`)).toEqual(n < 5_000 ? { partition: n % 7, offset: n } : null);
  // What it has already needs no room.
  expect(seen.add("change 3", { partition: 0, offset: 9_999 })).toBe(true);
  expect(seen.find("change 3")?.offset).toBe(3);
});

test("tells how many another has not", () => {
  const [one, other] = [new SeenIdentities(100), new SeenIdentities(5_000)];
  for (let n = 0; n < 40; n++) one.add(`${n}`, { partition: 0, offset: n });
  for (let n = 30; n < 3_000; n++) other.add(`${n}`, { partition: 0, offset: n });
  expect(one.without(other)).toBe(30);
  expect(one.without(new SeenIdentities(1))).toBe(40);
});

test("of many reasons why records cannot be read the first are told, the others summed up", () => {
  const list = new NotMeasurableList();
  for (let n = 0; n < 50; n++) list.add("registry", `Schema ${n}.`, null, n + 1);
  const told = list.told();
  expect(told.length).toBe(21);
  expect(told[0]).toMatchObject({ slug: "other" });
  expect(told.reduce((sum, { count }) => sum + (count ?? 0), 0)).toBe((50 * 51) / 2);
});
