import type { ConnectorDuplicates, Replay } from "@/lib/observed/duplicates";
import type { ConnectorCheck } from "../check";
import { clock } from "../clock";
import { duration } from "../duration";
import { failureSentence, known } from "../known";
import { sayer } from "../say";
import type { Evidence, RemedyStep } from "../verdict";
import { overRate } from "./day-rate";
import { causeWords, changesAgain, replayWords, topicPartition } from "./duplicate-words";
import { isOfLastDay, type KnownDuplicates, notKnown, ourConnector, whyNotAll } from "./known-duplicates";
import { smallerWindow } from "./smaller-window";
import { eventCount } from "./window-words";

const say = sayer("replay-happened");
/** Replays told of one by one. */
const SHOWN = 5;

/** What came again, where, when and why: which offsets consumers are to forget. How much that is in all, `duplicates-high` tells. */
export const replayHappened: ConnectorCheck = {
  subject: "connector",
  slug: "replay-happened",
  group: "replay",
  title: "Replay happened",
  looksAt: "Whether changes that consumers had got already were produced again within the last 24 hours.",
  severity: "info",
  judge(facts, limits, now) {
    const ours = ourConnector(say, facts, now);
    if ("outcome" in ours) return ours;
    const seen = facts.duplicates?.value ?? null;
    const replays = (seen?.replays ?? []).filter(({ at }) => isOfLastDay(at, now));
    const fresh = known("duplicates", facts.duplicates ?? null, now);
    // What was measured stays true when nobody can look any more.
    if (seen !== null && replays.length > 0) {
      const found = { ...ours, duplicates: seen };
      return tell(facts.connector, found, replays, {
        now,
        limit: limits.duplicates?.rate ?? null,
        flushMs: facts.window?.value?.flushInterval.ms ?? null,
        stale: fresh.why === undefined ? null : staleness(facts.duplicates, now),
      });
    }
    if (fresh.why !== undefined) return notKnown(say, facts, fresh.why);
    const why = whyNotAll(fresh.value, now);
    return why === null ? say.ok("none", silence(fresh.value)) : say.unknown(why);
  },
};

function tell(
  connector: string,
  { report, config, duplicates }: KnownDuplicates,
  replays: readonly Replay[],
  {
    now,
    limit,
    flushMs,
    stale,
  }: { now: Date; limit: number | null; flushMs: number | null; stale: Evidence | null },
) {
  const [newest] = replays as [Replay];
  const fault = {
    short: `${replays.length} in 24 h`,
    sentence: `${total(replays, duplicates)} The newest began at ${clock(newest.at, now)} in ${topicPartition(newest)}: ${causeWords[newest.cause]}.`,
    evidence: [
      ...replays.slice(0, SHOWN).map((replay) => ({
        label: topicPartition(replay),
        value: replayWords(replay),
        from: `${clock(replay.at, now)}, ${replay.causeWhy}`,
      })),
      ...(replays.length > SHOWN
        ? [
            {
              label: "earlier",
              value: eventCount(replays.length - SHOWN, "more replay"),
              from: "the connector's page lists them",
            },
          ]
        : []),
      ...(stale ? [stale] : []),
    ],
  };
  if (overRate(duplicates, limit) === null) {
    const lessen = smallerWindow(connector, config, [report.connector?.version ?? null], flushMs);
    return say.info({ ...fault, remedy: [forget(replays), ...lessen] });
  }
  // How large a part it is, and what lessens it, that check tells.
  const sentence = `${fault.sentence} Together they are over the set rate: see duplicates-high.`;
  return say.warning({ ...fault, sentence, remedy: [forget(replays)] });
}

/** `450 changes were produced again in the last 24 hours, in 2 replays.` */
function total(replays: readonly Replay[], { replays: all, topics }: ConnectorDuplicates): string {
  const sum = (of: readonly number[]) => of.reduce((total, one) => total + one, 0);
  const inDay = sum(topics.map(({ day }) => day.replays));
  // The list has the newest only: where all of it is of this day, the topics' own figures may tell of more.
  const isCut = all.length === replays.length && inDay > replays.length;
  const listed = sum(replays.map(({ count }) => count));
  const changes = isCut ? Math.max(listed, sum(topics.map(({ day }) => day.duplicates))) : listed;
  const bounds = new Set(replays.map(({ bound }) => bound).filter((bound) => bound !== "exact"));
  const [only] = bounds;
  const again = bounds.size > 1 ? `about ${changesAgain(changes)}` : changesAgain(changes, only);
  const told = `${again} ${changes === 1 ? "was" : "were"} produced again in the last 24 hours`;
  return `${told.charAt(0).toUpperCase()}${told.slice(1)}, ${isCut ? `in ${eventCount(inDay, "replay")}` : whereAll(replays)}.`;
}

/** One restart shows in many partitions, and would be read as many restarts. */
function whereAll(replays: readonly Replay[]): string {
  const places = new Set(replays.map(topicPartition));
  const [run, ...others] = new Set(replays.map(({ runAfter }) => runAfter));
  const isOneStart = others.length === 0 && typeof run === "string" && places.size === replays.length;
  return isOneStart && replays.length > 1
    ? `in ${eventCount(replays.length, "partition")}, all by one start of its tasks`
    : `in ${eventCount(replays.length, "replay")}`;
}

function staleness(observation: Parameters<typeof known>[1] | undefined, now: Date): Evidence | null {
  if (!observation?.trueAt) return null;
  const { trueAt, failure } = observation;
  return {
    label: "last look",
    value: `${duration(now.getTime() - trueAt.getTime())} ago`,
    from: failure ? failureSentence(failure) : null,
  };
}

/** The newest ones again as what consumers are told. */
function forget(replays: readonly Replay[]): RemedyStep {
  const which = replays
    .slice(0, SHOWN)
    .map(
      (replay) =>
        `${topicPartition(replay)} ${replay.firstOffset}${replay.lastOffset === replay.firstOffset ? "" : `–${replay.lastOffset}`}`,
    )
    .join(", ");
  const more = replays.length > SHOWN ? `, and ${replays.length - SHOWN} more on the connector's page` : "";
  return {
    text: `Tell the teams that consume these topics which offsets to forget, where a change twice does harm: ${which}${more}. Between the first and the last offset other records can lie: the list of the connector's page, as CSV or JSON, has each replay with its count and the offsets of the first copies.`,
    command: null,
  };
}

function silence({ topics }: ConnectorDuplicates): string {
  const [unsure] = topics.filter(({ sure }) => sure === "known-starts");
  const without =
    unsure === undefined
      ? ""
      : ` Records of topic ${unsure.topic} carry no run ids (Debezium before 3.4): only restarts that were seen are known there.`;
  return `No change was produced again in the last 24 hours.${without}`;
}
