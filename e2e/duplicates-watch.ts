import { setTimeout as sleep } from "node:timers/promises";
import type { PartitionTruth } from "@/lab/deliveries";
import type { Lab } from "@/lab/lab";
import type { LogReader } from "@/lib/kafka/log/log-reader";
import { type Compared, differences } from "./duplicates-compare";
import { type Counter, openCounter, scanDifferences } from "./duplicates-counted";
import { type Finder, openFinder } from "./duplicates-found";
import { keepFigures } from "./figures";
import { openLosses } from "./losses";

/** What one event left. */
export interface Outcome {
  event: string;
  /** Copies that came since the event before, by connector. */
  fresh: Record<string, number>;
  /** Rows that snapshots read, since the event before. */
  reReads: number;
  /** Differences between what is found and the truth that no event before had. */
  differences: string[];
}

/** Holds what is found against the truth, after each event. */
export interface DuplicatesWatch {
  /**
   * Does something to the lab while its writers write, waits until it runs again, and compares. `all`: with what is
   * found by looks and scans of everything there is.
   */
  event(name: string, work: () => Promise<void>, all?: boolean): Promise<Outcome>;
}

const PATIENCE_MS = 240_000;

/** @param wholeEach at every which event all is measured from the first record too, which takes the longer the more there is */
export function openDuplicatesWatch(lab: Lab, log: LogReader, wholeEach = 1): DuplicatesWatch {
  const deliveries = lab.deliveries();
  const finder = openFinder(log);
  const losses = openLosses(lab);
  const counter = openCounter(log);
  const known = new Set<string>();
  let events = 0;
  let reReads = 0;
  let copies: Record<string, number> = {};

  async function compare(event: string, began: number, all: boolean): Promise<Outcome> {
    const truths = await deliveries.read();
    events += 1;
    const hows = all || events % wholeEach === 0 ? (["watched", "whole"] as const) : (["watched"] as const);
    const counted = await countedLooks(counter, truths);
    const looks = [...counted, ...(await foundLooks(finder, truths, hows))];
    const told = looks.flatMap((look) => differences(look).map((one) => `${look.how}: ${one}`));
    if (hows.length > 1) told.push(...(await scannedDifferences(truths)));
    const news = told.filter((one) => !known.has(one));
    for (const one of news) known.add(one);
    const fresh = copiesByConnector(truths);
    for (const [connector, count] of Object.entries(copies))
      fresh[connector] = (fresh[connector] ?? 0) - count;
    copies = copiesByConnector(truths);
    const seconds = Math.round((Date.now() - began) / 1_000);
    keepOutcome({ event, seconds }, truths, fresh, looks, news);
    await losses.tell(event, deliveries.missing());
    const read = truths.reduce((sum, one) => sum + one.reReads, 0);
    const before = reReads;
    reReads = read;
    return { event, fresh, reReads: read - before, differences: news };
  }

  /** By topic, as a scan of all of it. */
  async function scannedDifferences(truths: readonly PartitionTruth[]): Promise<string[]> {
    const told: string[] = [];
    for (const topic of new Set(truths.map((one) => one.topic))) {
      const own = truths.filter((one) => one.topic === topic);
      told.push(...(await scanDifferences(log, await counter.count(topic, own), own)));
    }
    return told;
  }

  return {
    async event(name, work, all = false) {
      const began = Date.now();
      await work();
      await lab.waitRunning(PATIENCE_MS);
      await deliveries.takeDown();
      await lab.settled(PATIENCE_MS);
      // The last flush of the producer.
      await sleep(500);
      return compare(name, began, all);
    },
  };
}

interface Looked extends Compared {
  /** `counted`: every record read. `whole`: from the first record. `watched`: what is new, after each event. */
  how: "counted" | "whole" | "watched";
  bytesRead: number;
}

async function countedLooks(counter: Counter, truths: readonly PartitionTruth[]): Promise<Looked[]> {
  const looks: Looked[] = [];
  for (const topic of new Set(truths.map((one) => one.topic))) {
    const own = truths.filter((one) => one.topic === topic);
    const { replays, notMeasurable } = await counter.count(topic, own);
    for (const truth of own) {
      const ofPartition = replays.filter(({ partition }) => partition === truth.partition);
      const found = { to: truth.end, replays: ofPartition, falls: [], notMeasurable };
      looks.push({ how: "counted", truth, found, bytesRead: 0 });
    }
  }
  return looks;
}

async function foundLooks(
  finder: Finder,
  truths: readonly PartitionTruth[],
  hows: readonly ("whole" | "watched")[],
): Promise<Looked[]> {
  const looks: Looked[] = [];
  for (const truth of truths)
    for (const how of hows) {
      const found = await finder[how](truth);
      looks.push({ how, truth, found, bytesRead: found.bytesRead });
    }
  return looks;
}

function copiesByConnector(truths: readonly PartitionTruth[]): Record<string, number> {
  const copies: Record<string, number> = {};
  for (const truth of truths) {
    const connector = connectorOf(truth.topic);
    copies[connector] = (copies[connector] ?? 0) + truth.copies.length;
  }
  return copies;
}

function keepOutcome(
  event: { event: string; seconds: number },
  truths: readonly PartitionTruth[],
  fresh: Record<string, number>,
  looks: readonly Looked[],
  news: readonly string[],
): void {
  const watched = looks.filter(({ how }) => how === "watched");
  const count = (of: (look: Looked) => number) => watched.reduce((sum, look) => sum + of(look), 0);
  keepFigures("events", {
    ...event,
    ...Object.fromEntries(Object.entries(fresh).map(([name, n]) => [`new duplicates of ${name}`, n])),
    "duplicates so far": truths.reduce((sum, { copies }) => sum + copies.length, 0),
    found: count(({ found }) => found.replays.reduce((sum, one) => sum + one.count, 0)),
    "in stretches": truths.reduce((sum, { stretches }) => sum + stretches.length, 0),
    replays: count(({ found }) => found.replays.length),
    records: truths.reduce((sum, { end }) => sum + end, 0),
    "re-reads": truths.reduce((sum, one) => sum + one.reReads, 0),
    "MB read to find them": Math.round(count(({ bytesRead }) => bytesRead) / 1e5) / 10,
    differences: news.length,
  });
  for (const one of news) keepFigures("differences", { event: event.event, what: one.replaceAll("|", "/") });
}

function connectorOf(topic: string): string {
  return topic.startsWith("shop.") ? "orders-cdc" : "inventory-cdc";
}
