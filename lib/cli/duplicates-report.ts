import { z } from "zod";
import {
  type FoundReplay,
  fallSchema,
  foundReplaySchema,
  type NotMeasurable,
  notMeasurableSchema,
  type PartitionDuplicates,
  partitionDuplicatesSchema,
  replayCauseSchema,
  type ScanResult,
} from "@/lib/observed/duplicates";

const count = z.number().int().min(0);
/** Kafka's offsets have 64 bits: texts, as all such numbers. */
const offset = z.string().regex(/^\d+$/);

const replaySchema = foundReplaySchema.omit({ causeInLog: true }).extend({
  firstOffset: offset,
  lastOffset: offset,
  firstCopyOf: offset.nullable(),
  lastCopyOf: offset.nullable(),
  /** What the log alone tells: mostly `unknown`, since it depends on what was seen of the connector then. */
  cause: replayCauseSchema,
});

/**
 * What `tidemark duplicates --json` prints. A contract with other programs: fields may be added, never renamed. Offsets are
 * texts of digits, counts whole numbers, times ISO 8601. Null: not looked for by this method.
 */
export const duplicatesReportSchema = z.object({
  topic: z.string(),
  /** `bisect` and `scan` read a topic, `whole` every record of a file. */
  method: z.enum(["bisect", "scan", "whole"]),
  /** The exit code: 0 none found, 1 duplicates found, 3 could not look, or not all could be measured and none was found. */
  exitCode: z.number().int(),
  /** The answer in words. */
  sentence: z.string(),
  /** Interrupted before the end: everything below is of what had been measured by then. */
  interrupted: z.boolean(),
  range: z.object({
    /** As asked for; null: from the first record, to the end as it was then. */
    from: z.iso.datetime().nullable(),
    to: z.iso.datetime().nullable(),
    /** Offsets from `from` (included) to `to` (not), of which `measuredTo` was reached. */
    partitions: z.array(
      z.object({ partition: z.number().int(), from: offset, to: offset, measuredTo: offset }),
    ),
  }),
  /** What consumers got: events, tombstones, rows of snapshots. `bisect`: offsets taken, control records too. */
  records: count,
  /** Changes alone. */
  events: count.nullable(),
  /** Changes that had been delivered before. */
  duplicates: count,
  /** How sure that figure is; `about`: estimated from a sample. */
  bound: z.enum(["exact", "at-most", "at-least", "about"]),
  /** Among the events; `bisect`: among the records. 0 to 1, null when there are none. */
  rate: z.number().min(0).max(1).nullable(),
  interval: z.tuple([z.number(), z.number()]).nullable(),
  /** What share of all identities was looked at: 1 but for large scans. */
  share: z.number().min(0).max(1),
  reReads: count.nullable(),
  snapshotOverlap: count.nullable(),
  keyOrderViolations: count.nullable(),
  uncommittedCopies: count.nullable(),
  violations: z
    .array(
      z.object({
        partition: z.number().int(),
        offset,
        after: offset,
        position: z.string().nullable(),
      }),
    )
    .nullable(),
  /** Null: this method does not tell one from another. */
  replays: z.array(replaySchema).nullable(),
  falls: z.array(fallSchema.extend({ offset })).nullable(),
  /** How complete it is: see `sure` of a partition; the least sure of all. Null where nothing was measured. */
  sure: partitionDuplicatesSchema.shape.sure.nullable(),
  notMeasurable: z.array(notMeasurableSchema.extend({ partitions: z.array(z.number().int()).nullable() })),
  bytesRead: count,
  seconds: z.number().min(0),
});
export type DuplicatesReport = z.infer<typeof duplicatesReportSchema>;

export interface MeasuredRange {
  partition: number;
  from: number;
  to: number;
  measuredTo: number;
}

/** Why part of it says nothing; `partitions` null: not told of which. */
type Blind = DuplicatesReport["notMeasurable"][number];

/** What was asked and how it went, whichever method. */
export interface Asked {
  topic: string;
  from: string | null;
  to: string | null;
  partitions: MeasuredRange[];
  interrupted: boolean;
  seconds: number;
  /** Beyond what the method itself says: partitions that could not be read. */
  failed: Blind[];
}

type Figures = Omit<
  DuplicatesReport,
  "topic" | "exitCode" | "sentence" | "interrupted" | "range" | "notMeasurable" | "seconds"
> & { notMeasurable: Blind[] };

/** @param parts as bisection found them, with the replays of the range alone */
export function bisectionReport(asked: Asked, parts: readonly PartitionDuplicates[]): DuplicatesReport {
  const replays = parts.flatMap((part) => part.replays);
  const duplicates = sum(replays.map((replay) => replay.count));
  const records = sum(asked.partitions.map(({ from, measuredTo }) => Math.max(0, measuredTo - from)));
  const uncommitted = parts.map((part) => part.uncommittedCopies);
  const order = ["known-starts", "complete", "whole"] as const;
  return reportOf(asked, {
    method: "bisect",
    records,
    events: null,
    duplicates,
    bound: boundOf(replays),
    // Copies can be more than the range has records, where a replay began before it.
    rate: records === 0 ? null : Math.min(1, duplicates / records),
    interval: null,
    share: 1,
    reReads: null,
    snapshotOverlap: null,
    keyOrderViolations: null,
    uncommittedCopies: uncommitted.every((n) => n === null) ? null : sum(uncommitted.map((n) => n ?? 0)),
    violations: null,
    replays: replays.map(told),
    falls: parts.flatMap((part) => part.falls.map((fall) => ({ ...fall, offset: String(fall.offset) }))),
    sure: order.find((one) => parts.some((part) => part.sure === one)) ?? null,
    notMeasurable: together(
      parts.flatMap((part) => part.notMeasurable.map((one) => ({ ...one, partitions: [part.partition] }))),
    ),
    bytesRead: sum(parts.map((part) => part.bytesRead)),
  });
}

/** @param replays null where the method tells none */
export function scanReport(
  asked: Asked,
  method: "scan" | "whole",
  result: ScanResult,
  replays: readonly FoundReplay[] | null,
): DuplicatesReport {
  return reportOf(asked, {
    method,
    records: result.records,
    events: result.events,
    duplicates: result.duplicates,
    // A scan knows nothing of what lies before its range.
    bound: result.share < 1 ? "about" : method === "scan" && asked.from !== null ? "at-least" : "exact",
    rate: result.rate,
    interval: result.interval,
    share: result.share,
    reReads: result.reReads,
    snapshotOverlap: result.snapshotOverlap,
    keyOrderViolations: result.keyOrderViolations,
    uncommittedCopies: method === "whole" ? null : result.uncommittedCopies,
    violations: result.violations.map((one) => ({
      ...one,
      offset: String(one.offset),
      after: String(one.after),
    })),
    replays: replays === null ? null : replays.map(told),
    falls: null,
    sure: "whole",
    notMeasurable: result.notMeasurable.map((one) => ({ ...one, partitions: null })),
    bytesRead: result.bytesRead,
  });
}

function reportOf(asked: Asked, figures: Figures): DuplicatesReport {
  const { topic, from, to, interrupted, seconds } = asked;
  const notMeasurable = [...asked.failed, ...figures.notMeasurable];
  const { method, ...counted } = withoutFalseZeros({ ...figures, notMeasurable });
  const answer = { ...counted, topic, interrupted };
  return {
    topic,
    method,
    exitCode: exitCodeOf(answer),
    sentence: sentenceOf(answer),
    interrupted,
    range: {
      from,
      to,
      partitions: asked.partitions.map((one) => ({
        partition: one.partition,
        from: String(one.from),
        to: String(one.to),
        measuredTo: String(one.measuredTo),
      })),
    },
    ...counted,
    seconds: Math.round(seconds * 1_000) / 1_000,
  };
}

/** None of something is not known where a part could not be looked at: it may lie there. */
function withoutFalseZeros(figures: Figures): Figures {
  if (figures.notMeasurable.length === 0) return figures;
  const known = (count: number | null) => (count === 0 ? null : count);
  return {
    ...figures,
    rate: known(figures.rate),
    interval: figures.duplicates === 0 ? null : figures.interval,
    reReads: known(figures.reReads),
    snapshotOverlap: known(figures.snapshotOverlap),
    keyOrderViolations: known(figures.keyOrderViolations),
    uncommittedCopies: known(figures.uncommittedCopies),
  };
}

type Answer = Pick<
  DuplicatesReport,
  | "topic"
  | "duplicates"
  | "bound"
  | "notMeasurable"
  | "interrupted"
  | "records"
  | "events"
  | "rate"
  | "replays"
>;

/** None found is said only where all could be looked at. */
function exitCodeOf({ duplicates, notMeasurable, interrupted }: Answer): number {
  if (duplicates > 0) return 1;
  return notMeasurable.length > 0 || interrupted ? 3 : 0;
}

const whole = new Intl.NumberFormat("en-GB", { maximumFractionDigits: 0 });
const sureness = { exact: "", "at-most": "at most ", "at-least": "at least ", about: "about " } as const;
const many = (n: number, one: string) => `${whole.format(n)} ${n === 1 ? one : `${one}s`}`;

function sentenceOf(answer: Answer): string {
  const { topic, duplicates, bound, notMeasurable, interrupted, records, events, rate, replays } = answer;
  const among = events === null ? many(records, "offset") : many(events, "event");
  const where = interrupted ? "in what was measured before it was interrupted" : "";
  if (duplicates > 0) {
    const share = rate === null ? "" : ` (${shareText(rate)})`;
    const again = replays === null || replays.length === 0 ? "" : `, in ${many(replays.length, "replay")}`;
    return sentence([
      `${topic}: ${sureness[bound]}${many(duplicates, "duplicate")} among ${among}${share}${again}`,
      where,
    ]);
  }
  const unknown = `${topic}: how many duplicates there are is not known`;
  if (records === 0 && interrupted) return `${unknown}: it was interrupted before anything was measured.`;
  if (notMeasurable.length > 0) return sentence([unknown, where]);
  if (records === 0) return `${topic}: no record lies there, and so no duplicate.`;
  return sentence([`${topic}: no duplicate among ${among}`, where]);
}

const sentence = (parts: readonly string[]) => `${parts.filter((part) => part !== "").join(", ")}.`;

/** `1.2 %`, never 0 for what is some. */
export function shareText(rate: number): string {
  const value = rate * 100;
  if (value > 0 && value < 0.001) return "under 0.001 %";
  return `${new Intl.NumberFormat("en-GB", { maximumFractionDigits: value < 1 ? 3 : 2 }).format(value)} %`;
}

function told({ causeInLog, ...replay }: FoundReplay): z.infer<typeof replaySchema> {
  const text = (offset: number | null) => (offset === null ? null : String(offset));
  return {
    ...replay,
    firstOffset: String(replay.firstOffset),
    lastOffset: String(replay.lastOffset),
    firstCopyOf: text(replay.firstCopyOf),
    lastCopyOf: text(replay.lastCopyOf),
    cause: causeInLog ?? "unknown",
  };
}

/** Of a sum: `about` where some are too high and others too low. */
function boundOf(replays: readonly FoundReplay[]): DuplicatesReport["bound"] {
  const bounds = new Set(replays.map(({ bound }) => bound).filter((bound) => bound !== "exact"));
  const [only] = bounds;
  return bounds.size > 1 ? "about" : (only ?? "exact");
}

/** One entry for the same reason in several partitions. */
function together(all: readonly (NotMeasurable & { partitions: number[] })[]): Blind[] {
  const byReason = new Map<string, NotMeasurable & { partitions: number[] }>();
  for (const one of all) {
    const key = JSON.stringify([one.slug, one.reason]);
    const known = byReason.get(key);
    if (!known) byReason.set(key, { ...one, partitions: [...one.partitions] });
    else {
      known.count = known.count === null || one.count === null ? null : known.count + one.count;
      known.partitions = [...new Set([...known.partitions, ...one.partitions])];
    }
  }
  return [...byReason.values()];
}

const sum = (of: readonly number[]) => of.reduce((total, one) => total + one, 0);
