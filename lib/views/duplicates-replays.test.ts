import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Replay } from "@/lib/observed/duplicates";
import { firstCopyCommands, lookCommands, shellWord } from "./duplicates-commands";
import { csvCell, replaysCsv } from "./duplicates-csv";
import { forgetSentence, foundLines, replayLines } from "./duplicates-replays";
import { duplicatesRequest } from "./duplicates-request";
import { duplicatesViewSchema } from "./duplicates-schema";
import { duplicatesView } from "./duplicates-view";
import { replayGroups } from "./replay-groups";
import { duplicatesConnectors } from "./scene-duplicates";
import { duplicatesName, duplicatesRestarts, replaysOf } from "./scene-replays";

const now = new Date("2026-11-29T14:36:46.000Z");
const [rebalance, crash] = replaysOf("two", now) as [Replay, Replay];

/** A reader of RFC 4180, written apart from the writer. */
function readCsv(text: string): string[][] {
  const rows: string[][] = [[]];
  let cell = "";
  let quoted = false;
  for (let i = 0; i < text.length; i += 1) {
    const c = text[i];
    if (quoted) {
      if (c === '"' && text[i + 1] === '"') {
        cell += '"';
        i += 1;
      } else if (c === '"') quoted = false;
      else cell += c;
    } else if (c === '"') quoted = true;
    else if (c === ",") {
      rows.at(-1)?.push(cell);
      cell = "";
    } else if (c === "\r" && text[i + 1] === "\n") {
      rows.at(-1)?.push(cell);
      cell = "";
      rows.push([]);
      i += 1;
    } else cell += c;
  }
  return rows.slice(0, -1);
}

describe("replays as lines", () => {
  test("what to forget, for those who read the topic", () => {
    expect(forgetSentence(crash)).toBe(
      "Topic shop.public.orders, partition 0, offsets 48120113 to 48159924: 39812 changes were delivered again at 2026-11-29 02:14:46 UTC (cause: crash). They had come at offsets 48080289 to 48120100 first. Source positions 1A/FC6668D8 to 1A/FC9BDE38.",
    );
    const other = { ...crash, lastOffset: crash.lastOffset + 7, firstCopyOf: null, lastPosition: null };
    expect(forgetSentence(other)).toContain("Other records lie between these offsets: keep those.");
    expect(forgetSentence(other)).not.toContain("first.");
    const one = { ...crash, count: 1, lastOffset: crash.firstOffset, cause: "unknown" as const };
    expect(forgetSentence(one)).toContain("offset 48120113: 1 change was delivered again");
    expect(forgetSentence(one)).toContain("the cause is not known");
  });

  test("grouped by what happened: one crash shows in eight partitions", () => {
    const lines = replayLines(replaysOf("many", now), duplicatesRestarts("many", now));
    const groups = replayGroups(lines);
    expect(groups[0]).toMatchObject({ cause: "crash", count: 64_357 });
    expect(groups[0]?.replays).toHaveLength(8);
    expect(groups.flatMap((g) => g.replays)).toHaveLength(lines.length);
    expect(groups.reduce((sum, g) => sum + g.count, 0)).toBe(lines.reduce((sum, r) => sum + r.count, 0));
    expect(groups.map((g) => g.at)).toEqual(
      groups
        .map((g) => g.at)
        .sort()
        .reverse(),
    );
    expect(replayGroups([])).toEqual([]);
  });

  test("predicted beside real, by the restart; or by what was kept with it", () => {
    const [line] = replayLines([crash], duplicatesRestarts("two", now));
    expect(line?.restartWindow).toEqual({ shown: 39_814, recomputed: 39_812, replayed: 39_812 });
    expect(replayLines([crash])[0]?.restartWindow).toBeNull();
    expect(replayLines([{ ...crash, predicted: 7 }])[0]?.restartWindow?.shown).toBe(7);
  });

  test("what a measurement found has the cause that the log tells, or none", () => {
    const lines = foundLines([crash, { ...rebalance, causeInLog: "producer-retry" }], "eu-1");
    expect(lines.map((l) => l.cause)).toEqual(["producer-retry", "unknown"]);
    expect(lines[1]?.causeWhy).toMatch(/^A measurement reads the topic only/);
  });

  test("what a measurement found has the cause that the watch concluded, also where its range cuts the replay off", () => {
    const of = {
      cause: "crash",
      causeWhy: "seen",
      connector: "orders-cdc",
      restart: "r",
      predicted: 7,
    } as const;
    const stored = { ...crash, ...of };
    const middle = { ...crash, firstOffset: crash.firstOffset + 3, count: crash.count - 3 };
    for (const found of [crash, middle])
      expect(foundLines([found], "eu-1", [stored])[0]).toMatchObject({
        ...of,
        firstOffset: found.firstOffset,
      });
    expect(foundLines([crash], "eu-1", [{ ...stored, cause: "unknown" }])[0]?.causeWhy).toBe("seen");
    const inLog = { ...crash, causeInLog: "producer-retry" } as const;
    expect(foundLines([inLog], "eu-1", [{ ...stored, cause: "unknown" }])[0]?.cause).toBe("producer-retry");
    for (const other of [
      { topicId: "another" },
      { partition: crash.partition + 1 },
      { runAfter: "another" },
      { firstOffset: crash.lastOffset + 1, lastOffset: crash.lastOffset + 9 },
    ])
      expect(foundLines([crash], "eu-1", [{ ...stored, ...other }])[0]?.cause, JSON.stringify(other)).toBe(
        "unknown",
      );
  });

  test("the answer of the API fits its schema", () => {
    const connector = duplicatesConnectors(now).find((c) => c.connector === duplicatesName("many"));
    if (!connector) throw new Error("no connector");
    const replays = replaysOf("many", now);
    const view = duplicatesView({
      connector,
      clusters: [],
      from: new Date(0),
      to: now,
      replays,
      more: true,
      restarts: duplicatesRestarts("many", now),
    });
    duplicatesViewSchema.parse(JSON.parse(JSON.stringify(view)));
    expect(view.replays).toHaveLength(replays.length);
  });
});

describe("CSV", () => {
  test("cells that a spreadsheet would run are led by an apostrophe", () => {
    for (const text of ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "  =1"])
      expect(readCsv(`${csvCell(text)}\r\n`)[0]).toEqual([`'${text}`]);
    expect(csvCell("shop.public.orders")).toBe("shop.public.orders");
    expect(csvCell(-1)).toBe("-1");
    expect(csvCell(null)).toBe("");
    expect(csvCell('a "b", c')).toBe('"a ""b"", c"');
  });

  test("any text comes back as it was, or with the apostrophe", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "binary" }), { minLength: 1, maxLength: 6 }), (texts) => {
        const read = readCsv(`${texts.map(csvCell).join(",")}\r\n`);
        expect(read).toHaveLength(1);
        for (const [i, text] of texts.entries()) {
          const cell = read[0]?.[i] ?? "";
          expect([text, `'${text}`]).toContain(cell);
          expect(/^\s*[=+\-@]/.test(cell)).toBe(false);
        }
      }),
      { numRuns: 60 },
    );
  });

  test("a line for each replay, with plain digits", () => {
    const rows = readCsv(replaysCsv(replayLines([rebalance, { ...crash, topic: '=cmd|"/c calc"!A1' }])));
    expect(rows).toHaveLength(3);
    for (const row of rows) expect(row).toHaveLength(rows[0]?.length ?? 0);
    const column = (name: string) => rows[0]?.indexOf(name) ?? -1;
    expect(rows[1]?.[column("first_offset")]).toBe("51902007");
    expect(rows[2]?.[column("topic")]).toBe(`'=cmd|"/c calc"!A1`);
  });
});

describe("commands", () => {
  test("show coordinates and keys of exactly these offsets", () => {
    const brokers = ["kafka-1.eu:9092", "kafka-2.eu:9092", "c:1", "d:1"];
    const [kcat, console_] = lookCommands(rebalance, brokers);
    expect(kcat?.text).toBe(
      "kcat -C -e -q -b kafka-1.eu:9092,kafka-2.eu:9092,c:1 -t shop.public.orders -p 0 -o 51902007 -c 120 -X isolation.level=read_committed -f '%o %T %k\\n' | awk '$1 <= 51902126'",
    );
    expect(console_?.text).toContain("--offset 51902007 --max-messages 120 ");
    // What it prints is CreateTime:1796049040504, Offset:51902007 and the key, with tabs between.
    expect(console_?.text).toMatch(/ \| awk -F'\\t' 'substr\(\$2, 8\) \+ 0 <= 51902126'$/);
    expect(lookCommands(rebalance, [])[0]?.text).toContain("-b BROKERS ");
    expect(firstCopyCommands({ ...rebalance, firstCopyOf: null }, brokers)).toEqual([]);
    expect(firstCopyCommands(rebalance, brokers)[0]?.text).toContain("-o 51901875 -c 120 ");
  });

  test("a name that a shell would read is quoted", () => {
    expect(shellWord("shop.public.orders")).toBe("shop.public.orders");
    expect(shellWord("a'; rm -rf ~ #")).toBe(`'a'\\''; rm -rf ~ #'`);
    expect(shellWord("$(x)")).toBe("'$(x)'");
    expect(shellWord("")).toBe("''");
  });
});

describe("the query of …/duplicates", () => {
  const ask = (query: string) => duplicatesRequest(new URLSearchParams(query), now);
  test("a week unless told; zones are understood", () => {
    expect(ask("")).toMatchObject({ format: "json", replay: null });
    expect(ask("from=2026-11-28T00:00:00%2B02:00&to=2026-11-29&format=csv")).toEqual({
      from: new Date("2026-11-27T22:00:00Z"),
      to: new Date("2026-11-29T00:00:00Z"),
      format: "csv",
      replay: null,
    });
    expect(ask("replay=a%2F0%2F7")).toMatchObject({ replay: "a/0/7" });
  });
  test("what is not understood is said", () => {
    for (const query of [
      "from=yesterday",
      "to=2026-13-40",
      "from=2026-11-29&to=2026-11-28",
      "format=xml",
      "replay=%00",
      `replay=${"x".repeat(700)}`,
    ])
      expect(ask(query)).toMatchObject({ kind: "bad-request", sentence: expect.stringMatching(/\.$/) });
  });
});
