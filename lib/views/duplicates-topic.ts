import type { ScanResult, TopicDuplicates } from "@/lib/observed/duplicates";
import type { DuplicatesTopic } from "./duplicates-schema";
import {
  fallWords,
  scanBeside,
  scanHow,
  sureSentences,
  sureWords,
  uncommittedWords,
} from "./duplicates-words";
import { asSentence } from "./format";
import { formatShare } from "./format-share";

type State = DuplicatesTopic["state"];

/** How many records nothing can be said of; null where nobody knows how many. */
function hidden({ notMeasurable }: Pick<TopicDuplicates, "notMeasurable">): number | null {
  let sum = 0;
  for (const { count } of notMeasurable) {
    if (count === null) return null;
    sum += count;
  }
  return sum;
}

/** Whether nothing at all can be said of a topic: not even that there were none. */
function isDark(topic: TopicDuplicates): boolean {
  if (topic.notMeasurable.length === 0 || topic.duplicates > 0) return false;
  const records = topic.records ?? topic.scan?.records ?? null;
  const unseen = hidden(topic);
  return unseen === null || records === null || (records > 0 && unseen >= records);
}

function stateOf(topic: TopicDuplicates): State {
  if (isDark(topic)) return "not-measurable";
  if (topic.records === null && topic.scan === null) return "waiting";
  if (topic.behind > 0) return "measuring";
  return topic.notMeasurable.length > 0 ? "in-part" : "measured";
}

/** Duplicates among what was measured, 0 to 1; null where there is nothing to be a part of. */
export function rateOf(duplicates: number, records: number | null): number | null {
  return records === null || records === 0 ? null : Math.min(1, duplicates / records);
}

/**
 * A rate in words that claim no more than is known.
 * @param least more may have come: not all was or could be measured
 */
export function rateText(rate: number | null, least: boolean): string {
  if (rate === null) return "unknown";
  if (!least) return formatShare(rate);
  return rate === 0 ? `${formatShare(0)} so far` : `at least ${formatShare(rate)}`;
}

interface Figures {
  rate: number | null;
  interval: [number, number] | null;
  base: number | null;
  baseUnit: DuplicatesTopic["baseUnit"];
  duplicates: number;
  how: string;
  howSentences: string[];
}

/** The figure of a scan, where there is no bisection to go by. */
function scanned(scan: ScanResult): Figures {
  return {
    rate: scan.rate,
    interval: scan.share < 1 ? scan.interval : null,
    base: scan.events,
    baseUnit: "changes",
    duplicates: scan.duplicates,
    how: scanHow(scan),
    howSentences:
      scan.share < 1
        ? [
            "An unbiased sample of changes, each kept or left with all its copies; the interval holds the real rate in 95 of 100 such samples.",
          ]
        : [sureSentences.whole],
  };
}

function bisected(topic: TopicDuplicates): Figures {
  return {
    rate: rateOf(topic.duplicates, topic.records),
    interval: null,
    base: topic.records,
    baseUnit: "offsets",
    duplicates: topic.duplicates,
    ...bisectedHow(topic),
  };
}

/** Complete is said only where every record could be judged. */
function bisectedHow({ sure, notMeasurable }: TopicDuplicates): Pick<Figures, "how" | "howSentences"> {
  if (!sure) return { how: "not measured", howSentences: [] };
  if (notMeasurable.length > 0)
    return {
      how: "bisection, in part",
      howSentences: [
        "Some records could not be judged, as said below the topic: what came twice among them is not known.",
      ],
    };
  return { how: sureWords[sure], howSentences: [sureSentences[sure]] };
}

function outcomeOf(state: State, duplicates: number): DuplicatesTopic["outcome"] {
  if (duplicates > 0) return "info";
  return state === "measured" ? "ok" : "unknown";
}

/** Of a rate of 0 in a topic that is measured in part: how many records it leaves out. */
function inWords(state: State, figures: Figures): string {
  if (state === "waiting") return "not measured yet";
  if (state === "not-measurable") return "unknown";
  if (figures.base === 0) return `${formatShare(0)}`;
  const words = rateText(figures.rate, state !== "measured");
  return state === "in-part" && figures.rate === 0 ? `${formatShare(0)} of what can be read` : words;
}

/** One topic, in figures and in words. */
export function duplicatesTopic(topic: TopicDuplicates, { day = true } = {}): DuplicatesTopic {
  const state = stateOf(topic);
  const { scan } = topic;
  const figures = topic.records === null && scan ? scanned(scan) : bisected(topic);
  const uncommitted = Math.max(topic.uncommittedCopies, scan?.uncommittedCopies ?? 0);
  const told = state === "waiting" || state === "not-measurable";
  return {
    topic: topic.topic,
    state,
    outcome: outcomeOf(state, figures.duplicates),
    ...figures,
    rate: told ? null : figures.rate,
    rateWords: inWords(state, figures),
    replays: topic.replays,
    day: day ? { ...topic.day, rateWords: dayWords(topic, state) } : null,
    from: topic.from,
    to: topic.to,
    behind: topic.behind,
    how: told ? (state === "waiting" ? "waits for its turn" : "not measurable") : figures.how,
    howSentences: told ? [] : figures.howSentences,
    checked: told || !scan || topic.records === null || topic.sure === "whole" ? null : scanBeside(scan),
    reReads: scan?.reReads ?? null,
    snapshotOverlap: scan?.snapshotOverlap ?? null,
    keyOrderViolations: scan?.keyOrderViolations ?? null,
    uncommittedCopies: uncommitted,
    uncommittedWords: uncommittedWords(uncommitted),
    notMeasurable: topic.notMeasurable.map((n) => ({ ...n, reason: asSentence(n.reason) })),
    falls: topic.falls.map((f) => ({ ...f, sentence: asSentence(f.sentence), name: fallWords[f.kind] })),
  };
}

function dayWords({ day }: TopicDuplicates, state: State): string {
  if (state === "waiting" || state === "not-measurable" || day.records === null) return "unknown";
  if (day.records === 0) return formatShare(0);
  return rateText(rateOf(day.duplicates, day.records), state === "in-part");
}
