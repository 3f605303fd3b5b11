import { describe, expect, test } from "vitest";
import { EventScanner } from "@/lib/debezium/events/event-scanner";
import { readRecord } from "@/lib/debezium/events/read-record";
import { type Coverage, coverageOf } from "./coverage";
import { type CoverageCase, capturedCases, madeUpCases } from "./fixtures/read";
import { WindowCount } from "./window-count";

const committedAt = 1_795_957_700_000;

function coverageIn({ type, config, offsets }: CoverageCase): Coverage {
  const prefix = String(offsets[0]?.partition.server ?? offsets[0]?.partition.server_id ?? "p");
  const commits = offsets.map((one) => ({ ...one, committedAt }));
  const { coverage, why } = coverageOf(type, { ...config, "topic.prefix": prefix }, commits);
  if (!coverage) throw new Error(why);
  return coverage;
}

function scannedOne(coverage: Coverage, value: Buffer): EventScanner {
  const scanner = new EventScanner(coverage.fields);
  expect(scanner.scan(value, 0, value.length)).toBe("change");
  return scanner;
}

function changeOf(topic: string, value: string) {
  const reading = readRecord({ key: null, value: Buffer.from(value), headers: [] }, { topic });
  if (reading.kind !== "change") throw new Error(reading.kind);
  return reading;
}

/** A record that lies alone in its buffer. */
function recordOf(offset: number, key: string | null) {
  const bytes = Buffer.from(key ?? "");
  return {
    offset,
    timestamp: committedAt + offset,
    bytes,
    keyStart: key === null ? -1 : 0,
    keyEnd: bytes.length,
  };
}

/** Counts a case's events as one run's, each topic a partition. */
function countedBy(by: "one-run" | "distinct", one: CoverageCase, times = 1) {
  const window = new WindowCount(coverageIn(one));
  const topics = new Map<string, ReturnType<WindowCount["partition"]>>();
  const coverage = coverageIn(one);
  for (let n = 0; n < times; n++)
    for (const [i, { topic, key, value }] of one.events.entries()) {
      const part = topics.get(topic) ?? window.partition(topic, by, 0);
      topics.set(topic, part);
      part.batch(100, 1, `0189ff00-0000-7000-8000-00000000000${n}`);
      part.scanned(scannedOne(coverage, Buffer.from(value)), recordOf(i, key));
    }
  return window.result(null);
}

describe.each([
  ["captured", capturedCases],
  ["made up", madeUpCases],
])("what the committed offset covers, %s", (_, cases) => {
  test.each(cases)("$name", (one) => {
    const coverage = coverageIn(one);
    const scanned = one.events.map(({ value }) =>
      coverage.judge(scannedOne(coverage, Buffer.from(value)), null),
    );
    expect(scanned).toEqual(one.expected);
    const read = one.events.map(({ topic, value }) => coverage.judgeReading(changeOf(topic, value), null));
    expect(read).toEqual(one.expected);
    for (const by of ["one-run", "distinct"] as const) {
      const { events, bound, notes, reReads } = countedBy(by, one);
      expect({ events, bound, reReads }).toEqual({
        events: one.again,
        bound: one.bound,
        reReads: one.reReads,
      });
      const slugs = notes.map(({ slug }) => slug).filter((slug) => slug !== "alike");
      expect(slugs).toEqual(one.again === 0 ? [] : one.notes);
    }
  });
});

test("identities taken from bytes are those of the kind", () => {
  let fast = 0;
  for (const one of [...capturedCases, ...madeUpCases]) {
    const coverage = coverageIn(one);
    for (const { topic, value } of one.events) {
      const scanned = coverage.identity(scannedOne(coverage, Buffer.from(value)), topic, "k");
      const reading = changeOf(topic, value);
      if (reading.op === "r") continue;
      expect(scanned.id).toBe(coverage.identityOfReading(reading, topic, "k").id);
      fast += Number(["postgresql", "mysql", "mariadb"].includes(one.type));
    }
  }
  expect(fast).toBeGreaterThan(20);
});

describe("copies count once", () => {
  test.each(madeUpCases.filter(({ bound, reReads }) => bound === "exact" && reReads === 0))(
    "$name",
    (one) => {
      expect(countedBy("distinct", one, 2).events).toBe(one.again);
    },
  );
});

describe("where there is no place to count from", () => {
  const config = { "topic.prefix": "p" };
  const commit = (offset: CoverageCase["offsets"][0]["offset"]) => [
    { partition: { server: "p" }, offset, committedAt },
  ];

  test.each([
    ["an unknown connector", "unknown", commit({ lsn: 1 }), /not known to Tidemark/],
    ["no offset", "postgresql", [], /No offset is stored/],
    ["a snapshot", "postgresql", commit({ lsn: 1, snapshot: "INITIAL" }), /snapshot is running/],
    ["an offset that cannot be read", "postgresql", commit({ lsn: "abc" }), /cannot be read: lsn is "abc"/],
  ] as const)("%s says why", (_, type, commits, why) => {
    expect(coverageOf(type, config, commits)).toEqual({ why: expect.stringMatching(why) });
  });
});

test("topic.prefix that only the worker can resolve is taken from the source partition", () => {
  const partition = { server: "shop" };
  const reference = ["$", "{file:/x:prefix}"].join("");
  const offset = { lsn: 5, lsn_commit: 5, messageType: "COMMIT" };
  const { coverage } = coverageOf("postgresql", { "topic.prefix": reference }, [
    { partition, offset, committedAt },
  ]);
  expect(coverage?.prefix).toBe("shop");
});
