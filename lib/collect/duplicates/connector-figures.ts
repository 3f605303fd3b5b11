import type { NotMeasurable, TopicDuplicates } from "@/lib/observed/duplicates";
import type { Failure } from "@/lib/observed/observation";
import { recordTime } from "@/lib/observed/record-time";
import type { ReplaySums } from "@/lib/store/replays";
import { leastSure, notesTogether } from "./found-together";
import { allFound, measuredRange, offsetsBehind, offsetsMeasured, type Progress } from "./stretches";

/** One partition as it is known after a look. */
export interface KnownPartition {
  progress: Progress;
  /** The end at the last look at which it could be had. */
  end: number;
  /** Timestamps of the ends of what was measured, milliseconds since 1970; null: not known. */
  fromAt: number | null;
  toAt: number | null;
  /** The first offset of the last 24 hours; null: not known. */
  dayFrom: number | null;
}

export interface TopicFacts {
  topic: string;
  /** Null where it could not be looked at. */
  topicId: string | null;
  failure: Failure | null;
  partitions: readonly KnownPartition[];
  /** Of the replays that are stored. */
  sums: ReplaySums;
  daySums: ReplaySums;
  /** Of the last whole scan. */
  scan: TopicDuplicates["scan"];
}

/** Falls of one topic that are told. */
const MOST_FALLS = 20;

export const noReplays: ReplaySums = { replays: 0, duplicates: 0 };

/** What is known of one topic, from how far its partitions were measured and from the replays that are stored. */
export function topicFigures({ topic, topicId, failure, partitions, ...of }: TopicFacts): TopicDuplicates {
  const found = partitions.flatMap(({ progress }) => allFound(progress) ?? []);
  const measured = partitions.filter(({ progress }) => measuredRange(progress) !== null);
  const isMeasured =
    measured.length > 0 || (partitions.length > 0 && partitions.every(({ end }) => end === 0));
  const sure = found.map((one) => one.sure);
  return {
    topic,
    topicId: topicId ?? partitions[0]?.progress.topicId ?? null,
    from: timeOf(least(measured.map(({ fromAt }) => fromAt))),
    to: timeOf(least(measured.map(({ toAt }) => toAt))),
    records: isMeasured ? sum(partitions.map(({ progress }) => offsetsMeasured(progress))) : null,
    behind: sum(partitions.map(({ progress, end }) => offsetsBehind(progress, end))),
    ...of.sums,
    day: { records: dayRecords(partitions), ...of.daySums },
    sure: sure.length > 0 ? sure.reduce(leastSure) : null,
    uncommittedCopies: sum(found.map((one) => one.uncommittedCopies ?? 0)),
    notMeasurable: notesTogether([...failureNotes(failure), ...found.flatMap((one) => one.notMeasurable)]),
    falls: found
      .flatMap((one) => one.falls)
      .sort((a, b) => (a.at < b.at ? 1 : -1))
      .slice(0, MOST_FALLS),
    scan: of.scan,
  };
}

/** A topic that cannot be looked at: what was found before stands, what came since is not known. */
function failureNotes(failure: Failure | null): NotMeasurable[] {
  if (failure === null) return [];
  const { kind, sentence, remedy } = failure;
  const reason = `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}${sentence.endsWith(".") ? "" : "."}`;
  return [{ slug: kind, reason, count: null, remedy }];
}

/** Those that were measured: what is behind is not among them. Null where one of them is not known. */
function dayRecords(partitions: readonly KnownPartition[]): number | null {
  let records = 0;
  for (const { progress, end, dayFrom } of partitions) {
    if (dayFrom === null && end > 0) return null;
    const range = measuredRange(progress);
    if (range) records += Math.max(0, range.to - Math.max(range.from, dayFrom ?? 0));
  }
  return partitions.length > 0 ? records : null;
}

/** Null where one is not known: the others do not tell for it. */
function least(times: readonly (number | null)[]): number | null {
  if (times.length === 0 || times.includes(null)) return null;
  return Math.min(...times.map((time) => time ?? 0));
}

const timeOf = (ms: number | null) => (ms === null ? null : recordTime(ms));

const sum = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0);
