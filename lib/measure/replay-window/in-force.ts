import { canonicalJson } from "@/lib/debezium/canonical-json";
import type { ConnectorConfig } from "@/lib/debezium/config";
import type { ConnectorType } from "@/lib/debezium/connector-type";
import { type JsonObject, parseJsonObject } from "@/lib/debezium/json";
import { isDecoded, positionKinds } from "@/lib/debezium/positions/kinds";
import { snapshotWindow } from "@/lib/debezium/positions/snapshot-window";
import { usedPartitions } from "@/lib/debezium/used-partition";
import type { CommitHistory, OffsetCommit } from "@/lib/observed/commits";
import type { StoredOffsets } from "@/lib/observed/connector";
import type { Failure } from "@/lib/observed/observation";
import { isConfigured, topicsOfDatabases } from "./database-topics";

/** The newest commit of one source partition that a start would read. Times in milliseconds since 1970. */
export interface InForceCommit {
  partition: JsonObject;
  /** The source partition as canonical JSON text. */
  partitionText: string;
  offset: JsonObject;
  /** The offset record's own timestamp; null: REST does not tell. */
  committedAt: number | null;
  /** `committedAt` of the commit before it, of the same source partition; null: not at hand. */
  before: number | null;
  /** When the source made the last change that the offset covers, rounded down; null: the offset does not tell. */
  sourceAt: number | null;
  /** A snapshot is under way that a start would begin again: an initial or a blocking one. */
  snapshot: boolean;
}

/** What counts as committed for one topic. Times in milliseconds since 1970, each null where it is not known or not valid. */
export interface TopicCommit {
  /** Null: several count, by the oldest of them. */
  commit: InForceCommit | null;
  committedAt: number | null;
  /** Never later than `committedAt`: a source whose clock is ahead tells nothing of when its changes were sent. */
  sourceAt: number | null;
  before: number | null;
  /** Some of the topic's records may be covered by a newer commit than this. */
  atMost: boolean;
  /** Why `committedAt` is null, one sentence; null when it is not. */
  why: string | null;
}

/** The commits that count, and what they mean for the window. */
export interface InForce {
  /** `no-commit`: a start would be the first. `snapshot`: a start would begin a snapshot again. `unknown`: see `why`. */
  kind: "streaming" | "snapshot" | "no-commit" | "unknown";
  /** One sentence; null while streaming. */
  why: string | null;
  /** Of used source partitions only, never of those that are left over. */
  commits: InForceCommit[];
  /** Which commit counts for the records of a topic. */
  forTopic(topic: string): TopicCommit;
}

/**
 * The commits that a start would go on from, out of all that is stored.
 *
 * @param history for the commits before the newest, and for the time of one that only REST told; null: not at hand
 * @param whyNoHistory why the offset topic, which tells the times, could not be read; null: not known
 */
export function commitsInForce(
  type: ConnectorType,
  config: ConnectorConfig,
  offsets: StoredOffsets,
  history: CommitHistory | null,
  whyNoHistory: Failure | null = null,
): InForce {
  if (!isDecoded(type)) return notKnown("offsets of this kind of connector are not known to Tidemark");
  const stored: Stored[] = [];
  for (const one of offsets.offsets) {
    const [partition, offset] = [parseJsonObject(one.partition), parseJsonObject(one.offset)];
    if (!partition || !offset) return notKnown("a stored offset is not a JSON map");
    stored.push({ partition, offset, committedAt: timeOf(one.committedAt ?? null) });
  }
  const usages = usedPartitions(
    type,
    config,
    stored.map((s) => s.partition),
  );
  const unsure = usages.find(({ used, why }) => !used && why?.startsWith("not known"));
  if (unsure?.why) return notKnown(`which source partition counts is ${unsure.why}`);
  const commits = stored
    .filter(({ partition }, i) => usages[i]?.used && isConfigured(type, config, partition))
    // An empty map marks a partition token of Spanner that has ended: nothing of it is sent again.
    .filter(({ offset }) => type !== "spanner" || Object.keys(offset).length > 0)
    .map((one) => commitOf(type, one, history));
  if (commits.length === 0) return noCommit(stored, history);
  return {
    ...stateOf(type, commits),
    commits,
    forTopic: finder(type, config, commits, whyNoTimes(whyNoHistory)),
  };
}

interface Stored {
  partition: JsonObject;
  offset: JsonObject;
  committedAt: number | null;
}

function commitOf(type: ConnectorType, stored: Stored, history: CommitHistory | null): InForceCommit {
  const { partition, offset } = stored;
  const partitionText = canonicalJson(partition);
  const past = history?.partitions.find((p) => p.partition === partitionText)?.commits ?? [];
  const committedAt = stored.committedAt ?? timeInHistory(past, offset);
  const snapshot = snapshotWindow(type, offset) === "begins-again";
  // While a snapshot runs, its offset holds the time of the rows' reading, not of a change.
  const micros = snapshot ? null : positionKinds[type].sourceTime(offset);
  return {
    partition,
    partitionText,
    offset,
    committedAt,
    before: timeBefore(past, committedAt),
    sourceAt: micros === null ? null : Number(micros / 1_000n),
    snapshot,
  };
}

/** REST tells no time, but where the newest commit in the topic stores the same offset, it is that one. */
function timeInHistory(past: readonly OffsetCommit[], offset: JsonObject): number | null {
  const newest = past.at(-1);
  if (!newest || newest.offset === null) return null;
  const same = parseJsonObject(newest.offset);
  return same && canonicalJson(same) === canonicalJson(offset) ? timeOf(newest.at) : null;
}

/** Null too where the record before deleted what was stored: nothing was in force then. */
function timeBefore(past: readonly OffsetCommit[], committedAt: number | null): number | null {
  if (committedAt === null) return null;
  const before = past.findLast((commit) => Date.parse(commit.at) < committedAt);
  return before && before.offset !== null ? timeOf(before.at) : null;
}

function stateOf(type: ConnectorType, commits: readonly InForceCommit[]): Pick<InForce, "kind" | "why"> {
  for (const { offset, partitionText } of commits) {
    const where = commits.length > 1 ? ` (source partition ${partitionText})` : "";
    if (Object.keys(offset).length === 0)
      return { kind: "unknown", why: `the stored offset is an empty map: it holds no position${where}` };
    if (snapshotWindow(type, offset) === "unknown")
      return {
        kind: "unknown",
        why: `the stored offset does not tell whether a snapshot is running${where}`,
      };
  }
  const running = commits.find((commit) => commit.snapshot);
  if (!running) return { kind: "streaming", why: null };
  const where = commits.length > 1 ? ` of source partition ${running.partitionText}` : "";
  return { kind: "snapshot", why: `a snapshot${where} is running, and a start would begin it again` };
}

function noCommit(stored: readonly Stored[], history: CommitHistory | null): InForce {
  const deleted = history?.partitions.flatMap(({ commits }) => commits.at(-1) ?? []) ?? [];
  const last = deleted.filter(({ offset }) => offset === null).map(({ at }) => at);
  const why =
    stored.length > 0
      ? `the stored ${stored.length === 1 ? "offset belongs" : "offsets belong"} to source partitions that this configuration does not read: a start would be its first`
      : last.length > 0
        ? `the stored offset was deleted (${last.sort().at(-1)}): a start would be its first`
        : "no offset is stored: a start would be its first";
  return { kind: "no-commit", why, commits: [], forTopic: () => nothing(why) };
}

/** @param why it is not known what is committed, one sentence */
export function notKnown(why: string): InForce {
  return { kind: "unknown", why, commits: [], forTopic: () => nothing(why) };
}

const nothing = (why: string): TopicCommit => ({
  commit: null,
  committedAt: null,
  sourceAt: null,
  before: null,
  atMost: false,
  why,
});

function finder(
  type: ConnectorType,
  config: ConnectorConfig,
  commits: readonly InForceCommit[],
  whyNoTime: string,
): InForce["forTopic"] {
  if (type === "spanner") return () => byNewest(commits, whyNoTime);
  const databases = type === "sqlserver" ? topicsOfDatabases(config, commits) : null;
  return (topic) => {
    const owner = databases?.(topic) ?? null;
    if (owner && "missing" in owner)
      return nothing(`no offset is stored for database ${owner.missing}: a start would be its first`);
    return byOldest(owner ? [owner.commit] : commits, whyNoTime);
  };
}

/** Partition tokens that Spanner has ended stay stored with old times: only the newest says what is sure to be uncovered. */
function byNewest(commits: readonly InForceCommit[], whyNoTime: string): TopicCommit {
  const times = commits.flatMap(({ committedAt }) => committedAt ?? []);
  const committedAt = times.length > 0 ? Math.max(...times) : null;
  const commit = commits.length === 1 ? (commits[0] ?? null) : null;
  const why = committedAt === null ? whyNoTime : null;
  return { commit, committedAt, sourceAt: null, before: null, atMost: false, why };
}

function whyNoTimes(failure: Failure | null): string {
  const lack =
    "Connect's REST API does not tell when an offset was committed; its offset topic, which does, was not read";
  if (failure === null) return lack;
  return `${lack}: ${failure.sentence}${failure.remedy === null ? "" : `. ${failure.remedy}`}`;
}

function byOldest(commits: readonly InForceCommit[], whyNoTime: string): TopicCommit {
  const committedAt = oldest(commits.map((c) => c.committedAt));
  const sourceAt = oldest(commits.map((c) => c.sourceAt));
  return {
    commit: commits.length === 1 ? (commits[0] ?? null) : null,
    committedAt,
    sourceAt: committedAt !== null && sourceAt !== null && sourceAt > committedAt ? null : sourceAt,
    before: oldest(commits.map((c) => c.before)),
    // One flush writes all partitions at one time: then there is no newer commit that covers more.
    atMost: new Set(commits.map((c) => c.committedAt)).size > 1,
    why: committedAt === null ? whyNoTime : null,
  };
}

/** Null as soon as one is not known: it could be the oldest. */
function oldest(times: readonly (number | null)[]): number | null {
  const known = times.filter((time) => time !== null);
  return known.length === times.length && known.length > 0 ? Math.min(...known) : null;
}

function timeOf(iso: string | null): number | null {
  const time = iso === null ? Number.NaN : Date.parse(iso);
  return Number.isNaN(time) ? null : time;
}
