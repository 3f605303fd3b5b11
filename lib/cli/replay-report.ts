import { z } from "zod";
import { unseenTopic } from "@/lib/checks/replay/known-window";
import { crashSentence } from "@/lib/checks/replay/window-words";
import { typeOf } from "@/lib/debezium/config";
import { failureSchema } from "@/lib/observed/observation";
import {
  type Amount,
  byPositionSchema,
  byTimeSchema,
  type ReplayWindow,
  replayWindowSchema,
} from "@/lib/observed/replay-window";
import { asSentence } from "@/lib/views/format";
import type { MeasuredOnce } from "./replay-look";

const count = z.number().int().min(0);
const amountSchema = z.object({ events: count, bytes: count.nullable() });
const window = replayWindowSchema.shape;

/**
 * What `tidemark replay --json` prints. A contract with other programs: fields may be added, never renamed. Positions are
 * texts, times ISO 8601, counts of events whole numbers.
 */
export const replayReportSchema = z.object({
  connector: z.string(),
  cluster: z.string(),
  /** `postgresql`, `mysql`, … */
  type: z.string(),
  /** When the end offsets were read. */
  at: z.iso.datetime(),
  /** The exit code: 0 known, 3 not. */
  exitCode: z.number().int(),
  /** What a crash now would cost, in words. */
  sentence: z.string(),
  /** The window itself: which kind, how much, by which method and how sure. All null with the kind `unknown`: `why`. */
  kind: window.kind,
  why: z.string().nullable(),
  /** The state of a connector that is not running. */
  standsStill: window.standsStill,
  events: window.events,
  by: window.by,
  bound: window.bound,
  bytes: window.bytes,
  spanMs: window.spanMs,
  /** The commits that count. */
  commits: window.commits,
  /** From end offsets and times alone. `events` is the lower figure where there is one, else the upper. */
  byTime: byTimeSchema.omit({ low: true, high: true }).extend({
    events: count.nullable(),
    bytes: count.nullable(),
    low: amountSchema.nullable(),
    high: amountSchema.nullable(),
    /** Partitions of topics that carry changes: the first offset after the commit's time, and the end. */
    partitions: z.array(
      z.object({
        topic: z.string(),
        partition: z.number().int(),
        from: count.nullable(),
        end: count,
        events: count.nullable(),
      }),
    ),
  }),
  /** By reading. Null: `whyNoPosition`. `exact`: the same as `bound` being `exact`. */
  byPosition: byPositionSchema.extend({ exact: z.boolean() }).nullable(),
  whyNoPosition: z.string().nullable(),
  /** Heartbeats, transactions, schema changes and notifications since the commit's time, apart from `events`. */
  ownTopics: amountSchema.nullable(),
  /** `value` in milliseconds; null: `why`. `from`: in words, what it is inferred from. */
  flushIntervalMs: z.object({
    value: z.number().int().nullable(),
    from: z.string(),
    confidence: z.enum(["sure", "likely", "unsure"]).nullable(),
    why: z.string().nullable(),
  }),
  exactlyOnce: window.exactlyOnce,
  topics: z.array(
    z.object({
      topic: z.string(),
      events: count.nullable(),
      end: count.nullable(),
      failure: failureSchema.nullable(),
    }),
  ),
});
export type ReplayReport = z.infer<typeof replayReportSchema>;

/** The report of one look. */
export function replayReport({ known, window, looks, ownTopics }: MeasuredOnce): ReplayReport {
  const { low, high, ...byTime } = window.byTime;
  const figure = low ?? high;
  const sentence = crashSentence(window);
  return {
    connector: known.connector,
    cluster: known.cluster,
    type: typeOf(known.report.value?.config ?? {}),
    at: window.at,
    exitCode: sentence === null ? 3 : 0,
    sentence: sentence ?? notKnown(window),
    kind: window.kind,
    why: window.why,
    standsStill: window.standsStill,
    events: window.events,
    by: window.by,
    bound: window.bound,
    bytes: window.bytes,
    spanMs: window.spanMs,
    commits: window.commits,
    byTime: {
      events: figure?.records ?? null,
      bytes: figure?.bytes ?? null,
      low: amountOf(low),
      high: amountOf(high),
      ...byTime,
      partitions: partitionsOf(looks, ownTopics),
    },
    byPosition: window.byPosition && { ...window.byPosition, exact: window.byPosition.bound === "exact" },
    whyNoPosition: window.whyNoPosition,
    ownTopics: amountOf(window.ownTopics),
    flushIntervalMs: flushOf(window),
    exactlyOnce: window.exactlyOnce,
    topics: window.topics.map(({ topic, records, end, failure }) => ({
      topic,
      events: records,
      end,
      failure,
    })),
  };
}

function notKnown(window: ReplayWindow): string {
  const why = window.why ?? unseenTopic(window) ?? "";
  return `What a crash now would produce again is not known. ${asSentence(why)}`.trim();
}

const amountOf = (amount: Amount | null) => amount && { events: amount.records, bytes: amount.bytes };

function partitionsOf(
  looks: MeasuredOnce["looks"],
  ownTopics: ReadonlySet<string>,
): ReplayReport["byTime"]["partitions"] {
  return [...looks].flatMap(([name, look]) =>
    "failure" in look || ownTopics.has(name)
      ? []
      : look.partitions.map(({ topic, partition, place, end }) => ({
          topic,
          partition,
          from: place,
          end,
          events: place === null ? null : Math.max(0, end - place),
        })),
  );
}

function flushOf({ flushInterval }: ReplayWindow): ReplayReport["flushIntervalMs"] {
  const { ms, commits, of, confidence, why } = flushInterval;
  const whose = of === "connector" ? "of the connector" : "of the cluster's connectors";
  return { value: ms, from: `${commits} ${commits === 1 ? "commit" : "commits"} ${whose}`, confidence, why };
}
