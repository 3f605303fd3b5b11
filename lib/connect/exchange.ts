import { pipeline } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import type { Dispatcher } from "undici";
import {
  type Asked,
  errorCode,
  failureOfAnswer,
  failureOfError,
  type Limits,
  type Progress,
  type Refusal,
  TooLargeError,
} from "./failure";

/** Enough for a title or an error message. */
const ERROR_BODY_BYTES = 65_536;

export interface Question<T> {
  asked: Asked;
  origin: string;
  /** As it goes over the wire, encoded; never normalised. */
  path: string;
  headers: Record<string, string>;
  maxBytes: number;
  /** Reads a good answer; what it does not read is never fetched. */
  read(body: AsyncIterable<Uint8Array>): Promise<T>;
}

export type Exchanged<T> = { value: T; refusal?: undefined } | { value?: undefined; refusal: Refusal };

type Answer = Dispatcher.ResponseData;

/**
 * One GET. Ends within `limits.answerMs`, reads at most `maxBytes` (counted after decompression), follows no redirect.
 * Does not throw. A connection that the server had closed meanwhile is opened again once.
 */
export async function exchange<T>(
  dispatcher: Dispatcher,
  question: Question<T>,
  limits: Limits,
): Promise<Exchanged<T>> {
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(), limits.answerMs);
  try {
    const first = await attempt(dispatcher, question, limits, abort.signal);
    return first.stale ? await attempt(dispatcher, question, limits, abort.signal) : first;
  } finally {
    clearTimeout(timer);
  }
}

async function attempt<T>(
  dispatcher: Dispatcher,
  question: Question<T>,
  limits: Limits,
  signal: AbortSignal,
): Promise<Exchanged<T> & { stale: boolean }> {
  const progress: Progress = { phase: "headers", bytes: 0, maxBytes: question.maxBytes };
  let answer: Answer | null = null;
  try {
    const { origin, path, headers } = question;
    answer = await dispatcher.request({ origin, path, headers, method: "GET", signal });
    // Whoever destroys a body half read makes it emit an error that says just that.
    answer.body.on("error", () => {});
    progress.phase = "body";
    return { ...(await readAnswer(answer, question, progress)), stale: false };
  } catch (error) {
    const stale = progress.phase === "headers" && ["UND_ERR_SOCKET", "ECONNRESET"].includes(errorCode(error));
    return { refusal: failureOfError(question.asked, error, progress, limits), stale };
  } finally {
    answer?.body.destroy();
  }
}

async function readAnswer<T>(
  answer: Answer,
  question: Question<T>,
  progress: Progress,
): Promise<Exchanged<T>> {
  const contentType = header(answer, "content-type");
  if (answer.statusCode === 200 && /json/i.test(contentType ?? "")) {
    if (Number(header(answer, "content-length") ?? 0) > question.maxBytes) throw new TooLargeError();
    return { value: await question.read(bounded(answer, progress, question.maxBytes)) };
  }
  const redirect = answer.statusCode >= 300 && answer.statusCode < 400;
  const refusal = failureOfAnswer(question.asked, {
    status: answer.statusCode,
    contentType,
    location: header(answer, "location"),
    text: redirect ? "" : await beginning(answer, progress),
  });
  return { refusal };
}

/** The body, decompressed, up to a bound. */
async function* bounded(answer: Answer, progress: Progress, maxBytes: number): AsyncGenerator<Uint8Array> {
  for await (const chunk of decompressed(answer)) {
    progress.bytes += chunk.length;
    if (progress.bytes > maxBytes) throw new TooLargeError();
    yield chunk;
  }
}

async function beginning(answer: Answer, progress: Progress): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const chunk of decompressed(answer)) {
    progress.bytes += chunk.length;
    parts.push(chunk);
    if (progress.bytes >= ERROR_BODY_BYTES) break;
  }
  return Buffer.concat(parts).toString("utf8", 0, ERROR_BODY_BYTES);
}

function decompressed(answer: Answer): AsyncIterable<Uint8Array> {
  const encoding = header(answer, "content-encoding")?.toLowerCase() ?? "identity";
  if (encoding === "identity" || encoding === "") return answer.body;
  const unzip = decompressor(encoding);
  // Errors of either side reach the reader of `unzip`.
  pipeline(answer.body, unzip, () => {});
  return unzip;
}

function decompressor(encoding: string) {
  if (encoding === "gzip" || encoding === "x-gzip") return createGunzip();
  if (encoding === "deflate") return createInflate();
  if (encoding === "br") return createBrotliDecompress();
  throw new SyntaxError("unknown content-encoding");
}

function header(answer: Answer, name: string): string | null {
  const value = answer.headers[name];
  return (Array.isArray(value) ? value[0] : value) ?? null;
}
