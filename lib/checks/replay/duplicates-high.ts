import type { ConnectorDuplicates, ReplayCause } from "@/lib/observed/duplicates";
import type { ConnectorCheck } from "../check";
import { sayer } from "../say";
import type { Evidence, RemedyStep, Verdict } from "../verdict";
import { type DayRate, overRate, rateOfAll, topicsOver } from "./day-rate";
import { causeWords, percent } from "./duplicate-words";
import { isOfLastDay, type KnownDuplicates, knownDuplicates, whyNotAll } from "./known-duplicates";
import { smallerWindow } from "./smaller-window";
import { eventCount } from "./window-words";

const say = sayer("duplicates-high");

/** How large a part of all that is, beside the limit, and what lessens it. Which records they are, `replay-happened` tells. */
export const duplicatesHigh: ConnectorCheck = {
  subject: "connector",
  slug: "duplicates-high",
  group: "replay",
  title: "Many duplicates",
  looksAt: "How large a part of the records of the last 24 hours consumers had got before.",
  severity: "warning",
  judge(facts, limits, now) {
    const known = knownDuplicates(say, facts, now);
    if ("outcome" in known) return known;
    const limit = limits.duplicates?.rate ?? null;
    if (limit === null) return say.notApplicable("No limit is set for the rate of duplicates.");
    const { duplicates } = known;
    const over = overRate(duplicates, limit);
    const why = whyNotAll(duplicates, now) ?? recordsNotKnown(duplicates);
    if (over !== null) return high(facts.connector, known, over, limit, { isPart: why !== null, now });
    return why === null ? say.ok("within limits", silence(limit)) : say.unknown(why);
  },
};

/** Constant while all is well: a finding that closed is not written anew with each look. */
const silence = (limit: number) =>
  `Of the records of the last 24 hours no more than ${percent(limit)} came twice.`;

function recordsNotKnown({ topics }: ConnectorDuplicates): string | null {
  const blind = topics.find(({ day }) => day.records === null);
  return blind ? `How many records came into topic ${blind.topic} in the last 24 hours is not known.` : null;
}

function high(
  connector: string,
  { report, config, duplicates }: KnownDuplicates,
  over: DayRate,
  limit: number,
  { isPart, now }: { isPart: boolean; now: Date },
): Verdict {
  const where = over.topic === null ? "" : ` of topic ${over.topic}`;
  const rate = `${isPart ? "at least " : ""}${percent(over.rate)}`;
  return say.warning({
    short: rate,
    sentence: `Consumers got ${rate} of the records${where} of the last 24 hours twice, more than the limit of ${percent(limit)}.${mostly(duplicates, now)}`,
    evidence: evidenceOf(duplicates, limit),
    remedy: [
      ...often(mainCause(duplicates, now)),
      ...smallerWindow(connector, config, [report.connector?.version ?? null], null),
      {
        text: "Have consumers bear a change twice: write by key and keep the newest position (source.lsn, source.gtid with file, pos and row), or remember what was acted on.",
        command: null,
      },
      {
        text: "Or, if so many twice harm nobody, raise the limit: checks.duplicates.rate in the settings.",
        command: null,
      },
    ],
  });
}

/** The cause behind more than half of what came again in the last 24 hours; null where there is none. */
function mainCause({ replays }: ConnectorDuplicates, now: Date): ReplayCause | null {
  const counts = new Map<ReplayCause, number>();
  for (const { cause, count, at } of replays)
    if (isOfLastDay(at, now)) counts.set(cause, (counts.get(cause) ?? 0) + count);
  const all = [...counts.values()].reduce((sum, count) => sum + count, 0);
  return [...counts].find(([, count]) => count * 2 > all)?.[0] ?? null;
}

function mostly(duplicates: ConnectorDuplicates, now: Date): string {
  const cause = mainCause(duplicates, now);
  return cause === null || cause === "unknown" ? "" : ` Most of it because ${causeWords[cause]}.`;
}

/** Where one cause stands behind most of it, that is what to look into first. */
function often(cause: ReplayCause | null): RemedyStep[] {
  const steps: Partial<Record<ReplayCause, string>> = {
    "source-retry":
      "Most of it followed errors of the source connection, after which Debezium begins again by itself: mend the connection (idle time-outs of a proxy, a restarted database), or see errors.max.retries and retriable.restart.connector.wait.ms.",
    "producer-retry":
      "Most of it are batches that a broker had taken and the producer sent again: set producer.override.enable.idempotence=true on the connector (workers need connector.client.config.override.policy=All), and see why brokers or connections went away.",
    "worker-lost":
      "Most of it came when a worker was taken for dead while it still wrote: look for long pauses on it (garbage collection, memory), and at session.timeout.ms of the workers.",
    rebalance:
      "Most of it came with rebalances: see why workers come and go, and that all run with connect.protocol=sessioned.",
  };
  const text = steps[cause ?? "unknown"];
  return text === undefined ? [] : [{ text, command: null }];
}

function evidenceOf(duplicates: ConnectorDuplicates, limit: number): Evidence[] {
  const line = (label: string, rate: DayRate): Evidence => ({
    label,
    value: `${percent(rate.rate)}: ${eventCount(rate.duplicates, "change")} of ${eventCount(rate.records, "record")}`,
    from: "source positions in the topic, offsets of 24 hours",
  });
  const all = rateOfAll(duplicates);
  return [
    ...(all ? [line("all topics", all)] : []),
    ...topicsOver(duplicates, limit)
      .slice(0, 5)
      .map((rate) => line(rate.topic ?? "", rate)),
    { label: "limit", value: percent(limit), from: "settings: checks.duplicates.rate" },
  ];
}
