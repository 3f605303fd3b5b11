import type { JudgedConnector } from "@/lib/checks/judged";
import type { BrokerProbe, ClusterProbe } from "@/lib/collect/cluster-probe";
import { inTurn } from "@/lib/collect/in-turn";
import { storedNowhere } from "@/lib/collect/offset-topic/commit-store";
import { openOffsetTopics } from "@/lib/collect/offset-topic/offset-topics";
import { partsOf } from "@/lib/collect/offset-topic-loop";
import { countMoved } from "@/lib/collect/replay-window/count-moved";
import { lookAtFleet } from "@/lib/collect/replay-window/fleet-look";
import { FlushIntervals } from "@/lib/collect/replay-window/flush-intervals";
import { LogStarts } from "@/lib/collect/replay-window/log-starts";
import { type Measured, measureByTime } from "@/lib/collect/replay-window/measured";
import { lookAtNewestBatches } from "@/lib/collect/replay-window/newest-batches";
import { questionOf, sharedTopics, targetOf } from "@/lib/collect/replay-window/target";
import { toWindow } from "@/lib/collect/replay-window/to-window";
import { newMemory, type WindowMemory } from "@/lib/collect/replay-window/window-memory";
import { findTopics } from "@/lib/collect/topics-loop";
import { isDebezium } from "@/lib/debezium/connector-type";
import type { ConnectorReport } from "@/lib/observed/connector";
import { type Failure, observe } from "@/lib/observed/observation";
import type { ReplayWindow } from "@/lib/observed/replay-window";
import { asSentence } from "@/lib/views/format";
import { CannotLookError } from "./cannot-look";

/** Connectors asked about at a time. */
const AT_ONCE = 4;
/** An offset topic is read to its end, however long: nobody comes back for the rest. Milliseconds. */
const LONGEST_READ_MS = 3_600_000;

export interface ReplayLooker {
  cluster: string;
  /** clusters[].offsetTopic */
  offsetTopic: string | null;
  probe: ClusterProbe;
  brokers: BrokerProbe;
  /** Told what is being done now, for who waits. */
  stage: (text: string) => void;
}

/** One connector, measured once. */
export interface MeasuredOnce {
  known: JudgedConnector;
  window: ReplayWindow;
  /** What the brokers said of each of its topics. */
  looks: Measured["looks"];
  /** Names of its topics that carry no changes. */
  ownTopics: ReadonlySet<string>;
}

/**
 * The replay window of one connector by the code of the collector's loop, from one look and with no database.
 * @param reports all connectors of the cluster, the one asked for among them
 * @throws CannotLookError where its topics or the brokers cannot be seen
 */
export async function lookAtReplay(
  looker: ReplayLooker,
  connector: string,
  reports: readonly ConnectorReport[],
): Promise<MeasuredOnce> {
  looker.stage("asking Kafka Connect for topics");
  const all = await withTopics(looker, reports);
  looker.stage("reading the offset topic");
  const offsets = await withOffsets(looker, connector, all);
  const known = offsets.find((c) => c.connector === connector);
  if (!known) throw new CannotLookError(`there is no connector "${connector}".`);
  return measure(looker, known, offsets);
}

/** Change connectors with their topics: others may write to the same. */
function withTopics(
  { cluster, probe }: ReplayLooker,
  reports: readonly ConnectorReport[],
): Promise<JudgedConnector[]> {
  const ours = reports.filter((r) => isDebezium(r.config?.["connector.class"]));
  return inTurn(ours, AT_ONCE, async (report) => {
    const look = await findTopics(probe, report.name, report.config ?? {});
    const now = new Date();
    return {
      cluster,
      connector: report.name,
      report: observe(null, { value: report }, now),
      // One look does not tell since when.
      times: { connector: null, tasks: [] },
      offsets: null,
      commits: null,
      window: null,
      topics: observe(null, look, now),
      ends: null,
      history: null,
      firstSeenAt: now,
      missingSince: null,
      judgedAt: null,
      verdicts: [],
    };
  });
}

/**
 * The commits of the one asked for and of those that share its offset topic, whose commits tell of the same flushes. Where
 * the topic cannot be followed, Connect's answer stands, without times.
 */
async function withOffsets(
  { offsetTopic, probe, brokers }: ReplayLooker,
  connector: string,
  all: readonly JudgedConnector[],
): Promise<JudgedConnector[]> {
  const topics = openOffsetTopics({
    named: offsetTopic,
    brokers,
    readOffsets: probe.readOffsets,
    store: storedNowhere,
    longestPollMs: LONGEST_READ_MS,
  });
  // After opening: an offset topic of its own is compared with an answer that is newer.
  const asked = await inTurn(all, AT_ONCE, async (known) => {
    if (known.connector !== connector) return known;
    return { ...known, offsets: observe(null, await probe.readOffsets(connector), new Date()) };
  });
  const told = await topics.look(
    asked.filter((c) => c.connector === connector || !hasOwnTopic(c)),
    new Set(all.map((c) => c.connector)),
  );
  return asked.map((known) => {
    const look = told.get(known.connector);
    return look ? { ...known, ...partsOf(known, look, new Date()) } : known;
  });
}

const hasOwnTopic = ({ report }: JudgedConnector) =>
  Boolean(report.value?.config?.["offsets.storage.topic"]?.trim());

async function measure(
  { brokers, stage }: ReplayLooker,
  known: JudgedConnector,
  all: readonly JudgedConnector[],
): Promise<MeasuredOnce> {
  const memory = newMemory(null, null);
  const flush = new FlushIntervals();
  flush.gather(
    all.map((c) => c.commits?.value ?? null),
    Date.now(),
  );
  const { signal } = new AbortController();
  const shared = sharedTopics(all);
  stage("reading the newest batches");
  // What they tell, such as transactions, the second look needs to know.
  const first = await byTimeOf(brokers, known, memory, shared);
  await lookAtNewestBatches(brokers.log, [first.measured], 1, signal);
  // Asked for again: it is counted once, and from this look.
  memory.logStarts = new LogStarts();
  const { at, measured } = await byTimeOf(brokers, known, memory, shared);
  stage("counting by position");
  await countMoved(brokers.log, [measured], 2, at, signal);
  const interval = flush.of(memory, known.commits?.value ?? null);
  return {
    known,
    window: toWindow(measured, interval, 2, at),
    looks: measured.looks,
    ownTopics: new Set(measured.target.topics.flatMap(({ topic, own }) => (own ? [topic] : []))),
  };
}

async function byTimeOf(
  brokers: BrokerProbe,
  known: JudgedConnector,
  memory: WindowMemory,
  shared: ReadonlySet<string>,
): Promise<{ at: Date; measured: Measured }> {
  const target = targetOf(known, memory, shared);
  if (target.failure !== undefined) throw cannot(target.failure);
  const at = new Date();
  const fleet = await lookAtFleet(brokers, [questionOf(target.value)]);
  if (fleet.failure !== undefined) throw cannot(fleet.failure);
  const looks = fleet.value.get(known.connector) ?? new Map();
  return { at, measured: measureByTime(target.value, memory, looks) };
}

/** A failure as the end of a look. */
export function cannot({ sentence, remedy }: Failure): CannotLookError {
  return new CannotLookError([sentence, remedy ?? ""].map(asSentence).join(" ").trim());
}
