import { expect } from "@playwright/test";
import { picture, temporaryDashboard, test } from "./browser";

test("without a cluster the pages say how to name one, and Decode works", async ({ page }) => {
  const dashboard = await temporaryDashboard({ clusters: [] });
  try {
    await page.goto(dashboard.url);
    await expect(page.getByText("No cluster is configured").first()).toBeVisible({ timeout: 30_000 });
    await expect(page.locator("main")).toContainText("CONNECT_URL");
    await expect(page.locator("main")).toContainText("tidemark.yaml");
    await expect(page.locator("main > [role=status]")).toHaveText("");
    await picture(page, "unconfigured");
    await page.getByRole("link", { name: "Status" }).click();
    await expect(page.getByText("none is configured")).toBeVisible();
    await page.getByRole("link", { name: "Decode" }).click();
    await page.getByRole("button", { name: "PostgreSQL" }).click();
    await expect(page.getByText("0/1A23900").first()).toBeVisible();
  } finally {
    await dashboard.stop();
  }
});
