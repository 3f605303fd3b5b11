import type { Answer } from "@/app/answer";
import { type AnswerError, errorStatus } from "@/lib/views/error-answer";

const headers = { "Cache-Control": "no-store" };

export function respond<T>(answer: Answer<T>): Response {
  return answer.ok ? Response.json(answer.view, { headers }) : respondError(answer.error);
}

export function respondError(error: AnswerError): Response {
  return Response.json({ error }, { status: errorStatus[error.kind], headers });
}
