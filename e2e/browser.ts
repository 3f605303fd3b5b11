import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import AxeBuilder from "@axe-core/playwright";
import { test as base, expect, type Page } from "@playwright/test";
import type { Lab } from "@/lab/lab";
import { openLab } from "@/lab/open-lab";
import { fakeCluster, startConnectDouble } from "@/lib/connect/testing/connect-double";
import { type Dashboard, startDashboard } from "./dashboard";
import { startWindowScene } from "./window-scene";

/** The lab's cluster in the settings of every dashboard here. */
export const LAB = "lab";
/** A cluster on which only names are hard. */
export const NAMES = "names";
export const HARD_NAME = "orders/eu #1 → café%";

/** What a page did that nobody should see. Foreign requests and scripts of others are a fault in every test. */
export interface Witness {
  consoleErrors: string[];
}

/** Browser tests with the lab, and a dashboard of it that all tests share which break nothing. */
export const test = base.extend<
  { witness: Witness },
  { lab: Lab; dashboard: Dashboard; windowScene: { url: string } }
>({
  lab: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures that are needed from this pattern
    async ({}, use) => {
      await use(openLab(process.env.TIDEMARK_LAB_DIR));
    },
    { scope: "worker" },
  ],
  dashboard: [
    async ({ lab }, use) => {
      const names = await startConnectDouble({
        behaviour: fakeCluster({ [HARD_NAME]: postgresConnector() }),
      });
      const dashboard = await temporaryDashboard({
        clusters: [labCluster(lab), { name: NAMES, connect: { urls: [names.url] } }],
        poll: { connectors: 1, offsets: 1, topics: 5, schemaHistory: 5 },
      });
      await use(dashboard);
      await dashboard.stop();
      await names.close();
    },
    { scope: "worker", timeout: 120_000 },
  ],
  windowScene: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures that are needed from this pattern
    async ({}, use) => {
      const pages = await startWindowScene();
      await use(pages);
      await pages.stop();
    },
    { scope: "worker", timeout: 180_000 },
  ],
  witness: [
    async ({ page }, use) => {
      const consoleErrors: string[] = [];
      const faults: string[] = [];
      page.on("console", (message) => {
        if (message.type() === "error") consoleErrors.push(`${message.text()} (${message.location().url})`);
      });
      page.on("pageerror", (error) => faults.push(`uncaught: ${error.message}`));
      page.on("dialog", (dialog) => {
        faults.push(`dialog: ${dialog.message()}`);
        dialog.dismiss().catch(() => {});
      });
      page.on("request", (request) => {
        const { protocol, hostname } = new URL(request.url());
        if (protocol.startsWith("http") && hostname !== "127.0.0.1") faults.push(`asked ${request.url()}`);
      });
      await use({ consoleErrors });
      expect(faults, "scripts that failed or ran though they should not, and requests to others").toEqual([]);
    },
    { auto: true },
  ],
});

/** The lab as a cluster of the settings. */
export function labCluster(lab: Lab) {
  return { name: LAB, connect: { urls: [lab.connectUrl] }, kafka: { brokers: lab.brokers } };
}

/** A dashboard with a data folder of its own, which goes with it. */
export async function temporaryDashboard(settings: Record<string, unknown>): Promise<Dashboard> {
  const folder = mkdtempSync(join(tmpdir(), "tidemark-browser-"));
  const dashboard = await startDashboard(settings, folder);
  return {
    ...dashboard,
    async stop() {
      await dashboard.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A healthy PostgreSQL connector as Connect reports one. */
export function postgresConnector() {
  const running = { state: "RUNNING", worker_id: "127.0.0.1:8083", version: "3.6.1.Final" };
  const config = {
    "connector.class": "io.debezium.connector.postgresql.PostgresConnector",
    "topic.prefix": "shop",
    "database.dbname": "shop",
  };
  return {
    status: { connector: running, tasks: [{ id: 0, ...running }], type: "source" },
    info: { config, tasks: [], type: "source" },
    topics: ["shop.public.orders"],
    offsets: '{"offsets":[{"partition":{"server":"shop"},"offset":{"lsn":27408640,"txId":760}}]}',
  };
}

/** What stands above a page when something is wrong; without text when all is well. */
export function banner(page: Page) {
  return page.locator("main > [role=status]");
}

/** A picture for people, in test-results/looks. */
export async function picture(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: `test-results/looks/${name}.png`, fullPage: true });
}

/** What axe finds that is serious or critical, and where. */
export async function graveViolations(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.target.join(" ")).join(", ")}`);
}

/** Pixels by which a page is wider than its window: it should be none. */
export function pixelsTooWide(page: Page): Promise<number> {
  return page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    return scrollWidth - clientWidth;
  });
}
