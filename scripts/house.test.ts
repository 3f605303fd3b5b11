import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

const root = join(import.meta.dirname, "..");
const pureRooms = ["debezium", "measure", "observed", "checks", "views"];

function sources(folder: string): { path: string; text: string }[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((e) => e.isFile() && /\.(ts|tsx|mjs)$/.test(e.name) && !e.parentPath.includes("generated"))
    .map((e) => join(e.parentPath, e.name))
    .map((path) => ({ path: path.slice(root.length + 1), text: readFileSync(path, "utf8") }));
}

const rooms = readdirSync(join(root, "lib"), { withFileTypes: true })
  .filter((e) => e.isDirectory())
  .map((e) => e.name);

describe("the house", () => {
  test("every room of lib has its import rule in biome.json", () => {
    const { overrides } = JSON.parse(readFileSync(join(root, "biome.json"), "utf8"));
    const ruled = overrides.flatMap((o: { includes: string[] }) => o.includes);
    expect(rooms.filter((room) => !ruled.includes(`lib/${room}/**`))).toEqual([]);
  });

  test("pure rooms read no clock, no environment, no chance", () => {
    const impure = /\bDate\.now\(|\bnew Date\(\)|\bprocess\.[a-z]|\bMath\.random\(|\bfetch\(|\bsetTimeout\(/;
    const found = pureRooms
      .filter((room) => rooms.includes(room))
      .flatMap((room) => sources(`lib/${room}`))
      .filter(({ path }) => !path.endsWith(".test.ts"))
      .filter(({ text }) => impure.test(text))
      .map(({ path }) => path);
    expect(found).toEqual([]);
  });

  test("no file is longer than a reader's patience", () => {
    const long = ["app", "components", "lib", "lab", "scripts", "e2e"]
      .flatMap(sources)
      .map(({ path, text }) => ({ path, lines: text.split("\n").length }))
      .filter(({ path, lines }) => lines > 350 && !path.endsWith(".test.ts"));
    expect(long).toEqual([]);
  });
});
