import { expect, test } from "vitest";
import { postgresChange, runIdAt } from "@/lib/collect/restarts/testing/run-log";
import { measurePartition } from "./measure-partition";
import { MadeUpLog } from "./testing/made-up-log";

const T = 1_800_000_000_000;
/** Twelve MiB. */
const ROWS = 30_000;

/** What one run wrote in a row: changes of the source from one to before another, or rows that a snapshot read at one place. */
interface Part {
  run: number;
  changes?: readonly [from: number, to: number];
  rowsAt?: number;
  rows?: number;
}

function logOf(parts: readonly Part[]): MadeUpLog {
  const bounds: { from: number; to: number; part: Part }[] = [];
  for (const part of parts) {
    const from = bounds.at(-1)?.to ?? 0;
    const [first, last] = part.changes ?? [0, part.rows ?? ROWS];
    bounds.push({ from, to: from + last - first, part });
  }
  const make = (offset: number) => {
    const { from, part } = bounds.find(({ to }) => offset < to) as (typeof bounds)[number];
    const { run, changes, rowsAt = 0 } = part;
    const n = changes ? changes[0] + offset - from : rowsAt;
    return postgresChange(n, runIdAt(T + run * 1_000), T, changes ? "c" : "r");
  };
  return new MadeUpLog(bounds.at(-1)?.to ?? 0, make, (offset) => T + offset, 128);
}

const scenes: [name: string, replays: [firstOffset: number, count: number][], parts: Part[]][] = [
  [
    "an initial snapshot, and restarts behind it",
    [[ROWS + 500, 20]],
    [
      { run: 0, rowsAt: 0 },
      { run: 1, changes: [0, 500] },
      { run: 2, changes: [480, 900] },
    ],
  ],
  [
    "an initial snapshot, and changes of the same run",
    [[ROWS + 500, 20]],
    [
      { run: 0, rowsAt: 0 },
      { run: 0, changes: [1, 501] },
      { run: 1, changes: [481, 900] },
    ],
  ],
  [
    "a blocking snapshot before a restart",
    [[500 + ROWS, 20]],
    [
      { run: 0, changes: [0, 500] },
      { run: 0, rowsAt: 500 },
      { run: 1, changes: [480, 900] },
    ],
  ],
  [
    "a blocking snapshot at the end",
    [[500, 20]],
    [
      { run: 0, changes: [0, 500] },
      { run: 1, changes: [480, 900] },
      { run: 1, rowsAt: 900 },
    ],
  ],
  [
    "two snapshots, and one change between them that came again",
    [[2 * ROWS + 501, 1]],
    [
      { run: 0, changes: [0, 500] },
      { run: 0, rowsAt: 500 },
      { run: 0, changes: [501, 502] },
      { run: 0, rowsAt: 502 },
      { run: 1, changes: [501, 900] },
    ],
  ],
  [
    "snapshots alone, and a start that found its first change behind one",
    [[3 * ROWS + 10, 4]],
    [
      { run: 0, rowsAt: 0 },
      { run: 1, rowsAt: 0 },
      { run: 2, changes: [1, 11] },
      { run: 3, rowsAt: 5 },
      { run: 3, changes: [7, 30] },
    ],
  ],
];

test.each(scenes)("rows of snapshots are passed over, however many: %s", async (_, replays, parts) => {
  const log = logOf(parts);
  const { found } = await measurePartition(log.reader(), {
    ...{ topic: "shop.public.orders", partition: 0, from: 0, to: log.end },
    ...{ type: null, config: null, registry: null, topicId: null, carried: null, starts: [] },
    ...{ maxBytes: 2 ** 28, wholeBytes: 0 },
  });
  expect(found.notMeasurable).toEqual([]);
  expect(found.replays.map(({ firstOffset, count }) => [firstOffset, count])).toEqual(replays);
});
