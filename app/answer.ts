import type { AnswerError } from "@/lib/views/error-answer";

/** What a page or a route has to say: a view, or an error with whose fault it is. */
export type Answer<T> = { ok: true; view: T } | { ok: false; error: AnswerError };

/** The answer if it comes in time; null otherwise: the page then shows its skeleton and asks again from the browser. */
export async function answerWithin<T>(answer: Promise<Answer<T>>, ms: number): Promise<Answer<T> | null> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), ms);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
