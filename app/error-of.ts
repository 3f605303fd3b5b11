import type { AnswerError, ErrorAnswer } from "@/lib/views/error-answer";

function isErrorAnswer(body: unknown): body is ErrorAnswer {
  if (typeof body !== "object" || body === null || !("error" in body)) return false;
  const { error } = body;
  return typeof error === "object" && error !== null && "sentence" in error && "kind" in error;
}

/** The error in an answer of our own API; null when it is something else. Without zod, which browsers need not load. */
export function errorOf(body: unknown): AnswerError | null {
  return isErrorAnswer(body) ? body.error : null;
}
