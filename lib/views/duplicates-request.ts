import type { AnswerError } from "./error-answer";
import { earliestMoment, momentOrDaySchema } from "./moment-schema";

/** What a query of replays asks for; times in milliseconds since 1970. */
export interface DuplicatesRequest {
  from: Date;
  to: Date;
  format: "json" | "csv";
  /** One replay only. */
  replay: string | null;
}

/** Without `from` or `to`: the last week. Replays are kept for 90 days. */
const usualMs = 7 * 24 * 3_600_000;

function moment(text: string | null, otherwise: Date): Date | null {
  if (text === null || text === "") return otherwise;
  return momentOrDaySchema.safeParse(text).success ? new Date(text) : null;
}

function refuse(sentence: string): AnswerError {
  return { kind: "bad-request", sentence, remedy: "See /api/v1/openapi.json." };
}

/** The query of `GET …/duplicates`, or why it is not understood. */
export function duplicatesRequest(query: URLSearchParams, now: Date): DuplicatesRequest | AnswerError {
  const to = moment(query.get("to"), new Date(now.getTime() + 1));
  const from = to && moment(query.get("from"), new Date(Math.max(earliestMoment, to.getTime() - usualMs)));
  if (!from || !to)
    return refuse("A time is not understood: from and to are ISO 8601, such as 2026-11-29T14:00:00Z.");
  if (from >= to) return refuse("The time is empty: from has to be before to.");
  const format = query.get("format") ?? "json";
  if (format !== "json" && format !== "csv")
    return refuse("The format is not understood: it is json or csv.");
  const replay = query.get("replay");
  if (replay !== null && (replay.length > 600 || /\0/.test(replay)))
    return refuse("The id of a replay is not understood: it is topic/partition/offset.");
  return { from, to, format, replay };
}
