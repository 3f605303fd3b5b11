import type { ConnectorConfig } from "@/lib/debezium/config";
import type { ConnectorReport } from "@/lib/observed/connector";
import type { ConnectorDuplicates, TopicDuplicates } from "@/lib/observed/duplicates";
import type { ConnectorFacts } from "../check";
import { knownReport, notOurs } from "../connector-report";
import { known, wholeSentence } from "../known";
import type { sayer } from "../say";
import type { Verdict } from "../verdict";

/** What a check of duplicates judges by. */
export interface KnownDuplicates {
  report: ConnectorReport;
  config: ConnectorConfig;
  duplicates: ConnectorDuplicates;
}

type Sayer = ReturnType<typeof sayer>;

/** The connector with what came twice in its topics, or the verdict that says why there is nothing to go by. */
export function knownDuplicates(say: Sayer, facts: ConnectorFacts, now: Date): KnownDuplicates | Verdict {
  const ours = ourConnector(say, facts, now);
  if ("outcome" in ours) return ours;
  const duplicates = known("duplicates", facts.duplicates ?? null, now);
  if (duplicates.why !== undefined) return notKnown(say, facts, duplicates.why);
  return { ...ours, duplicates: duplicates.value };
}

/** The source connector of ours, or the verdict that says why it is not judged. */
export function ourConnector(
  say: Sayer,
  facts: ConnectorFacts,
  now: Date,
): Omit<KnownDuplicates, "duplicates"> | Verdict {
  const report = knownReport(facts, now);
  if (report.why !== undefined) return say.unknown(report.why);
  const foreign = notOurs(report.value);
  if (foreign) return say.notApplicable(foreign);
  const { config } = report.value;
  if (!config) return say.unknown("Connect did not report the configuration.");
  return { report: report.value, config };
}

/** Unknown, with what the failed look advises. */
export function notKnown(say: Sayer, facts: ConnectorFacts, why: string): Verdict {
  const remedy = facts.duplicates?.failure?.remedy ?? null;
  return say.unknown(why, { remedy: remedy === null ? [] : [{ text: remedy, command: null }] });
}

const DAY_MS = 86_400_000;

/**
 * Why it is not sure that all duplicates of the last 24 hours were found, as a sentence; null when it is, as far as each topic's
 * method goes.
 */
export function whyNotAll({ topics }: ConnectorDuplicates, now: Date): string | null {
  if (topics.length === 0) return "Warming up: none of its topics was measured yet.";
  const waiting = topics.filter((topic) => !isDayMeasured(topic, now));
  const [first] = waiting;
  if (first) {
    const which =
      waiting.length === 1 ? `topic ${first.topic} is` : `${waiting.length} of ${topics.length} topics are`;
    return `Warming up: ${which} not measured back over 24 hours yet.`;
  }
  const [blind] = topics.flatMap(({ topic, notMeasurable }) => notMeasurable.map((one) => ({ topic, one })));
  return blind ? `Not all of topic ${blind.topic} can be measured. ${wholeSentence(blind.one.reason)}` : null;
}

/** It is measured backwards, newest first: what is behind may lie further back than the day. */
function isDayMeasured({ from, records, behind }: TopicDuplicates, now: Date): boolean {
  if (records === null) return false;
  return behind === 0 || (from !== null && Date.parse(from) <= now.getTime() - DAY_MS);
}

/** When `at` lies within the last 24 hours. */
export function isOfLastDay(at: string, now: Date): boolean {
  return Date.parse(at) >= now.getTime() - DAY_MS;
}
