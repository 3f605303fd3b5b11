import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "@/lib/debezium/json";
import { mostProbes } from "@/lib/measure/replay-window/place-search";
import { countByPosition, type PositionCount } from "./count-by-position";
import { inForceOf } from "./testing/made-up-events";
import {
  madeAt,
  mariadbOffset,
  mariadbValue,
  offsetAt,
  type Played,
  plans,
  play,
  postgresOffset,
  postgresValue,
  topic,
  trulyUncovered,
} from "./testing/pipeline-model";

const config = { "connector.class": "x", "topic.prefix": "shop" };

async function counted(
  type: "postgresql" | "mariadb",
  played: Played,
  offset: JsonObject,
  sourceAt: number | null,
): Promise<PositionCount> {
  const partitions = [0, 1, 2, 3].map((partition) => {
    const to = played.log.of(topic, partition).end;
    const guess = offsetAt(played, partition, played.committedAt + 1);
    const from = sourceAt === null ? Math.max(0, guess - 300) : offsetAt(played, partition, sourceAt);
    return {
      topic,
      partition,
      topicId: null,
      from: Math.min(from, to),
      guess,
      to,
      trusted: sourceAt !== null,
    };
  });
  const look = await countByPosition(played.log.reader(), {
    type,
    config,
    inForce: inForceOf(type, config, [{ partition: { server: "shop" }, offset }], played.committedAt),
    isolation: "read_uncommitted",
    partitions,
    maxBytes: Number.POSITIVE_INFINITY,
  });
  if (look.failure) throw new Error(look.failure.sentence);
  return look.value;
}

const tombstonesOf = (played: Played) => trulyUncovered(played).filter(({ op }) => op === "d").length;

describe("counted by position is what the full list tells, over runs, crashes, replays and commits", () => {
  test.each([
    ["small logs", 12, 200],
    ["long logs", 400, 25],
  ] as const)("PostgreSQL, %s", async (_, size, numRuns) => {
    await fc.assert(
      fc.asyncProperty(plans(size), async (plan) => {
        const played = play(plan, postgresValue);
        const change = played.changes[played.covered];
        const sourceAt = change ? madeAt(change) : null;
        const { count } = await counted(
          "postgresql",
          played,
          postgresOffset(played, plan.boundary),
          sourceAt,
        );
        expect(count.events).toBe(trulyUncovered(played).length);
        expect(count.tombstones).toBe(tombstonesOf(played));
        expect(count.probes).toBeLessThanOrEqual(mostProbes);
        expect(count.bound).toBe(count.events === 0 ? "exact" : "at-most");
        expect(count.notes.map(({ slug }) => slug)).toEqual(count.events === 0 ? [] : ["slot-may-be-ahead"]);
      }),
      { numRuns },
    );
  });

  test("PostgreSQL, where the offset tells no source time and the search begins too late", async () => {
    await fc.assert(
      fc.asyncProperty(plans(400), async (plan) => {
        const played = play(plan, postgresValue);
        const { count } = await counted("postgresql", played, postgresOffset(played, plan.boundary), null);
        const sure = count.bound === "exact" || count.bound === "at-most";
        const truth = trulyUncovered(played).length;
        if (sure) expect(count.events).toBe(truth);
        else expect(count.events).toBeLessThanOrEqual(truth);
        expect(count.probes).toBeLessThanOrEqual(mostProbes);
      }),
      { numRuns: 25 },
    );
  });

  test.each([
    ["with transaction metadata", true],
    ["without", false],
  ])("MariaDB, %s", async (_, metadata) => {
    await fc.assert(
      fc.asyncProperty(plans(20), async (plan) => {
        const played = play(
          plan,
          metadata
            ? mariadbValue
            : (change) => mariadbValue(change, 0).replace(/"transaction":\{[^}]*\}/, '"transaction":null'),
        );
        const change = played.changes[played.covered];
        const sourceAt = change ? Math.floor(madeAt(change) / 1_000) * 1_000 : null;
        const offset = mariadbOffset(played, plan.boundary, metadata);
        const { count } = await counted("mariadb", played, offset, sourceAt);
        const truth = trulyUncovered(played).length;
        expect(count.events).toBeGreaterThanOrEqual(truth);
        if (count.bound === "exact") expect(count.events).toBe(truth);
        else
          expect(count.notes.map(({ slug }) => slug)).toEqual([expect.stringMatching(/inside-transaction$/)]);
        // What is not told is of one transaction.
        expect(count.events).toBeLessThanOrEqual(truth + 5);
      }),
      { numRuns: 200 },
    );
  });
});
