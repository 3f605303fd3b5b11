import type { JudgedConnector } from "@/lib/checks/judged";
import type { DuplicatesCell, DuplicatesFigure } from "./duplicates-schema";
import { dayFigure, duplicatesTopics, noDuplicates } from "./duplicates-section";
import { countOf, formatAge } from "./format";
import { formatShare } from "./format-share";
import { freshness } from "./freshness";

/** The check whose verdict colours the cell. */
const highSlug = "duplicates-high";

function none(sentence: string, isFact: boolean): DuplicatesCell {
  return {
    text: isFact ? "–" : "unknown",
    replays: null,
    sentence,
    rate: null,
    outcome: isFact ? "not-applicable" : "unknown",
  };
}

function sentence(day: DuplicatesFigure): string {
  const why = day.why ? ` ${day.why}` : "";
  if (day.rate === null && day.records === null)
    return `Duplicates of the last 24 hours are not known.${why}`;
  if (day.duplicates === 0) return `Nothing came twice in the last 24 hours.${why}`;
  const replays = day.replays > 0 ? `, in ${countOf(day.replays, "replay")}` : "";
  return `Consumers got ${day.countWords} duplicates in the last 24 hours${replays}: ${day.rateWords} of what was delivered.${why}`;
}

/** `≥ 0.8 %` where more may have come. */
function short(day: DuplicatesFigure): string {
  if (day.rate === null) return day.records === 0 ? formatShare(0) : "unknown";
  return `${day.why !== null && day.duplicates > 0 ? "≥\u00a0" : ""}${formatShare(day.rate)}`;
}

/** Duplicates of the last 24 hours in a row of the fleet. @param pollMs how often they are looked for, in milliseconds */
export function duplicatesCell(
  connector: JudgedConnector,
  { pollMs, now }: { pollMs: number; now: Date },
): DuplicatesCell {
  const lack = noDuplicates(connector);
  const value = connector.duplicates?.value ?? null;
  if (lack.whyNone !== null || !value) return none(lack.whyNone ?? "Not looked at yet.", lack.noneIsFact);
  const topics = duplicatesTopics(value);
  const day = dayFigure(topics, now);
  const measuring =
    day.rateWords === "unknown" && topics.some((t) => t.state === "measuring" || t.state === "waiting");
  const { late, asOf } = freshness(connector.duplicates ?? null, pollMs, now);
  const old = late && asOf ? ` Seen ${formatAge(now.getTime() - Date.parse(asOf), " ago")}.` : "";
  const high = connector.verdicts.find((v) => v.slug === highSlug)?.outcome;
  const outcome =
    high === "warning" || high === "critical"
      ? "warning"
      : late || day.outcome === "unknown"
        ? "unknown"
        : day.duplicates > 0
          ? "info"
          : "ok";
  return {
    text: measuring ? "measuring" : short(day),
    replays: day.replays > 0 ? day.replays : null,
    sentence: `${sentence(day)}${old}`,
    rate: day.rateWords === "unknown" ? null : (day.rate ?? 0),
    outcome,
  };
}
