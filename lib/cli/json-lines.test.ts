import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { openLines } from "./json-lines";

const folder = mkdtempSync(join(tmpdir(), "tidemark-"));
const none = Readable.from([]);

async function linesOf(path: string, stdin: AsyncIterable<string | Buffer> = none) {
  const source = await openLines(path, stdin);
  const lines: [number, string][] = [];
  for await (const { number, bytes } of source.lines()) lines.push([number, String(bytes)]);
  return { source, lines };
}

function fileOf(bytes: string | Buffer): string {
  const path = join(folder, `${Math.random()}.jsonl`);
  writeFileSync(path, bytes);
  return path;
}

describe("lines of a file", () => {
  test("come with their numbers, without empty ones and carriage returns, the last one with or without its end", async () => {
    const { lines, source } = await linesOf(fileOf("a\r\n\n b \nc"));
    expect(lines).toEqual([
      [1, "a"],
      [3, "b"],
      [4, "c"],
    ]);
    expect([source.size, source.read()]).toEqual([9, 9]);
  });

  test("are the same however the bytes are cut, and with gzip", async () => {
    const texts = fc.array(fc.stringMatching(/^[a-zä€ ]{0,12}$/), { maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(texts, fc.integer({ min: 1, max: 7 }), fc.boolean(), async (all, size, zipped) => {
        const whole = Buffer.from(all.join("\n"));
        const bytes = zipped ? gzipSync(whole) : whole;
        const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
          bytes.subarray(i * size, (i + 1) * size),
        );
        const { lines } = await linesOf("-", Readable.from(chunks));
        expect(lines).toEqual(all.flatMap((text, i) => (text.trim() === "" ? [] : [[i + 1, text.trim()]])));
      }),
      { numRuns: 60 },
    );
  });

  test("of a large gzip wait for their reader", async () => {
    const { lines } = await linesOf(fileOf(gzipSync(Buffer.from("0123456789\n".repeat(300_000)))));
    expect(lines).toHaveLength(300_000);
  });
});

describe("a file that cannot be read is said to be", () => {
  test.each([
    [join(folder, "none.jsonl"), /^there is no file .*none\.jsonl\.$/],
    [folder, /^.* is a folder\.$/],
  ])("%s", async (path, why) => {
    await expect(linesOf(path)).rejects.toThrow(why);
  });

  test("a gzip that was cut off, or damaged", async () => {
    const zipped = gzipSync(Buffer.from("abc\n".repeat(10_000)));
    await expect(linesOf(fileOf(zipped.subarray(0, 60)))).rejects.toThrow(/is damaged: its gzip/);
    zipped.fill(0xff, 12, 40);
    await expect(linesOf(fileOf(zipped))).rejects.toThrow(/is damaged: its gzip/);
  });
});
