import type { ConnectorDuplicates, Replay, ScanResult, TopicDuplicates } from "@/lib/observed/duplicates";
import { ago } from "./facts";

const tableTopic = "inv.inventory.products";

/** 400 changes of 20 minutes ago, after a crash. */
export function replay(more: Partial<Replay> = {}): Replay {
  const { topic = tableTopic, partition = 0, firstOffset = 1_200 } = more;
  return {
    id: `${topic}/${partition}/${firstOffset}`,
    cluster: "lab",
    connector: "inventory-cdc",
    topic,
    topicId: null,
    partition,
    firstOffset,
    lastOffset: 1_649,
    count: 400,
    bound: "exact",
    firstPosition: "0-223344-20",
    lastPosition: "0-223344-419",
    firstCopyOf: 700,
    lastCopyOf: 1_149,
    runBefore: null,
    runAfter: null,
    writer: "inv",
    at: ago(1_200).toISOString(),
    until: ago(1_190).toISOString(),
    evidence: "run-id",
    causeInLog: null,
    cause: "crash",
    causeWhy: "the worker left the group without a commit",
    restart: null,
    ...more,
  };
}

/** 100,000 records of a topic, measured whole, with nothing in them. */
export function topicDuplicates(more: Partial<TopicDuplicates> = {}): TopicDuplicates {
  return {
    topic: tableTopic,
    topicId: null,
    from: ago(7 * 86_400).toISOString(),
    to: ago(2).toISOString(),
    records: 100_000,
    behind: 0,
    duplicates: 0,
    replays: 0,
    day: { records: 20_000, duplicates: 0, replays: 0 },
    sure: "complete",
    uncommittedCopies: 0,
    notMeasurable: [],
    falls: [],
    scan: null,
    ...more,
  };
}

export function scanResult(more: Partial<ScanResult> = {}): ScanResult {
  return {
    topic: tableTopic,
    from: ago(7 * 86_400).toISOString(),
    to: ago(600).toISOString(),
    records: 100_000,
    events: 90_000,
    duplicates: 0,
    rate: 0,
    interval: [0, 0.0001],
    sampled: 90_000,
    share: 1,
    reReads: 0,
    snapshotOverlap: 0,
    keyOrderViolations: 0,
    uncommittedCopies: 0,
    violations: [],
    notMeasurable: [],
    bytesRead: 60_000_000,
    ...more,
  };
}

/** A connector with one topic, and these replays in it. */
export function connectorDuplicates(
  replays: readonly Replay[] = [],
  ...topics: readonly Partial<TopicDuplicates>[]
): ConnectorDuplicates {
  const duplicates = replays.reduce((sum, { count }) => sum + count, 0);
  const found = { duplicates, replays: replays.length };
  const whole = topicDuplicates({ ...found, day: { records: 100_000, ...found } });
  return {
    topics: topics.length === 0 ? [whole] : topics.map((topic) => ({ ...whole, ...topic })),
    replays: [...replays],
  };
}
