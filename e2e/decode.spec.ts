import { expect, type Page } from "@playwright/test";
import type { Lab } from "@/lab/lab";
import { openKafka } from "@/lib/kafka/connection";
import { openLogReader } from "@/lib/kafka/log/open-log-reader";
import { test } from "./browser";

/** The records of a topic's partition 0, as JSON lines. */
async function topicRecords(lab: Lab, topic: string): Promise<string[]> {
  const kafka = openKafka({ name: "lab", connect: { urls: [lab.connectUrl] }, kafka: lab.kafkaSettings() });
  const lines: string[] = [];
  try {
    const place = { topic, partition: 0, from: 0, isolation: "read_committed" } as const;
    for await (const batch of openLogReader(kafka).read(place))
      for (const { offset, timestamp, key, value } of batch.records()) {
        const [keyText, valueText] = [key, value].map((bytes) => bytes?.toString("utf8") ?? "null");
        lines.push(
          `{"topic":"${topic}","partition":0,"offset":${offset},"timestamp":${timestamp},"key":${keyText},"value":${valueText}}`,
        );
      }
  } finally {
    await kafka.close();
  }
  return lines;
}

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

  test("records of a topic are explained, each in a line that opens", async ({ page, lab }) => {
    const records = await topicRecords(lab, "inv.schema-history");
    const event =
      '{"topic":"shop.public.orders","partition":0,"offset":7,"key":{"id":1},"value":{"op":"u","before":null,"after":{"note":"of the row"},"source":{"connector":"mariadb","file":"b.000001","pos":4,"gtid":"0-1-5","table":"orders"}}}';
    await paste(page, [event, ...records].join("\n"));
    const report = page.getByRole("region", { name: "Decoded as MariaDB" });
    await expect(report).toContainText(`${records.length + 1} records`.replace(" ", "\u00a0"));
    await expect(report).toContainText("inv.schema-history, partition 0, offset 0");
    const first = report.getByRole("listitem").first();
    await expect(first).toContainText("update in orders");
    await expect(first.getByText("source.gtid")).toBeHidden();
    await first.locator("summary").press("Enter");
    await expect(first.getByText("source.gtid")).toBeVisible();
    await expect(report).not.toContainText("of the row");
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

  test("markup inside a record is shown as text", async ({ page }) => {
    const source = { connector: "postgresql", lsn: 27408640, table: image, schema: script };
    const record = { topic: script, partition: 0, offset: 1, key: image, value: { op: "c", source } };
    await paste(page, JSON.stringify(record));
    await expect(page.getByText("0/1A23900").first()).toBeVisible();
    await expect(page.locator("main")).toContainText("onerror=");
    expect(await page.locator("main img").count()).toBe(0);
    expect(await page.evaluate(() => "ran" in window)).toBe(false);
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
