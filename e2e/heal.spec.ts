import { expect, type Page } from "@playwright/test";
import { connectorPath } from "@/lib/views/paths";
import { banner, LAB, labCluster, picture, temporaryDashboard, test } from "./browser";
import { type Dashboard, eventually } from "./dashboard";

/** All must be well so soon after a part is back. */
const HEALED_WITHIN_MS = 30_000;
const CONNECTORS = ["orders-cdc", "inventory-cdc"] as const;

/** What must outlive everything: when connectors were first seen, and since when each finding is open. */
async function remembered(dashboard: Dashboard) {
  const views = await Promise.all(CONNECTORS.map((name) => dashboard.connector(LAB, name)));
  return views.map(({ connector, firstSeenAt, findings }) => ({
    connector,
    firstSeenAt,
    // In the lab's one broker the history has one replica: once it was looked at, that finding is open for good.
    open: findings.open
      .filter((f) => f.slug === "history-replication" && f.outcome === "warning")
      .map((f) => f.openedAt),
  }));
}

/** The position of orders-cdc as the page shows it: an LSN. */
const position = (page: Page) =>
  page
    .locator("#position")
    .getByText(/^[0-9A-F]+\/[0-9A-F]+$/)
    .first();

/** Nothing is wrong on the page, nothing is stale, and the connector runs. */
async function allIsWell(page: Page, withinMs: number): Promise<void> {
  await expect(async () => {
    await expect(banner(page)).toHaveText("", { timeout: 1 });
    await expect(page.locator("[data-stale]")).toHaveCount(0, { timeout: 1 });
    await expect(page.locator("#tasks")).toContainText("RUNNING", { timeout: 1 });
  }).toPass({ timeout: withinMs, intervals: [200] });
}

/** All is well soon after this moment, at which the part is back. Prints how soon. */
async function healed(page: Page, part: string): Promise<void> {
  const backAt = Date.now();
  await allIsWell(page, HEALED_WITHIN_MS);
  const seconds = ((Date.now() - backAt) / 1_000).toFixed(1);
  test.info().annotations.push({ type: "healed", description: `${part}: ${seconds} s` });
  console.log(`healed: ${part} in ${seconds} s`);
}

test.describe("kill -9 of each part", () => {
  let dashboard: Dashboard;
  let before: Awaited<ReturnType<typeof remembered>>;
  let writing: Promise<unknown>;
  const stop = new AbortController();

  test.beforeAll(async ({ lab }) => {
    dashboard = await temporaryDashboard({
      clusters: [labCluster(lab)],
      poll: { connectors: 2, offsets: 2, topics: 4, schemaHistory: 4 },
    });
    writing = lab.write({ rate: 10, signal: stop.signal });
    before = await eventually("what is to be remembered", 60_000, async () => {
      const seen = await remembered(dashboard);
      return seen.some((s) => s.open.length === 1) && seen;
    });
  });
  test.afterAll(async () => {
    stop.abort();
    await writing;
    await dashboard?.stop();
  });
  test.beforeEach(async ({ page }) => {
    await page.goto(dashboard.url + connectorPath(LAB, "orders-cdc"));
    await allIsWell(page, 60_000);
  });

  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures that are needed from this pattern
  test.afterEach(async ({}, info) => {
    if (info.status !== info.expectedStatus)
      console.log(dashboard.output().split("\n").slice(-60).join("\n"));
  });

  /** The page has what it showed last, greyed, under the sentence that says what is wrong. */
  async function staleUnder(page: Page, sentence: RegExp, name: string, timeout: number) {
    const shown = await position(page).textContent();
    await expect(banner(page)).toContainText(sentence, { timeout });
    await expect(page.locator("[data-stale]").first()).toBeVisible({ timeout });
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("orders-cdc");
    await expect(position(page)).toHaveText(/^[0-9A-F]+\/[0-9A-F]+$/);
    await picture(page, name);
    return shown ?? "";
  }

  /** The part works again, not only the page: the position moves; and what was stored is as it was. */
  async function nothingLost(page: Page, shown: string) {
    await expect(position(page)).not.toHaveText(shown, { timeout: 60_000 });
    expect(await remembered(dashboard)).toEqual(before);
  }

  test("the collector, frozen until it counts as stopped: the page says so and since when; killed, all is well again", async ({
    page,
  }) => {
    dashboard.freeze("collect");
    const shown = await staleUnder(
      page,
      /Tidemark's collector has stopped\. Its last sign of life was \d+\ss ago\. What you see is at least as old\./,
      "away-collector",
      40_000,
    );
    dashboard.kill("collect");
    await healed(page, "collector");
    await nothingLost(page, shown);
  });

  test("the web process, killed at each return: the page says who is away and how old its data is; let be, all is well again", async ({
    page,
  }) => {
    const release = dashboard.holdDown("web");
    try {
      const shown = await staleUnder(
        page,
        /Tidemark's web process does not answer\. What you see is \d+\ss old\. This page keeps asking and mends itself\./,
        "away-web",
        20_000,
      );
      release();
      await healed(page, "web");
      await nothingLost(page, shown);
    } finally {
      release();
    }
  });

  test("the embedded PostgreSQL, killed at each return: the page says who is away and how old its data is; let be, all is well again", async ({
    page,
  }) => {
    const release = dashboard.holdDown("postgres");
    try {
      const shown = await staleUnder(
        page,
        /Tidemark's database does not answer: .+\. What you see is \d+\ss old\. Nothing stored is lost/,
        "away-postgres",
        30_000,
      );
      release();
      await healed(page, "postgres");
      await nothingLost(page, shown);
    } finally {
      release();
    }
  });

  test("Kafka Connect, killed: connector and fleet say that it refuses the connection and how old its data is; started, all is well again", async ({
    page,
    context,
    lab,
  }) => {
    await lab.crash("connect", { stayDown: true });
    try {
      const sentence =
        /lab has not answered for \d+\ss\. http:\S+ refused the connection\. Its data is \d+\ss old\. Check that the Connect worker runs/;
      const shown = await staleUnder(page, sentence, "away-connect", 20_000);
      await fleetIsStale(await context.newPage(), sentence);
      await lab.start("connect");
      await healed(page, "Kafka Connect");
      await nothingLost(page, shown);
    } finally {
      await lab.start("connect");
      await lab.waitRunning(90_000);
    }
  });

  test("the Kafka broker, killed: connector and fleet say that it cannot be reached and how old its data is; started, all is well again", async ({
    page,
    context,
    lab,
  }) => {
    await lab.crash("broker", { stayDown: true });
    try {
      const sentence =
        /The Kafka brokers of lab do not answer\. The broker at 127\.0\.0\.1:\d+ cannot be reached \(connection refused\)\. What is known of topics is \d+\ss old.* Check kafka\.brokers/;
      const shown = await staleUnder(page, sentence, "away-broker", 30_000);
      await fleetIsStale(await context.newPage(), sentence);
      await lab.start("broker");
      await healed(page, "broker");
      await nothingLost(page, shown);
    } finally {
      await lab.start("broker");
      await lab.waitRunning(90_000);
    }
  });

  /** Each row of the lab says as of when it is, and keeps its position. */
  async function fleetIsStale(page: Page, sentence: RegExp) {
    await page.goto(dashboard.url);
    await expect(banner(page)).toContainText(sentence);
    for (const name of CONNECTORS) {
      const row = page.getByRole("row").filter({ has: page.getByRole("link", { name, exact: true }) });
      await expect(row).toContainText(/as of \d+\ss ago/, { timeout: 30_000 });
      await expect(row.getByRole("cell").nth(2)).toHaveText(/\d/);
    }
    await page.close();
  }
});
