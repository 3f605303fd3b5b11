import type { AnswerError } from "@/lib/views/error-answer";
import { readBounded } from "./v1/decode/read-bounded";

/** What a request asks for, or why it is not taken. */
export type Taken = { ok: true; body: unknown } | { ok: false; error: AnswerError };

function refuse(kind: AnswerError["kind"], sentence: string, remedy: string | null = null): Taken {
  return { ok: false, error: { kind, sentence, remedy } };
}

/**
 * Whether a browser sent it from a page of another origin. Browsers name the origin of each POST, and newer ones its relation
 * to ours; a program sends neither header.
 */
function isForeign({ headers }: Request): boolean {
  const site = headers.get("sec-fetch-site");
  if (site !== null && site !== "same-origin" && site !== "none") return true;
  const origin = headers.get("origin");
  const host = headers.get("host");
  return origin !== null && origin !== `http://${host}` && origin !== `https://${host}`;
}

function isJson({ headers }: Request): boolean {
  return /^application\/json\s*(;|$)/i.test(headers.get("content-type") ?? "");
}

/**
 * The JSON body of a request that changes something. Only JSON is taken: a form of another page cannot send it unasked.
 * @param limit of the body, bytes; an empty one is `null`
 */
export async function readJson(request: Request, limit: number): Promise<Taken> {
  if (isForeign(request)) return refuse("forbidden", "This request was sent by another web page.");
  if (!isJson(request))
    return refuse("not-json", "The body has to be JSON.", "Send it with Content-Type: application/json.");
  const text = await readBounded(request, limit);
  if (text === null) return refuse("too-large", `The body is larger than ${limit} bytes.`);
  if (text.trim() === "") return { ok: true, body: null };
  try {
    return { ok: true, body: JSON.parse(text) };
  } catch {
    return refuse("bad-request", "The body is not JSON.", "See /api/v1/openapi.json.");
  }
}
