import { expect, type Page } from "@playwright/test";
import { connectorPath, fleetPath, measurementPath, measurePath, replayPath } from "@/lib/views/paths";
import { type DuplicatesState, duplicatesName } from "@/lib/views/scene-replays";
import { test as base, graveViolations, picture, pixelsTooWide } from "./browser";
import { type SceneMeasurements, startDuplicatesScene } from "./duplicates-scene";
import { SCENE } from "./scene-play";

const test = base.extend<object, { scene: { url: string; measurements: SceneMeasurements } }>({
  scene: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures that are needed from this pattern
    async ({}, use) => {
      const pages = await startDuplicatesScene();
      await use(pages);
      await pages.stop();
    },
    { scope: "worker", timeout: 180_000 },
  ],
});

const widths = { wide: { width: 1280, height: 900 }, narrow: { width: 390, height: 844 } } as const;
type Width = keyof typeof widths;
type Scheme = "light" | "dark";

const pathOf = (state: DuplicatesState) => connectorPath(SCENE, duplicatesName(state));

interface Look {
  name: string;
  path: (measurements: SceneMeasurements) => string;
  /** What the page has to say before it is looked at. */
  says: string | RegExp;
  width: Width;
  scheme: Scheme;
}

const windows = [
  ["wide", "light"],
  ["wide", "dark"],
  ["narrow", "light"],
  ["narrow", "dark"],
] as const;

/** In each window: what people come for. */
const everywhere: readonly Omit<Look, "width" | "scheme">[] = [
  { name: "three", path: () => pathOf("three"), says: "18,944" },
  { name: "flattened", path: () => pathOf("flattened"), says: "carry no source position" },
  { name: "measure-running", path: (m) => measurementPath(m.running), says: "offsets/s" },
];

/** Of the others those with the most in them in two windows, the rest in one. */
const looks: readonly Look[] = [
  ...everywhere.flatMap((look) => windows.map(([width, scheme]) => ({ ...look, width, scheme }))),
  ...(
    [
      ["two", "Two copies", "wide", "light"],
      ["two", "Two copies", "narrow", "dark"],
      ["many", "and 9 more", "wide", "dark"],
      ["backwards", "offsets to go", "narrow", "light"],
      ["none", "no change was produced twice", "narrow", "light"],
      ["transactional", "1,449 more for readers that do not wait", "wide", "dark"],
      ["unknown", "Grant User:tidemark Read", "narrow", "dark"],
    ] as const
  ).map(([state, says, width, scheme]) => ({ name: state, path: () => pathOf(state), says, width, scheme })),
  { name: "fleet", path: () => fleetPath, says: duplicatesName("many"), width: "wide", scheme: "light" },
  { name: "fleet", path: () => fleetPath, says: duplicatesName("many"), width: "narrow", scheme: "dark" },
  { name: "measure", path: () => measurePath, says: "Recent measurements", width: "wide", scheme: "dark" },
  {
    name: "measure-bisected",
    path: (m) => measurementPath(m.bisected),
    says: "were delivered twice, in 2\u00a0replays",
    width: "narrow",
    scheme: "light",
  },
  {
    name: "measure-scanned",
    path: (m) => measurementPath(m.scanned),
    says: "sample of 1 in 64",
    width: "wide",
    scheme: "dark",
  },
  {
    name: "measure-failed",
    path: (m) => measurementPath(m.failed),
    says: "There is no topic legacy.gone",
    width: "narrow",
    scheme: "dark",
  },
];

async function drawn(page: Page, says: string | RegExp): Promise<void> {
  await expect(page.locator("main")).toContainText(says);
  await expect(page.locator("[aria-label=Loading]")).toHaveCount(0);
  // Charts come after the page, and are what it is looked at for.
  await expect(page.locator("[data-loading=chart]")).toHaveCount(0);
}

for (const { name, path, says, width, scheme } of looks)
  test(`duplicates ${name}, ${width} and ${scheme}: axe, width, console`, async ({
    page,
    scene,
    witness,
  }) => {
    await page.setViewportSize(widths[width]);
    await page.emulateMedia({ colorScheme: scheme });
    await page.goto(scene.url + path(scene.measurements));
    await drawn(page, says);
    await picture(page, `duplicates-${name}-${width}-${scheme}`);
    expect.soft(await graveViolations(page), "axe").toEqual([]);
    expect.soft(await pixelsTooWide(page), "pixels by which it is wider than its window").toBe(0);
    expect(witness.consoleErrors).toEqual([]);
  });

test("a link opens a replay: two copies side by side, and what to forget", async ({ page, scene }) => {
  const link = replayPath(SCENE, duplicatesName("two"), "shop.public.orders/0/48120113");
  await page.goto(scene.url + link);
  const copies = page.getByRole("table", { name: "The two copies side by side" });
  await expect(copies).toContainText("48,080,289");
  await expect(copies).toContainText("48,120,113");
  await expect(copies).toBeInViewport();
  await expect(page.locator("#duplicates")).toContainText(
    "offsets 48120113 to 48159924: 39812 changes were delivered again",
  );
  await page.getByText("Commands to look at them").click();
  await expect(page.getByText("-o 48120113 -c 39812", { exact: false })).toBeVisible();
  for (const [width, colorScheme] of windows) {
    await page.setViewportSize(widths[width]);
    await page.emulateMedia({ colorScheme });
    await picture(page, `duplicates-two-copies-${width}-${colorScheme}`);
    expect.soft(await graveViolations(page), `axe, ${width} and ${colorScheme}`).toEqual([]);
    expect(await pixelsTooWide(page)).toBe(0);
  }
});

test("a link to a replay outside of the time that is shown opens it too; one that is gone says so", async ({
  page,
  scene,
}) => {
  const path = pathOf("many");
  await page.goto(`${scene.url}${path}?replays=24h&replay=shop.public.orders%2F0%2F4711000`);
  await expect(page.getByRole("table", { name: "The two copies side by side" })).toContainText("4,711,000");
  await page.goto(`${scene.url}${path}?replay=shop.public.orders%2F0%2F1`);
  await expect(page.locator("#duplicates")).toContainText("The replay of this link cannot be shown.");
});

test("CSV and JSON of the replays that are shown", async ({ page, scene }) => {
  await page.goto(scene.url + pathOf("two"));
  const links = page.locator("#duplicates");
  const download = page.waitForEvent("download");
  await links.getByRole("link", { name: "CSV" }).click();
  const file = await download;
  expect(file.suggestedFilename()).toBe(`replays-${duplicatesName("two")}.csv`);
  const json = await links.getByRole("link", { name: "JSON" }).getAttribute("href");
  const answer = await page.request.get(scene.url + json);
  expect(((await answer.json()) as { replays: unknown[] }).replays).toHaveLength(2);
});

test("without a mouse: to the page by keys, a topic by typing, measured, cancelled, and shared by its link", async ({
  page,
  scene,
}) => {
  await page.goto(scene.url + fleetPath);
  await expect(page.locator("main")).toContainText(duplicatesName("two"));
  await page.keyboard.press("g");
  await page.keyboard.press("m");
  await expect(page).toHaveURL(/\/measure$/);
  const topic = page.getByLabel(/^Topic/);
  await expect(topic).toBeVisible();
  await page.keyboard.press("/");
  await page.keyboard.type("order");
  await expect(page.locator("#known-topics option")).toHaveCount(2);
  await topic.fill("not a topic");
  await expect(page.getByText("holds letters, digits, dots")).toBeVisible();
  await expect(page.getByRole("button", { name: "Measure", exact: true })).toBeDisabled();
  await topic.fill("legacy.typed");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/[?&]id=[0-9a-f-]{36}/);
  const card = page.locator("#measurement");
  await expect(card).toContainText("legacy.typed");
  await expect(card).toContainText("waiting");
  await page.reload();
  await card.getByRole("button", { name: "Cancel" }).click();
  await expect(card).toContainText("It was cancelled");
  await expect(card.getByRole("button", { name: "Cancel" })).toHaveCount(0);
});

test("a request of another page, no JSON, too large, not understood, of no cluster: refused, each with why", async ({
  page,
  scene,
}) => {
  const post = (data: string, headers: Record<string, string> = {}) =>
    page.request.post(`${scene.url}/api/v1/measurements`, {
      data,
      headers: { "Content-Type": "application/json", ...headers },
    });
  const body = (change: object = {}) =>
    JSON.stringify({ cluster: SCENE, topic: "t", method: "bisect", from: null, to: null, ...change });
  const statuses = [
    await post(body(), { "Sec-Fetch-Site": "cross-site" }),
    await post(body(), { Origin: "http://evil.example" }),
    await post(body(), { "Content-Type": "text/plain" }),
    await post(body({ topic: "x".repeat(5_000) })),
    await post(body({ topic: "a b" })),
    await post(body({ from: "2026-11-29T00:00:00Z", to: "2026-11-28T00:00:00Z" })),
    await post("{"),
    await post(body({ cluster: "no-such" })),
  ];
  expect(statuses.map((s) => s.status())).toEqual([403, 403, 415, 413, 400, 400, 400, 404]);
  for (const answer of statuses)
    expect(((await answer.json()) as { error: { sentence: string } }).error.sentence).toMatch(/\.$/);
});
