import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openApiDocument } from "@/lib/views/openapi";

const api = join(import.meta.dirname, "v1");

/** What each route file under app/api/v1 answers, as `get /api/v1/…`. */
function routes(): string[] {
  return readdirSync(api, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.name === "route.ts")
    .flatMap((entry) => {
      const path = `/api/v1${entry.parentPath.slice(api.length)}`.replaceAll("[", "{").replaceAll("]", "}");
      const text = readFileSync(join(entry.parentPath, entry.name), "utf8");
      const methods = [...text.matchAll(/export (?:async )?function (GET|POST|PUT|PATCH|DELETE)\b/g)];
      return methods.map((match) => `${match[1]?.toLowerCase()} ${path}`);
    })
    .sort();
}

test("each route is in the OpenAPI document, and nothing else is", () => {
  const { paths } = openApiDocument();
  const documented = Object.entries(paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method} ${path}`),
  );
  expect(documented.sort()).toEqual(routes());
});

test("each reference of the document leads somewhere", () => {
  const document = openApiDocument();
  const names = [...JSON.stringify(document).matchAll(/#\/components\/schemas\/(\w+)/g)].map(
    (m) => m[1] ?? "",
  );
  expect(names.length).toBeGreaterThan(10);
  for (const name of names) expect(document.components.schemas).toHaveProperty(name);
});
