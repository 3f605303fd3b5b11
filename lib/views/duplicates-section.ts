import type { JudgedConnector } from "@/lib/checks/judged";
import { connectorType } from "@/lib/debezium/connector-type";
import type { ConnectorDuplicates } from "@/lib/observed/duplicates";
import { orderGuarantees } from "./duplicates-order";
import type { DuplicatesFigure, DuplicatesSection, DuplicatesTopic } from "./duplicates-schema";
import { duplicatesTopic, rateOf, rateText } from "./duplicates-topic";
import { countOf, formatCount } from "./format";
import { freshness, whyNoValue } from "./freshness";
import type { PollIntervals } from "./surroundings";

const dayMs = 24 * 3_600_000;

/** The checks whose verdicts say more than the section does by itself. */
const slugs = ["duplicates-high", "key-order-broken"];

const ofSink =
  "A sink connector produces no change events: duplicates are those of the source connector that it reads from.";
const noTopics = "Duplicates are measured once this connector has produced to a table topic.";

export function noDuplicates(
  connector: JudgedConnector,
): Pick<DuplicatesSection, "whyNone" | "remedy" | "noneIsFact"> {
  if (connector.report.value?.type === "sink") return { whyNone: ofSink, remedy: null, noneIsFact: true };
  const seen = connector.duplicates ?? null;
  const why = whyNoValue(seen, "The topics");
  if (why) return { whyNone: why, remedy: seen?.failure?.remedy ?? null, noneIsFact: false };
  if (seen?.value?.topics.length === 0) return { whyNone: noTopics, remedy: null, noneIsFact: true };
  return { whyNone: null, remedy: null, noneIsFact: false };
}

/** The topics of a connector, those with most duplicates first; then those of which something is not known. */
export function duplicatesTopics(value: ConnectorDuplicates): DuplicatesTopic[] {
  const unknown = (t: DuplicatesTopic) => (t.outcome === "unknown" ? 1 : 0);
  return value.topics
    .map((topic) => duplicatesTopic(topic))
    .sort(
      (a, b) =>
        b.duplicates - a.duplicates ||
        unknown(b) - unknown(a) ||
        (a.topic < b.topic ? -1 : a.topic > b.topic ? 1 : 0),
    );
}

/** `2 of 3 topics`; `its topic` where there is one. */
function someOf(part: number, all: number): string {
  if (all === 1) return "its topic";
  return part === all ? `all ${countOf(all, "topic")}` : `${formatCount(part)} of ${countOf(all, "topic")}`;
}

interface Part {
  topic: DuplicatesTopic;
  records: number | null;
  duplicates: number;
  replays: number;
  /** Not yet measured over the time that the figure is of. */
  open: boolean;
}

function whyNotAll(parts: readonly Part[]): string | null {
  const dark = parts.filter((p) => p.topic.state === "not-measurable").length;
  const open = parts.filter((p) => p.open).length;
  const partly = parts.filter((p) => p.topic.state === "in-part").length;
  const all = parts.length;
  const said = [
    ...(dark > 0 ? [`not measurable: ${someOf(dark, all)}`] : []),
    ...(open > 0 ? [`still to be measured: ${someOf(open, all)}`] : []),
    ...(partly > 0 ? [`measurable in part: ${someOf(partly, all)}`] : []),
  ].join("; ");
  return said === "" ? null : `${said.charAt(0).toUpperCase()}${said.slice(1)}.`;
}

/** A sum over topics that claims no more than its parts: of what is not known there may be more. */
function sumOf(parts: readonly Part[]): DuplicatesFigure {
  const known = parts.filter((p) => p.records !== null && p.topic.state !== "not-measurable");
  const sum = (of: (part: Part) => number) => known.reduce((total, part) => total + of(part), 0);
  const [duplicates, replays] = [sum((p) => p.duplicates), sum((p) => p.replays)];
  const why = whyNotAll(parts);
  const least = why !== null || known.length < parts.length;
  if (known.length === 0 || (least && duplicates === 0))
    return {
      duplicates,
      replays,
      records: null,
      rate: null,
      countWords: "unknown",
      rateWords: "unknown",
      outcome: "unknown",
      why: why ?? "How much came in this time is not known.",
    };
  const records = sum((p) => p.records ?? 0);
  const rate = rateOf(duplicates, records);
  return {
    duplicates,
    replays,
    records,
    rate,
    countWords: `${least ? "at least " : ""}${formatCount(duplicates)}`,
    rateWords: records === 0 ? rateText(0, false) : rateText(rate, least),
    outcome: duplicates > 0 ? "info" : "ok",
    why,
  };
}

/** Duplicates of the last 24 hours, over all topics. */
export function dayFigure(topics: readonly DuplicatesTopic[], now: Date): DuplicatesFigure {
  const begin = now.getTime() - dayMs;
  return sumOf(
    topics.map((topic) => ({
      topic,
      records: topic.day?.records ?? null,
      duplicates: topic.day?.duplicates ?? 0,
      replays: topic.day?.replays ?? 0,
      // Measured newest first: the day is done when what is measured reaches back that far.
      open:
        topic.state === "waiting" ||
        (topic.behind > 0 && (topic.from === null || Date.parse(topic.from) > begin)),
    })),
  );
}

/** Of all that was measured. */
function allFigure(topics: readonly DuplicatesTopic[]): DuplicatesFigure {
  return sumOf(
    topics.map((topic) => ({
      topic,
      records: topic.base,
      duplicates: topic.duplicates,
      replays: topic.replays,
      open: topic.state === "waiting" || topic.behind > 0,
    })),
  );
}

/** Since when all topics are measured: the latest of their beginnings. */
function sinceOf(topics: readonly DuplicatesTopic[]): string | null {
  return (
    topics
      .flatMap((t) => (t.from === null ? [] : [t.from]))
      .sort()
      .at(-1) ?? null
  );
}

function warned(figure: DuplicatesFigure, connector: JudgedConnector): DuplicatesFigure {
  const high = connector.verdicts.find((v) => v.slug === "duplicates-high")?.outcome;
  const outcome = high === "warning" || high === "critical" ? "warning" : figure.outcome;
  return { ...figure, outcome };
}

/** What is known of duplicates in one connector's topics. */
export function duplicatesSection(input: {
  connector: JudgedConnector;
  poll: PollIntervals;
  now: Date;
}): DuplicatesSection {
  const { connector, poll, now } = input;
  const none = noDuplicates(connector);
  const value = none.whyNone === null ? (connector.duplicates?.value ?? null) : null;
  const topics = value ? duplicatesTopics(value) : [];
  return {
    freshness: freshness(none.noneIsFact ? null : (connector.duplicates ?? null), poll.duplicates, now),
    ...none,
    day: value && warned(dayFigure(topics, now), connector),
    all: value && allFigure(topics),
    since: sinceOf(topics),
    behind: topics.reduce((sum, t) => sum + t.behind, 0),
    topics,
    judged: connector.verdicts
      .filter((v) => slugs.includes(v.slug) && v.outcome !== "ok" && v.outcome !== "not-applicable")
      .map(({ slug, outcome, sentence }) => ({ slug, outcome, sentence })),
    order: none.noneIsFact
      ? []
      : orderGuarantees(connectorType(connector.report.value?.config?.["connector.class"])),
  };
}
