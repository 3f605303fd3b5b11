import type { JudgedConnector } from "@/lib/checks/judged";
import type { ConnectorDuplicates, ScanResult } from "@/lib/observed/duplicates";
import type { Failure, Look } from "@/lib/observed/observation";
import type { Database } from "@/lib/store/database";
import { readReplays, replaysKeptMs, sumReplays } from "@/lib/store/replays";
import type { ClusterDuplicates, StoredSums } from "./cluster-duplicates";
import { noReplays, topicFigures } from "./connector-figures";
import type { Ends } from "./take-ends";
import { changeTopics } from "./topic-watch";

const DAY_MS = 24 * 3_600_000;
/** Sums of the last 24 hours are read anew this often, milliseconds. */
const DAY_EVERY_MS = 60_000;
/** Replays in a connector's part, the newest: the store has the others. */
const NEWEST = 20;

/**
 * What is known of one connector, from how far its topics were measured and from the replays that are stored.
 * @param scans of the cluster's topics, where they are scanned
 * @param now milliseconds since 1970
 * @throws DatabaseUnavailable
 */
export async function connectorPart(
  known: JudgedConnector,
  duplicates: ClusterDuplicates,
  { ends, scans }: { ends: Ends; scans: ReadonlyMap<string, ScanResult> },
  db: Database,
  now: number,
): Promise<Look<ConnectorDuplicates>> {
  const names = changeTopics(known);
  if (names === null) return { failure: known.topics?.failure ?? notListed };
  const sums = await sumsOf(known, duplicates, db, now);
  const partitions = [...duplicates.partitionsOf(known.connector).values()];
  const topics = names.map((topic) => {
    const look = ends.get(topic) ?? null;
    const failed = look !== null && "kind" in look ? look : null;
    const ofTopic = partitions.filter((kept) => kept.topic === topic);
    return topicFigures({
      topic,
      topicId: look !== null && !("kind" in look) ? look.topicId : null,
      failure: failed ?? ofTopic.find(({ failure }) => failure !== null)?.failure ?? null,
      partitions: ofTopic,
      sums: sums.all.get(topic) ?? noReplays,
      daySums: sums.day.get(topic) ?? noReplays,
      scan: scans.get(topic) ?? null,
    });
  });
  return { value: { topics, replays: sums.newest } };
}

const endOfTime = new Date("9999-12-31T00:00:00Z");

const notListed: Failure = {
  kind: "not-supported",
  sentence: "the topics of this connector are not known yet",
  remedy: null,
};

async function sumsOf(
  { cluster, connector }: JudgedConnector,
  duplicates: ClusterDuplicates,
  db: Database,
  now: number,
): Promise<StoredSums> {
  const known = duplicates.sums.get(connector);
  const none = known !== undefined && known.all.size === 0;
  if (known && (none || now - known.readAt < DAY_EVERY_MS)) return known;
  const of = { cluster, connector };
  // Workers' clocks can be ahead of ours, and timestamps be no time at all.
  const to = endOfTime;
  const kept = { from: new Date(now - replaysKeptMs), to };
  const all = await sumReplays(db, of, kept);
  const sums: StoredSums = {
    all,
    day: all.size === 0 ? all : await sumReplays(db, of, { from: new Date(now - DAY_MS), to }),
    newest: all.size === 0 ? [] : await readReplays(db, of, kept, NEWEST),
    readAt: now,
  };
  duplicates.sums.set(connector, sums);
  return sums;
}
