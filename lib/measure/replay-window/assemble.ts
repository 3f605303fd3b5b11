import type { ConnectorConfig } from "@/lib/debezium/config";
import type { ConnectorType } from "@/lib/debezium/connector-type";
import { positionKinds } from "@/lib/debezium/positions/kinds";
import { canonicalPartition } from "@/lib/debezium/used-partition";
import type { ConnectorReport } from "@/lib/observed/connector";
import type { Amount, ByTime, FlushInterval, ReplayWindow } from "@/lib/observed/replay-window";
import { outsideBracket } from "./bracket";
import { asksExactlyOnce, declaresExactlyOnce } from "./exactly-once";
import { type Counted, type Headline, headlineOf } from "./headline";
import type { InForce } from "./in-force";
import type { RowsSoFar } from "./rows-so-far";
import { standsStill } from "./stands-still";

/** What one look at a connector brought, by both methods. */
export interface AssembleInput {
  /** When the end offsets were read. */
  at: Date;
  type: ConnectorType;
  config: ConnectorConfig;
  report: Pick<ConnectorReport, "connector" | "tasks"> | null;
  inForce: InForce;
  byTime: ByTime;
  ownTopics: Amount | null;
  topics: ReplayWindow["topics"];
  /** The newest count by position, and how it stands to this look; null: `whyNoPosition`. */
  counted: Counted | null;
  whyNoPosition: string | null;
  /**
   * Where nothing is committed, or a snapshot is running: the records in its topics, or since its run began. Null: not
   * asked, or a topic could not be read.
   */
  held: RowsSoFar | null;
  /** Of the newest batch of its table topics. Null: none was looked at. */
  transactional: boolean | null;
  /** Whether its records bear run ids. */
  hasRunId: boolean;
  bytesPerRecord: number | null;
  flushInterval: FlushInterval;
  recentWorst: { events: number; at: number } | null;
  /** When the newest event was seen to arrive, milliseconds since 1970. */
  grewAt: number | null;
}

/** Both methods to one replay window: which figure stands for it, how sure it is, and why it is off where it is. */
export function assemble(input: AssembleInput): ReplayWindow {
  const { at, config, inForce, transactional, recentWorst, grewAt } = input;
  const judged = judge(input);
  return {
    at: at.toISOString(),
    ...judged,
    standsStill: standsStill(input.report),
    byTime: judged.kind === "exactly-once" ? withoutOffsets(input.byTime) : input.byTime,
    ...byPositionOf(input, judged.kind),
    ownTopics: input.ownTopics,
    commits: inForce.commits.map(({ partition, offset, committedAt }) => ({
      partition: canonicalPartition(partition),
      committedAt: committedAt === null ? null : new Date(committedAt).toISOString(),
      position: positionKinds[input.type].headline(offset).text,
    })),
    exactlyOnce: { asked: asksExactlyOnce(config), allowed: null, seen: transactional },
    flushInterval: input.flushInterval,
    topics: input.topics,
    recentWorst: recentWorst && { events: recentWorst.events, at: new Date(recentWorst.at).toISOString() },
    grewAt: grewAt === null ? null : new Date(grewAt).toISOString(),
  };
}

type Judged = Headline & Pick<ReplayWindow, "kind" | "why">;

const nothing: Headline = { events: null, by: null, bound: null, bytes: null, spanMs: null };
const unknown = (why: string): Judged => ({ kind: "unknown", why, ...nothing });

function judge(input: AssembleInput): Judged {
  const { inForce, byTime, counted, bytesPerRecord } = input;
  if (inForce.kind === "unknown") return unknown(inForce.why ?? "the commit in force is not known");
  if (inForce.kind !== "streaming") return fromTheStart(input, inForce.kind, inForce.why);
  if (isExactlyOnce(input))
    return {
      kind: "exactly-once",
      why: null,
      events: 0,
      by: "exactly-once",
      bound: "exact",
      bytes: 0,
      spanMs: 0,
    };
  const headline = headlineOf(byTime, counted, spanByTime(input), bytesPerRecord);
  return headline ? { kind: "events", why: null, ...headline } : unknown(whyNeither(input));
}

/** A start would send everything again: the whole snapshot, or what a connector without a commit has sent. */
function fromTheStart(
  { held, bytesPerRecord }: AssembleInput,
  kind: "snapshot" | "no-commit",
  why: string | null,
): Judged {
  if (!held) return unknown(`${why ?? fromTheStartWhy[kind]}; how much its topics hold is not known`);
  return {
    kind,
    why: why ?? fromTheStartWhy[kind],
    events: held.records,
    by: kind === "snapshot" ? "snapshot" : "time",
    bound: held.bound,
    bytes: bytesPerRecord === null ? null : Math.round(held.records * bytesPerRecord),
    spanMs: null,
  };
}

const fromTheStartWhy = {
  snapshot: "a snapshot is running and would start again",
  "no-commit": "no offset is stored: a start would be its first",
} as const;

/** Offsets and records in one transaction: nothing is sent again, whatever the time of the commit. */
function isExactlyOnce({ type, config, report, transactional, hasRunId }: AssembleInput): boolean {
  return transactional === true && declaresExactlyOnce(type, config, versionsOf(report), hasRunId) === true;
}

function versionsOf(report: AssembleInput["report"]): (string | null)[] {
  const tasks = report?.tasks ?? [];
  // Tasks run the code; the connector's version stands for them where they are not told.
  const told = tasks.map((t) => t.version).filter((v) => v !== null);
  return told.length > 0 ? told : [report?.connector?.version ?? null];
}

/** From the first record later than the commit to the newest, as far as both were seen. */
function spanByTime({ byTime, grewAt }: AssembleInput): number | null {
  if (byTime.firstAt === null || grewAt === null) return null;
  return Math.max(0, grewAt - Date.parse(byTime.firstAt));
}

function whyNeither({ byTime, whyNoPosition, topics }: AssembleInput): string {
  if (topics.length === 0) return "no topic is known to carry its changes";
  return byTime.whyNoLow ?? byTime.whyNoHigh ?? whyNoPosition ?? "neither method has a figure";
}

/** Transaction markers take offsets as records do: under exactly-once the difference of offsets counts no records. */
function withoutOffsets(byTime: ByTime): ByTime {
  const why =
    "under exactly-once transaction markers take offsets too: a difference of offsets counts no events";
  return { ...byTime, low: null, whyNoLow: why, high: null, whyNoHigh: why };
}

function byPositionOf(
  { counted, byTime, transactional, whyNoPosition }: AssembleInput,
  kind: ReplayWindow["kind"],
): Pick<ReplayWindow, "byPosition" | "whyNoPosition"> {
  // The commit is read a moment before the ends: what is found between them was written with a commit of its own.
  if (kind === "exactly-once")
    return {
      byPosition: null,
      whyNoPosition: "under exactly-once each record is written together with an offset that covers it",
    };
  if (!counted) return { byPosition: null, whyNoPosition };
  const { count, unchanged } = counted;
  const outside = unchanged && transactional !== true ? outsideBracket(byTime, count) : null;
  const byPosition = outside ? { ...count, notes: [...count.notes, outside] } : count;
  return { byPosition, whyNoPosition: null };
}
