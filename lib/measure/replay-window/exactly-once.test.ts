import { expect, test } from "vitest";
import { declaresExactlyOnce } from "./exactly-once";

const asked = { "exactly.once.support": "REQUIRED" };

test("support is declared from a version on, by type", () => {
  expect(declaresExactlyOnce("postgresql", {}, ["2.3.0.Final"], false)).toBe(true);
  expect(declaresExactlyOnce("postgresql", {}, ["2.2.1.Final", "2.2.1.Final"], false)).toBe(false);
  expect(declaresExactlyOnce("mariadb", {}, ["3.2.0.Final"], false)).toBe(false);
  expect(declaresExactlyOnce("mariadb", {}, ["3.10.0.Final"], false)).toBe(true);
  expect(declaresExactlyOnce("vitess", {}, ["3.6.0.Final"], true)).toBe(false);
});

test("one task of an older version is enough to doubt it", () => {
  expect(declaresExactlyOnce("mysql", {}, ["3.6.1.Final", "2.7.4.Final", null], false)).toBe(false);
});

test("without a version, a connector that started with `required`, or writes run ids, declares it", () => {
  expect(declaresExactlyOnce("oracle", {}, [null], false)).toBeNull();
  expect(declaresExactlyOnce("oracle", asked, [], false)).toBe(true);
  expect(declaresExactlyOnce("oracle", {}, [], true)).toBe(true);
});
