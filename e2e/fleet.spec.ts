import { expect } from "@playwright/test";
import { connectorPath } from "@/lib/views/paths";
import { HARD_NAME, LAB, NAMES, test } from "./browser";

const CONNECTORS = ["orders-cdc", "inventory-cdc"] as const;

test.describe("the fleet, live", () => {
  test("both connectors run, and their positions move while the writer writes, without a reload", async ({
    page,
    lab,
    dashboard,
  }) => {
    await page.goto(dashboard.url);
    await page.evaluate(() => {
      document.documentElement.dataset.sameDocument = "yes";
    });
    const stop = new AbortController();
    const writing = lab.write({ rate: 20, signal: stop.signal });
    try {
      const seen = CONNECTORS.map((name) => ({
        row: page.getByRole("row").filter({ has: page.getByRole("link", { name, exact: true }) }),
        positions: new Set<string>(),
      }));
      for (const { row } of seen) {
        await expect(row).toContainText("RUNNING");
        await expect(row.getByRole("cell").nth(2)).toHaveText(/\d/);
      }
      const fewest = async () => {
        for (const { row, positions } of seen)
          positions.add((await row.getByRole("cell").nth(2).textContent()) ?? "");
        return Math.min(...seen.map(({ positions }) => positions.size));
      };
      await expect.poll(fewest, { timeout: 60_000 }).toBeGreaterThanOrEqual(3);
      await expect(page.locator("html")).toHaveAttribute("data-same-document", "yes");
    } finally {
      stop.abort();
      await writing;
    }
  });

  test("a click leads to the connector, and back", async ({ page, dashboard }) => {
    await page.goto(dashboard.url);
    await page.getByRole("link", { name: "orders-cdc", exact: true }).last().click();
    await expect(page).toHaveURL(dashboard.url + connectorPath(LAB, "orders-cdc"));
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("orders-cdc");
    await expect(page.locator("#position")).toContainText(/[0-9A-F]+\/[0-9A-F]+/);
    await expect(page.locator("#tasks")).toContainText("RUNNING");
    await expect(page.locator("#topics")).toContainText("shop.public.orders");
    await page.goBack();
    await expect(page.getByRole("link", { name: "inventory-cdc", exact: true }).last()).toBeVisible();
  });

  test("search and sorting live in the URL and survive a reload", async ({ page, dashboard }) => {
    await page.goto(dashboard.url);
    const links = page.getByRole("table").getByRole("link").filter({ hasText: /-cdc$/ });
    await page.getByRole("button", { name: "Connector", exact: true }).click();
    await expect(links).toHaveText(["inventory-cdc", "orders-cdc"]);
    await page.getByRole("button", { name: /^Connector/ }).click();
    await expect(links).toHaveText(["orders-cdc", "inventory-cdc"]);
    await page.locator("[data-search]").fill("mariadb");
    await expect(page).toHaveURL(/[?&]q=mariadb/);
    await expect(page).toHaveURL(/[?&]sort=-connector/);
    await page.reload();
    await expect(page.locator("[data-search]")).toHaveValue("mariadb");
    await expect(page.getByRole("columnheader", { name: "Connector" })).toHaveAttribute(
      "aria-sort",
      "descending",
    );
    await expect(links).toHaveText(["inventory-cdc"]);
    await page.locator("[data-search]").fill("no such thing");
    await expect(page.getByText("fits this filter")).toBeVisible();
    await page.getByRole("button", { name: "Show all" }).click();
    await expect(links).toHaveText(["orders-cdc", "inventory-cdc"]);
  });

  test("keyboard: / searches, g s goes to the schema histories, ? lists the keys", async ({
    page,
    dashboard,
  }) => {
    await page.goto(dashboard.url);
    await expect(page.getByRole("link", { name: "orders-cdc", exact: true }).last()).toBeVisible();
    await page.keyboard.press("/");
    await expect(page.locator("[data-search]")).toBeFocused();
    await page.keyboard.type("gs?");
    await expect(page.locator("[data-search]")).toHaveValue("gs?");
    await page.keyboard.press("Tab");
    await page.keyboard.press("?");
    await expect(page.getByRole("dialog", { name: "Keyboard" })).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(page.getByRole("dialog")).toHaveCount(0);
    await page.keyboard.press("g");
    await page.keyboard.press("s");
    await expect(page).toHaveURL(/\/schema-history$/);
    await expect(page.getByText("inv.schema-history").first()).toBeVisible();
  });

  test(`the name ${HARD_NAME} survives a click, a reload and a copied link`, async ({
    page,
    context,
    dashboard,
  }) => {
    await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: dashboard.url });
    const heading = page.getByRole("heading", { level: 1 });
    await page.goto(`${dashboard.url}/?cluster=${NAMES}`);
    await page.getByRole("table").getByRole("link", { name: HARD_NAME, exact: true }).click();
    await expect(heading).toHaveText(HARD_NAME);
    await expect(page.locator("#position")).toContainText("0/1A23900");
    await page.reload();
    await expect(heading).toHaveText(HARD_NAME);
    await page.getByRole("button", { name: "Copy link" }).click();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toBe(dashboard.url + connectorPath(NAMES, HARD_NAME));
    await page.goto("about:blank");
    await page.goto(copied);
    await expect(heading).toHaveText(HARD_NAME);
  });
});
