import { expect, type Page } from "@playwright/test";
import { test } from "./browser";

const paste = (page: Page, text: string) => page.locator("#offset-text").fill(text);

test.describe("decode", () => {
  test.beforeEach(async ({ page, dashboard }) => {
    await page.goto(`${dashboard.url}/decode`);
    // The field is the server's until the page has come to life.
    await expect(page.getByRole("button", { name: "Theme: system. Change to light" })).toBeVisible();
    await page.waitForLoadState("networkidle");
  });

  for (const { name, label, shown } of [
    { name: "orders-cdc", label: "PostgreSQL", shown: /[0-9A-F]+\/[0-9A-F]+/ },
    { name: "inventory-cdc", label: "MariaDB", shown: /\d+-223344-\d+/ },
  ])
    test(`a real answer of GET /connectors/${name}/offsets is explained as it is typed`, async ({
      page,
      lab,
    }) => {
      const answer = await fetch(`${lab.connectUrl}/connectors/${name}/offsets`);
      const text = await answer.text();
      await paste(page, text.slice(0, -4));
      await expect(page.locator("#decode-error")).toHaveText(/\w.*\.\s*$/);
      await paste(page, text);
      const report = page.getByRole("region", { name: `Decoded as ${label}` });
      await expect(report).toContainText(shown);
      await expect(report).toContainText("streaming");
      await expect(page.locator("#decode-error")).toHaveText("");
    });

  const image = '<img src=x onerror="window.ran = true">';
  const script = "<script>window.ran = true</script>";
  for (const [what, text] of [
    ["markup", image + script],
    ["a megabyte of text", "x".repeat(1_000_001)],
    ["JSON nested 100,000 deep", "[".repeat(100_000)],
    ["JSON nested 100,000 deep, and closed", `${"[".repeat(100_000)}${"]".repeat(100_000)}`],
  ] as const)
    test(`${what} gets a sentence, and nothing runs`, async ({ page }) => {
      await paste(page, text);
      await expect(page.locator("#decode-error")).toHaveText(/\w.*\.\s*$/);
      expect(await page.evaluate(() => "ran" in window)).toBe(false);
      await paste(page, '{"lsn":27408640}');
      await expect(page.getByText("0/1A23900").first()).toBeVisible();
    });

  test("markup inside an offset is shown as text", async ({ page }) => {
    const offset = { partition: { server: script }, offset: { lsn: 27408640, messageType: image } };
    await paste(page, JSON.stringify(offset));
    await expect(page.getByText("0/1A23900").first()).toBeVisible();
    await expect(page.locator("main")).toContainText("onerror=");
    expect(await page.locator("main img").count()).toBe(0);
    expect(await page.evaluate(() => "ran" in window)).toBe(false);
  });
});
