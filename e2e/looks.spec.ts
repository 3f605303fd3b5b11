import { expect, type Page } from "@playwright/test";
import { connectorPath, decodePath, fleetPath, schemaHistoryPath, statusPath } from "@/lib/views/paths";
import { graveViolations, LAB, picture, pixelsTooWide, test } from "./browser";

interface Look {
  name: string;
  path: string;
  /** Waits for what the page is there for. */
  ready(page: Page): Promise<void>;
}

const shows = (text: string) => (page: Page) => expect(page.locator("main")).toContainText(text);

const looks: readonly Look[] = [
  { name: "fleet", path: fleetPath, ready: shows("inventory-cdc") },
  { name: "orders-cdc", path: connectorPath(LAB, "orders-cdc"), ready: shows("shop.public.order_lines") },
  { name: "inventory-cdc", path: connectorPath(LAB, "inventory-cdc"), ready: shows("inv.schema-history") },
  { name: "schema-history", path: schemaHistoryPath, ready: shows("inv.schema-history") },
  { name: "decode", path: decodePath, ready: shows("Decode a source offset") },
  {
    name: "decode-example",
    path: decodePath,
    async ready(page) {
      await expect(async () => {
        await page.getByRole("button", { name: "MariaDB", exact: true }).click();
        await expect(page.locator("main"))
          .toContainText("Decoded", { timeout: 1_000 })
          .catch(() => {});
        await expect(page.getByRole("region", { name: "Decoded as MariaDB" })).toBeVisible({
          timeout: 2_000,
        });
      }).toPass();
    },
  },
  { name: "status", path: statusPath, ready: shows("schema history") },
  { name: "not-found", path: "/no-such-page", ready: shows("No such page") },
  {
    name: "connector-not-found",
    path: connectorPath(LAB, "no-such"),
    ready: shows("No such connector"),
  },
];

const widths = { wide: { width: 1280, height: 900 }, narrow: { width: 390, height: 844 } };

for (const [width, viewport] of Object.entries(widths))
  for (const colorScheme of ["light", "dark"] as const)
    test(`every page, ${width} and ${colorScheme}: axe, width, console, requests`, async ({
      page,
      dashboard,
      witness,
    }) => {
      await page.setViewportSize(viewport);
      await page.emulateMedia({ colorScheme });
      const asked = new Set<string>();
      page.on("request", (request) => asked.add(new URL(request.url()).origin));
      for (const { name, path, ready } of looks) {
        await page.goto(dashboard.url + path);
        await ready(page);
        await picture(page, `${name}-${width}-${colorScheme}`);
        expect.soft(await graveViolations(page), `axe on ${name}`).toEqual([]);
        expect.soft(await pixelsTooWide(page), `pixels by which ${name} is wider than its window`).toBe(0);
      }
      expect([...asked]).toEqual([dashboard.url]);
      // Chromium itself writes one for a page that answers 404, as it should.
      const unexpected = witness.consoleErrors.filter(
        (text) => !/404 .*\/(no-such-page|no-such)\)$/.test(text),
      );
      expect(unexpected).toEqual([]);
    });
