import AxeBuilder from "@axe-core/playwright";
import { expect } from "@playwright/test";
import type { Lab } from "@/lab/lab";
import { connectorPath } from "@/lib/views/paths";
import { LAB, picture, test } from "./browser";
import { type Dashboard, eventually } from "./dashboard";

// MariaDB keeps its binlogs; a replication slot of PostgreSQL may be past an older offset.
const NAME = "inventory-cdc";

/** The stored offsets; those of the lab hold no number beyond 2^53. */
async function stored(lab: Lab): Promise<unknown> {
  const { status, body } = await lab.rest("GET", `/connectors/${NAME}/offsets`);
  expect(status).toBe(200);
  return body;
}

/** Stops the connector, changes its offsets and lets it run again. */
async function whileStopped(lab: Lab, change: () => Promise<{ status: number }>): Promise<void> {
  await lab.rest("PUT", `/connectors/${NAME}/stop`);
  // Connect refuses until every task has ended.
  await eventually("the offsets are changed", 60_000, async () => (await change()).status === 200);
  await lab.rest("PUT", `/connectors/${NAME}/resume`);
  await lab.waitRunning(60_000);
}

function finding(dashboard: Dashboard, short: string) {
  return eventually(`the finding "${short}"`, 60_000, async () => {
    const { findings } = await dashboard.connector(LAB, NAME);
    return findings.open.find((f) => f.slug === "offset-went-back" && f.short === short);
  });
}

test("an offset that was put back by hand, and one that was deleted, are told for what they are", async ({
  page,
  lab,
  dashboard,
}) => {
  const early = await stored(lab);
  await lab.write({ rate: 40, seconds: 15 });
  await eventually("a later commit", 60_000, async () => {
    return JSON.stringify(await stored(lab)) !== JSON.stringify(early);
  });
  await whileStopped(lab, () => lab.rest("PATCH", `/connectors/${NAME}/offsets`, early));
  const setBack = await finding(dashboard, "set to an earlier commit");
  expect(setBack.outcome).toBe("warning");
  expect(setBack.sentence).toContain("put back by hand (PATCH /offsets), exactly the commit of");

  await page.goto(dashboard.url + connectorPath(LAB, NAME));
  const position = page.locator("#position");
  const strip = position.getByRole("img", { name: /^Recent commits: \d+/ });
  await expect(strip).toContainText("went back");
  await expect(position).toContainText(/committed \d+.s ago/);
  await position.getByText("Commits as a table").press("Enter");
  const row = position.getByRole("row").filter({ hasText: "went back" }).first();
  await expect(row).toContainText(/-[\d,]+ transactions/);
  await expect(row).toContainText(/connect-offsets, partition \d+, offset \d+/);
  await picture(page, "went-back");
  const { violations } = await new AxeBuilder({ page }).include("#position").analyze();
  expect(violations.filter(({ impact }) => impact === "serious" || impact === "critical")).toEqual([]);

  await whileStopped(lab, () => lab.rest("DELETE", `/connectors/${NAME}/offsets`));
  await lab.write({ rate: 40, seconds: 5 });
  const { offset } = await eventually("the deletion among the commits", 60_000, async () => {
    const { position: section } = await dashboard.connector(LAB, NAME);
    const lines = section.partitions[0]?.commits?.lines ?? [];
    const deleted = lines.findIndex((l) => l.move === "deleted");
    return deleted > 0 && lines.length > deleted + 1 && lines[deleted]?.readFrom;
  });
  expect(offset).toBeGreaterThan(0);
  // The warning of a moment ago is worse than the news that it started as new: it is still told first.
  const { checks } = await dashboard.connector(LAB, NAME);
  expect(checks.find((c) => c.slug === "offset-went-back")?.outcome).toBe("warning");
});
