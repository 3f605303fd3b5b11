import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { environmentSettings } from "./environment";
import { anyName, schemaLeaves } from "./schema-walk";
import { isMap, pathText, type SettingPath, valueAt } from "./setting-path";
import { settingsSchema } from "./settings";

const doc = (name: string) =>
  readFileSync(fileURLToPath(new URL(`../../docs/${name}`, import.meta.url)), "utf8");

/** Takes the # off settings; prose has a space after it and then a letter. */
const uncommented = doc("tidemark.reference.yaml").replace(/^#(?! \S|$)/gm, "");
const reference: unknown = parse(uncommented);
const leaves = schemaLeaves(settingsSchema);

function pathsIn(value: unknown, path: SettingPath = []): string[] {
  const named = path.at(-1) === "connectors";
  if (isMap(value))
    return Object.entries(value).flatMap(([key, item]) => pathsIn(item, [...path, named ? anyName : key]));
  if (Array.isArray(value) && value.some(isMap))
    return value.flatMap((item, i) => pathsIn(item, [...path, i]));
  return [pathText(path)];
}

describe("docs/tidemark.reference.yaml", () => {
  test("has every setting of the schema, and no other", () => {
    expect(pathsIn(reference).sort()).toEqual(leaves.map((leaf) => pathText(leaf.path)).sort());
    expect(leaves.length).toBeGreaterThan(30);
  });

  test("loads when its comments are taken off", () => {
    expect(settingsSchema.safeParse(reference).error?.issues ?? []).toEqual([]);
  });

  test("as it is, sets nothing", () => {
    expect(parse(doc("tidemark.reference.yaml"))).toBeNull();
  });

  test.each(
    leaves.filter((leaf) => leaf.standard !== undefined && pathText(leaf.path) !== "clusters[0].kafka.tls"),
  )("shows the default of $path", ({ path, standard }) => {
    expect(valueAt(reference, path)).toEqual(standard);
  });
});

describe("docs/configuration.md", () => {
  const rows = doc("configuration.md").matchAll(/^\| `([A-Z_]+)` \| (?:`([^`]+)`)? ?\|/gm);
  const table = new Map([...rows].map(([, name, setting]) => [name, setting]));

  test("names every environment variable with its setting, and no other", () => {
    const expected = environmentSettings.map(({ name, path, cluster }) => [
      name,
      pathText([...(cluster ? ["clusters", 0] : []), ...path]),
    ]);
    expect([...table].filter(([name]) => name !== "TIDEMARK_CONFIG")).toEqual(expected);
  });

  test("every variable leads to a setting of the schema", () => {
    const known = new Set(leaves.map((leaf) => pathText(leaf.path)));
    known.add("clusters[0].kafka.tls");
    for (const setting of table.values()) if (setting) expect(known).toContain(setting);
  });
});
