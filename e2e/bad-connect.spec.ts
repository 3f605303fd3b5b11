import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "@playwright/test";
import {
  type Behaviour,
  type ConnectDouble,
  fakeCluster,
  flood,
  hang,
  redirect,
  startConnectDouble,
  text,
} from "@/lib/connect/testing/connect-double";
import type { FleetView } from "@/lib/views/fleet";
import { banner, LAB, labCluster, picture, postgresConnector, temporaryDashboard, test } from "./browser";
import { type Dashboard, eventually } from "./dashboard";

const SCRIPT = '<script>window.ran = true</script><img src=x onerror="window.ran = true">';
/** The cluster whose double sends too much. */
const FLOOD = "flood";
const MEGABYTES = 200;
/** What the collector's memory may grow by under floods: less than what a single one sends. */
const GROWTH_BYTES = 150_000_000;
/** What later floods may add to the most that the first ones took: nothing is kept of them. */
const CREEP_BYTES = 50_000_000;
/** How old the lab's data may get meanwhile; it is polled each other second. */
const LAB_AGE_MS = 12_000;

interface Bad {
  behaviour: Behaviour;
  /** What the page says of it. */
  says: RegExp;
}

/** Floods of every kind in turn: an endless text, an endless list of connectors, no JSON, and small on the wire. */
function floods(): Behaviour {
  const bytes = MEGABYTES * 1_000_000;
  const kinds = (["value", "connectors", "noise"] as const).flatMap((of) => [
    flood({ bytes, of }),
    flood({ bytes, of, gzip: true }),
  ]);
  let next = 0;
  return (request, response) => kinds[next++ % kinds.length]?.(request, response);
}

test.describe("Connect addresses that answer as they should not", () => {
  let dashboard: Dashboard;
  let elsewhere: ConnectDouble;
  let bad: Record<string, Bad>;
  const doubles = new Map<string, ConnectDouble>();
  /** The oldest that the lab's data ever was. */
  const seen = { labAgeMs: 0, looks: 0 };

  const well = () => fakeCluster({ "shop-cdc": postgresConnector() });
  const collectorBytes = () => {
    const status = readFileSync(`/proc/${dashboard.pidOf("collect")}/status`, "latin1");
    return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
  };

  async function look(): Promise<FleetView> {
    const view = await dashboard.get<FleetView>("/api/v1/fleet");
    const lab = view.watch.clusters.find((c) => c.name === LAB);
    if (lab?.asOf) seen.labAgeMs = Math.max(seen.labAgeMs, Date.parse(view.watch.now) - Date.parse(lab.asOf));
    seen.looks += 1;
    return view;
  }

  async function mostBytesOver(ms: number): Promise<number> {
    let most = 0;
    for (const until = Date.now() + ms; Date.now() < until; await sleep(200)) {
      await look();
      most = Math.max(most, collectorBytes());
    }
    return most;
  }

  test.beforeAll(async ({ lab }) => {
    elsewhere = await startConnectDouble({ behaviour: well() });
    bad = {
      proxy: {
        behaviour: text(`<h1>502 Bad Gateway</h1>${SCRIPT}`, "text/html", 502),
        says: /answered, but not as Kafka Connect \(HTTP 502, text\/html\): 502 Bad Gateway/,
      },
      login: {
        behaviour: text(`<title>Sign in${SCRIPT}</title>&lt;b&gt;`, "text/html"),
        says: /answered, but not as Kafka Connect \(HTTP 200, text\/html\): Sign in/,
      },
      silent: { behaviour: hang, says: /accepted the connection, but did not answer within 10 s/ },
      moved: {
        behaviour: redirect(`${elsewhere.url}/connectors`),
        says: /redirects to http:\S+ \(HTTP 302\), and redirects are not followed/,
      },
    };
    for (const name of [...Object.keys(bad), FLOOD])
      doubles.set(name, await startConnectDouble({ behaviour: well() }));
    dashboard = await temporaryDashboard({
      clusters: [
        labCluster(lab),
        ...[...doubles].map(([name, { url }]) => ({ name, connect: { urls: [url] } })),
      ],
      poll: { connectors: 2, offsets: 2, topics: 5, schemaHistory: 5 },
    });
    await eventually("all clusters answer", 60_000, async () =>
      (await look()).watch.clusters.every((c) => c.state === "answers"),
    );
    for (const [name, { behaviour }] of Object.entries(bad)) doubles.get(name)?.set(behaviour);
  });
  test.afterAll(async () => {
    await dashboard?.stop();
    await Promise.all([...doubles.values(), elsewhere].map((double) => double?.close()));
  });

  test("HTML, silence and a redirect: fleet and status say what each is, as plain text", async ({ page }) => {
    await page.goto(dashboard.url);
    const main = page.locator("main");
    for (const [name, { says }] of Object.entries(bad)) {
      const line = banner(page)
        .locator("p")
        .filter({ hasText: `${name} has not answered` });
      await expect(line).toContainText(says, { timeout: 40_000 });
      await expect(line).toContainText(/Its data is \d+\s[sm] old/);
    }
    const rows = page.getByRole("row").filter({ hasText: "shop-cdc" });
    await expect(rows.filter({ hasText: /as of \d+\s[sm] ago/ })).toHaveCount(Object.keys(bad).length);
    await picture(page, "bad-connect-fleet");

    await page.goto(`${dashboard.url}/status`);
    for (const [name, { says }] of Object.entries(bad)) {
      const cluster = main.getByRole("listitem").filter({ hasText: name }).first();
      await expect(cluster).toContainText("does not answer");
      await expect(cluster).toContainText(says);
    }
    await expect(main.getByRole("listitem").filter({ hasText: LAB }).first()).not.toContainText(
      "does not answer",
    );
    await picture(page, "bad-connect-status");
    expect(await main.locator("img").count()).toBe(0);
    expect(await page.evaluate(() => "ran" in window)).toBe(false);
  });

  test("once they answer as Connect does, all is well by itself within 30 s, and no redirect was followed", async ({
    page,
  }) => {
    await page.goto(dashboard.url);
    for (const double of doubles.values()) double.set(well());
    await expect(banner(page)).toHaveText("", { timeout: 30_000 });
    await expect(page.getByRole("table")).not.toContainText("as of", { timeout: 15_000 });
    expect(elsewhere.requests).toEqual([]);
  });

  test("200 MB in every shape: told, memory flat, the lab looked at as ever; once it ends, all is well", async ({
    page,
  }) => {
    await page.goto(dashboard.url);
    const rest = collectorBytes();
    doubles.get(FLOOD)?.set(floods());
    const first = await mostBytesOver(15_000);
    const later = await mostBytesOver(15_000);
    const line = banner(page)
      .locator("p")
      .filter({ hasText: `${FLOOD} has not answered` });
    await expect(line).toContainText(
      /(larger than \d+ (MB|kB)|more than 10,000 connectors), and reading was stopped|is JSON and is not/,
    );
    const megabytes = (bytes: number) => (bytes / 1_000_000).toFixed(0);
    console.log(
      `collector: ${megabytes(rest)} MB before the floods, ${megabytes(first)} MB under the first, ${megabytes(later)} MB under later ones; the lab's data at most ${seen.labAgeMs} ms old in ${seen.looks} looks`,
    );
    expect(Math.max(first, later) - rest).toBeLessThan(GROWTH_BYTES);
    expect(later - first).toBeLessThan(CREEP_BYTES);
    expect(seen.labAgeMs).toBeLessThan(LAB_AGE_MS);
    doubles.get(FLOOD)?.set(well());
    await expect(banner(page)).toHaveText("", { timeout: 30_000 });
  });
});
