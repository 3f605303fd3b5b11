import { expect, type Page, test } from "@playwright/test";
import { connectorPath, fleetPath } from "@/lib/views/paths";
import { README_CONNECTOR, startReadmeScene } from "./readme-scene";
import { SCENE } from "./scene-play";

const folder = "docs/images";

/** Its charts are drawn, and nothing is still to come. */
async function drawn(page: Page, says: string): Promise<void> {
  await expect(page.locator("main")).toContainText(says);
  await expect(page.locator("[aria-label=Loading]")).toHaveCount(0);
  await expect(page.locator("[data-loading=chart]")).toHaveCount(0);
}

test("the pictures of the README", async ({ page }) => {
  const scene = await startReadmeScene();
  try {
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.emulateMedia({ colorScheme: "light" });
    await page.goto(scene.url + fleetPath);
    await drawn(page, README_CONNECTOR);
    await page.screenshot({ path: `${folder}/fleet.png` });
    await page.goto(scene.url + connectorPath(SCENE, README_CONNECTOR));
    await drawn(page, "18,944");
    for (const [name, id] of [
      ["window", "replay-window"],
      ["duplicates", "duplicates"],
    ] as const) {
      const box = await page.locator(`#${id}`).boundingBox();
      if (!box) throw new Error(`no ${name} on the page`);
      const clip = { x: 0, y: box.y - 14, width: 1280, height: box.height + 28 };
      await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true, clip });
    }
  } finally {
    await scene.stop();
  }
});
