import { expect, type Page } from "@playwright/test";
import { connectorPath, fleetPath } from "@/lib/views/paths";
import { type WindowState, windowStates } from "@/lib/views/scene-series";
import { graveViolations, picture, pixelsTooWide, test } from "./browser";
import { SCENE } from "./scene-play";

const widths = { wide: { width: 1280, height: 900 }, narrow: { width: 390, height: 844 } };

/** Those of which dark and narrow pictures are taken too: the ones with the most in them. */
const fullest: readonly WindowState[] = ["steady", "several", "unknown"];

const looksAt = (width: string) =>
  windowStates
    .filter((state) => width === "wide" || fullest.includes(state))
    .flatMap((state) => [
      { state, scheme: "light" as const },
      ...(fullest.includes(state) ? [{ state, scheme: "dark" as const }] : []),
    ]);

const pathOf = (state: WindowState) => connectorPath(SCENE, `${state}-cdc`);

/** Waits until the charts are drawn, or what stands in their place. */
async function drawn(page: Page): Promise<void> {
  const section = page.locator("#replay-window");
  await expect(section.getByText("Typical, last hour")).toBeVisible();
  await expect(section.locator(".recharts-surface").first()).toBeVisible();
  await expect(page.getByRole("region", { name: "The dial" })).toContainText(/./);
  await expect(
    page.getByRole("region", { name: "Predicted and real" }).locator("p, table").first(),
  ).toBeVisible();
}

for (const [width, viewport] of Object.entries(widths)) {
  for (const { state, scheme } of looksAt(width))
    test(`the replay window ${state}, ${width} and ${scheme}: axe, width, console`, async ({
      page,
      windowScene,
      witness,
    }) => {
      await page.setViewportSize(viewport);
      await page.emulateMedia({ colorScheme: scheme });
      await page.goto(windowScene.url + pathOf(state));
      await drawn(page);
      await picture(page, `replay-window-${state}-${width}-${scheme}`);
      expect.soft(await graveViolations(page), "axe").toEqual([]);
      expect.soft(await pixelsTooWide(page), "pixels by which it is wider than its window").toBe(0);
      expect(witness.consoleErrors).toEqual([]);
    });

  test(`the fleet with replay windows, ${width}: axe, width`, async ({ page, windowScene }) => {
    await page.setViewportSize(viewport);
    await page.goto(windowScene.url + fleetPath);
    await expect(page.locator("main")).toContainText("steady-cdc");
    await picture(page, `replay-window-fleet-${width}`);
    expect.soft(await graveViolations(page), "axe").toEqual([]);
    expect.soft(await pixelsTooWide(page), "pixels by which it is wider than its window").toBe(0);
  });
}

test("the time lives in the URL, and figures and chart follow it", async ({ page, windowScene }) => {
  await page.goto(windowScene.url + pathOf("bursty"));
  await drawn(page);
  const section = page.locator("#replay-window");
  for (const [range, label] of [
    ["24 h", "Worst, last 24 hours"],
    ["7 d", "Worst, last 7 days"],
  ] as const) {
    await section.getByRole("button", { name: range.replace(" ", "\u00a0") }).click();
    await expect(page).toHaveURL(new RegExp(`[?&]range=${range.replace(" ", "")}`));
    await expect(section.getByText(label.replace(/ (?=hours|days)/, "\u00a0"))).toBeVisible();
    await expect(section.locator(".recharts-surface").first()).toBeVisible();
    await picture(page, `replay-window-bursty-${range.replace(" ", "")}`);
  }
  await page.reload();
  await expect(section.getByRole("button", { name: "7\u00a0d" })).toHaveAttribute("aria-pressed", "true");
});

test("without a mouse: the tables behind the charts, and how to set the dial", async ({
  page,
  windowScene,
}) => {
  await page.goto(windowScene.url + pathOf("steady"));
  await drawn(page);
  for (const name of [
    /^As a table: Events that a crash/,
    /^As a table: Expected and worst/,
    /^How to set it/,
  ]) {
    const summary = page.locator("summary").filter({ hasText: name });
    await summary.focus();
    await page.keyboard.press("Enter");
  }
  const saw = page.getByRole("table", { name: /^Events that a crash would have replayed/ });
  await expect(saw.getByRole("row").nth(5)).toContainText(/\d/);
  const dial = page.getByRole("table", { name: "Expected and worst replay by flush interval" });
  await expect(dial).toContainText("(today)");
  await expect(page.getByText("offset.flush.interval.ms=5000")).toBeVisible();
  await picture(page, "replay-window-steady-open");
});

test("a history that cannot be read says so, and the figure of now stays", async ({ page, windowScene }) => {
  await page.route("**/replay-window?*", (route) => route.abort());
  await page.goto(windowScene.url + pathOf("steady"));
  const section = page.locator("#replay-window");
  await expect(section).toContainText("The history of the window could not be read.");
  await expect(section).toContainText("A crash now would replay");
  await expect(section).not.toContainText("0 at every look");
  await picture(page, "replay-window-no-history");
});

test("on paper: within the page, charts among it", async ({ page, windowScene }) => {
  await page.goto(windowScene.url + pathOf("steady"));
  await drawn(page);
  await page.emulateMedia({ media: "print" });
  await page.setViewportSize({ width: 720, height: 1000 });
  await page
    .locator("#replay-window")
    .screenshot({ path: "test-results/looks/replay-window-steady-print.png" });
  const dial = page.getByRole("region", { name: "The dial" });
  await dial.screenshot({ path: "test-results/looks/replay-window-steady-print-dial.png" });
  expect(await pixelsTooWide(page)).toBe(0);
  for (const chart of await page.locator(".recharts-surface").all()) {
    const box = await chart.boundingBox();
    expect(box && box.x + box.width).toBeLessThanOrEqual(720);
  }
});
