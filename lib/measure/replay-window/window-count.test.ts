import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { EventScanner } from "@/lib/debezium/events/event-scanner";
import { coverageOf } from "./coverage";
import { WindowCount } from "./window-count";
import { EdgeCount } from "./window-count-edge";
import { hashOf, IdSet } from "./window-count-ids";

describe("identities in bounded memory", () => {
  test("a set of hashes tells what a set of texts does", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 3 }), { maxLength: 4_000 }), (texts) => {
        const [ids, known] = [new IdSet(100_000), new Set<string>()];
        for (const text of texts) {
          expect(ids.add(hashOf(text))).toBe(known.has(text) ? "known" : "new");
          known.add(text);
        }
        expect(ids.size).toBe(known.size);
      }),
      { numRuns: 30 },
    );
  });

  test("hashes are whole numbers below 2^53, and spread: none of a hundred thousand collide", () => {
    const hashes = new Set<number>();
    for (let i = 0; i < 100_000; i++) {
      const hash = hashOf(
        JSON.stringify(["742", String(27_334_696 + i), "shop.public.orders", `{"id":${i}}`, "u"]),
      );
      expect(Number.isSafeInteger(hash) && hash >= 0).toBe(true);
      hashes.add(hash);
    }
    expect(hashes.size).toBe(100_000);
  });

  test("at its bound it says so, and still knows what it has", () => {
    const ids = new IdSet(2);
    expect([1, 2, 3, 1, 3].map((id) => ids.add(id))).toEqual(["new", "new", "full", "known", "full"]);
  });
});

const value = (n: number) =>
  Buffer.from(
    `{"before":null,"after":{"id":${n}},"source":{"connector":"mariadb","name":"p","snapshot":"false","server_id":1,"gtid":"0-1-${n}","file":"b.000001","pos":${n},"row":0},"transaction":null,"op":"c","ts_ms":1}`,
  );

const behind10 = { file: "b.000001", pos: 1, gtids: "0-1-10", server_id: 1 };
/** Inside the transaction after 9, of which no metadata tells how much was sent. */
const inside10 = { file: "b.000001", pos: 10, gtids: "0-1-9", server_id: 1, event: 2, row: 1 };

interface Circumstances {
  ids?: number;
  offset?: typeof behind10;
  /** When the nth record was sent, milliseconds. */
  sentAt?: (n: number) => number;
}

function counted(
  numbers: readonly number[],
  { ids, offset = behind10, sentAt = (n) => 100 + n }: Circumstances = {},
) {
  const commits = [{ partition: { server: "p" }, offset, committedAt: null }];
  const { coverage } = coverageOf("mariadb", { "topic.prefix": "p" }, commits);
  if (!coverage) throw new Error("the offset can be read");
  const window = new WindowCount(coverage, ids === undefined ? {} : { ids });
  const part = window.partition("p.shop.t", "distinct", 0);
  const scanner = new EventScanner(coverage.fields);
  for (const [offset, n] of numbers.entries()) {
    part.batch(10, 1, null);
    const bytes = value(n);
    expect(scanner.scan(bytes, 0, bytes.length)).toBe("change");
    const key = Buffer.from(`{"id":${n}}`);
    part.scanned(scanner, {
      offset,
      timestamp: sentAt(offset),
      bytes: key,
      keyStart: 0,
      keyEnd: key.length,
    });
  }
  return window.result(null);
}

test("copies are not counted, nor their bytes and times", () => {
  expect(counted([9, 11, 12, 13, 11, 12, 14, 10])).toMatchObject({
    events: 4,
    bytes: 40,
    spanMs: 5,
    bound: "exact",
    notes: [],
  });
});

test("where more identities would be needed than are kept, it is at most", () => {
  const { events, bound, notes } = counted([11, 12, 13, 14, 11, 13], { ids: 2 });
  // 13 and its copy count twice.
  expect({ events, bound }).toEqual({ events: 5, bound: "at-most" });
  expect(notes[0]).toMatchObject({
    slug: "not-identified",
    text: expect.stringContaining("More than 2 changes"),
  });
});

test("what may be covered tells nothing of how long the rest took, unless it is all", () => {
  // Two of the transaction in which the offset stops, ten idle minutes, and three more.
  const sentAt = (n: number) => (n < 2 ? n : 600_000 + n);
  const slugs = ({ notes }: ReturnType<typeof counted>) => notes.map(({ slug }) => slug);
  const all = counted([10, 10, 11, 12, 13], { offset: inside10, sentAt });
  expect({ ...all, notes: slugs(all) }).toMatchObject({ spanMs: 2, notes: ["inside-transaction"] });
  expect(counted([10, 10], { offset: inside10, sentAt }).spanMs).toBeLessThan(2);
  expect(counted([], { offset: inside10, sentAt }).spanMs).toBeNull();
});

describe("events at the offset's own place", () => {
  const rule = { by: "transaction", sent: 3, committedAt: 2_000, of: () => "edge" as const } as const;
  /** Positions are numbers here. */
  const kind = {
    order: (a: unknown, b: unknown) => ({ order: Number(a) > Number(b) ? "after" : "before" }),
  } as unknown as ConstructorParameters<typeof EdgeCount>[1];
  const of = {};
  const event = (position: number, ordinal: number, run: string | null, id: number | null = position) => ({
    of,
    position,
    ordinal,
    run,
    id,
    timestamp: position,
    bytes: 10,
    tombstones: 0,
  });
  const runAt = (millis: number) =>
    `${millis
      .toString(16)
      .padStart(12, "0")
      .replace(/^(.{8})/, "$1-")}-7000-8000-000000000000`;
  const [r1, r2] = [runAt(1_000), runAt(3_000)];

  function resolved(events: ReturnType<typeof event>[], more: { committedAt?: number | null } = {}) {
    const edges = new EdgeCount({ ...rule, ...more }, kind);
    for (const one of events) edges.add(one);
    const { events: again, note } = edges.resolve();
    return [again, note?.slug ?? null];
  }

  const first = [1, 2, 3, 4, 5].map((n) => event(n, n, r1));

  test("one run numbers them", () => {
    expect(resolved(first)).toEqual([2, null]);
  });

  test("a run that began after the commit numbers anew, and counts for nothing", () => {
    expect(resolved([...first, event(4, 1, r2), event(5, 2, r2), event(6, 3, r2), event(7, 4, r2)])).toEqual([
      4,
      null,
    ]);
  });

  test("where either run may have written the offset, the lower place counts", () => {
    const both = [...first, event(4, 1, r2), event(5, 2, r2), event(6, 3, r2), event(7, 4, r2)];
    expect(resolved(both, { committedAt: null })).toEqual([4, "restarted-inside-transaction"]);
    expect(resolved(both, { committedAt: 4_000 })).toEqual([4, "restarted-inside-transaction"]);
  });

  test("where the last that was covered is not at hand, all count", () => {
    expect(resolved([event(4, 4, r1), event(5, 5, r1), event(4, 1, r2)])).toEqual([
      2,
      "restarted-inside-transaction",
    ]);
    expect(resolved([event(4, Number.NaN, r1), event(5, 5, r1)])).toEqual([2, "inside-transaction"]);
  });

  test("a transaction larger than is kept goes by its numbers", () => {
    const many = Array.from({ length: 50_000 }, (_, i) => event(i, i + 1, r1, null));
    expect(resolved(many)).toEqual([49_997, null]);
    expect(resolved([...many, event(7, 1, r2)])).toEqual([50_001, "restarted-inside-transaction"]);
  });
});
