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
const MEGABYTES = 200;
/** What the collector's memory may grow by while it is flooded: far less than one flood. */
const GROWTH_BYTES = 60_000_000;
/** How old the lab's data may get meanwhile; it is polled each second. */
const LAB_AGE_MS = 8_000;

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
  /** The collector's memory at rest and at its most, and the oldest that the lab's data ever was. */
  const seen = { restBytes: 0, mostBytes: 0, labAgeMs: 0, looks: 0 };

  const well = () => fakeCluster({ "shop-cdc": postgresConnector() });
  const collectorBytes = () => {
    const status = readFileSync(`/proc/${dashboard.pidOf("collect")}/status`, "latin1");
    return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
  };

  async function look(): Promise<FleetView> {
    const view = await dashboard.get<FleetView>("/api/v1/fleet");
    const lab = view.watch.clusters.find((c) => c.name === LAB);
    seen.mostBytes = Math.max(seen.mostBytes, collectorBytes());
    seen.labAgeMs = Math.max(seen.labAgeMs, Date.parse(view.watch.now) - Date.parse(lab?.asOf ?? ""));
    seen.looks += 1;
    return view;
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
      flood: {
        behaviour: floods(),
        says: /(larger than \d+ (MB|kB)|more than 10,000 connectors), and reading was stopped|is JSON and is not/,
      },
    };
    for (const name of Object.keys(bad)) doubles.set(name, await startConnectDouble({ behaviour: well() }));
    dashboard = await temporaryDashboard({
      clusters: [
        labCluster(lab),
        ...[...doubles].map(([name, { url }]) => ({ name, connect: { urls: [url] } })),
      ],
      poll: { connectors: 1, offsets: 1, topics: 5, schemaHistory: 5 },
    });
    await eventually("all clusters answer", 60_000, async () =>
      (await look()).watch.clusters.every((c) => c.state === "answers"),
    );
    await sleep(5_000);
    Object.assign(seen, { restBytes: collectorBytes(), mostBytes: 0, labAgeMs: 0, looks: 0 });
    for (const [name, { behaviour }] of Object.entries(bad)) doubles.get(name)?.set(behaviour);
  });
  test.afterAll(async () => {
    await dashboard?.stop();
    await Promise.all([...doubles.values(), elsewhere].map((double) => double?.close()));
  });

  test("HTML, silence, a redirect and 200 MB: fleet and status say what each is, as plain text", async ({
    page,
  }) => {
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
    await expect(rows.filter({ hasText: /as of \d+\s[sm] ago/ })).toHaveCount(doubles.size);
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

  test("memory stays flat under the flood, the lab's cluster is looked at as ever, and no redirect was followed", async () => {
    const floodedBefore = doubles.get("flood")?.requests.length ?? 0;
    const until = Date.now() + 20_000;
    while (Date.now() < until) {
      await look();
      await sleep(200);
    }
    const megabytes = (bytes: number) => (bytes / 1_000_000).toFixed(0);
    console.log(
      `collector: ${megabytes(seen.restBytes)} MB at rest, ${megabytes(seen.mostBytes)} MB at most; lab at most ${seen.labAgeMs} ms old, in ${seen.looks} looks`,
    );
    expect(doubles.get("flood")?.requests.length).toBeGreaterThan(floodedBefore);
    expect(seen.mostBytes - seen.restBytes).toBeLessThan(GROWTH_BYTES);
    expect(seen.labAgeMs).toBeLessThan(LAB_AGE_MS);
    expect(elsewhere.requests).toEqual([]);
  });

  test("once they answer as Connect does, all is well by itself within 30 s", async ({ page }) => {
    await page.goto(dashboard.url);
    for (const double of doubles.values()) double.set(well());
    await expect(banner(page)).toHaveText("", { timeout: 30_000 });
    await expect(page.getByRole("table")).not.toContainText("as of", { timeout: 15_000 });
  });
});
