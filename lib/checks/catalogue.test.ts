import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { catalogue, checkBySlug } from "./catalogue";
import { outcomeSchema } from "./verdict";

/** The rows of the table in docs/checks.md, each with the group it stands under. */
function documented(): { group: string; slug: string; severity: string }[] {
  const rows: { group: string; slug: string; severity: string }[] = [];
  let group = "";
  for (const line of readFileSync(new URL("../../docs/checks.md", import.meta.url), "utf8").split("\n")) {
    const [, slug, severity] = line.split("|").map((cell) => cell.trim());
    const heading = /^\*\*(.+)\*\*$/.exec(slug ?? "");
    if (heading?.[1]) group = heading[1].replace(" ", "-");
    else if (slug && /^[a-z-]+$/.test(slug) && slug !== "slug" && !slug.startsWith("--")) {
      rows.push({ group, slug, severity: severity ?? "" });
    }
  }
  return rows;
}

describe("the catalogue", () => {
  test("has the slugs, groups and severities of docs/checks.md, in its order", () => {
    expect(documented()).toEqual(
      catalogue.map((c) => ({ group: c.group, slug: c.slug, severity: c.severity })),
    );
  });

  test("names each slug once", () => {
    expect(new Set(catalogue.map((c) => c.slug)).size).toBe(catalogue.length);
  });

  test.each(catalogue.map((c) => [c.slug, c] as const))(
    "%s has a title, a sentence and a severity",
    (slug, c) => {
      expect(c.title).toMatch(/^[A-Z].*[^.]$/);
      expect(c.looksAt).toMatch(/\.$/);
      expect(outcomeSchema.options).toContain(c.severity);
      expect(checkBySlug(slug)).toBe(c);
    },
  );
});
