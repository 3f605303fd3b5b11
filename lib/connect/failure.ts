import { isJsonObject, parseJson } from "@/lib/debezium/json";
import type { Failure } from "@/lib/observed/observation";
import { EntryTooLargeError, NotAnObjectError, UnfinishedJsonError } from "./json-entries";
import { maskText } from "./mask";
import { firstLine, titleOrFirstLine } from "./plain-text";

/** What was asked of whom, for sentences. */
export interface Asked {
  /** Scheme, host, port and path prefix. Settings let no credentials in here. */
  address: string;
  /** Completes "Could not …": `list connectors`. */
  what: string;
}

/** A failed request: the failure, and what the server said where it said something. */
export interface Refusal {
  failure: Failure;
  status: number | null;
  /** `message` of a Connect error body. */
  message: string | null;
  /** The cluster's own answer, which another worker would only repeat. */
  final: boolean;
}

export interface Limits {
  connectMs: number;
  answerMs: number;
  maxBytes: number;
}

/** How far a request came before it failed. */
export interface Progress {
  /** `headers`: nothing of the answer has come yet. */
  phase: "headers" | "body";
  bytes: number;
  maxBytes: number;
}

/** The answer is over its bound. */
export class TooLargeError extends Error {
  override name = "TooLargeError";
}

/** The answer is a list over its bound. */
export class TooManyError extends Error {
  override name = "TooManyError";
  constructor(
    readonly most: number,
    readonly of: string,
  ) {
    super(`more than ${most} ${of}`);
  }
}

/** JSON, but not of the form that Connect has. `notConnect`: of no form that Connect has anywhere. */
export class WrongShapeError extends Error {
  override name = "WrongShapeError";
  constructor(
    expected: string,
    readonly notConnect = false,
  ) {
    super(expected);
  }
}

const checkAddress =
  "Check the address (CONNECT_URL, or connect.urls in the settings) and what stands before it.";

function refusal(
  kind: Failure["kind"],
  sentence: string,
  remedy: string | null,
  told: { status?: number; message?: string | null; final?: boolean } = {},
): Refusal {
  const ended = /[.…!?]$/.test(sentence) ? sentence : `${sentence}.`;
  return {
    failure: { kind, sentence: ended, remedy },
    status: told.status ?? null,
    message: told.message ?? null,
    final: told.final ?? false,
  };
}

/** An answer whose status or content type is not that of a good answer. `text` is the beginning of its body. */
export function failureOfAnswer(
  asked: Asked,
  answer: { status: number; contentType: string | null; location: string | null; text: string },
): Refusal {
  const { status } = answer;
  const could = `Could not ${asked.what}:`;
  if (status >= 300 && status < 400) return redirected(asked, answer);
  const message = connectMessage(answer);
  const told = { status, message, final: true };
  if (status === 401) {
    const remedy = "Set connect.basicAuth (CONNECT_USERNAME, CONNECT_PASSWORD), or correct it.";
    return refusal("unauthorised", `${could} not authorised (401)`, remedy, told);
  }
  if (status === 403) {
    const why = message ? `: ${safe(message)}` : "";
    const remedy = "Allow Tidemark's user to send GET requests to Kafka Connect.";
    return refusal("forbidden", `${could} forbidden (403)${why}`, remedy, told);
  }
  if (message === null) return notConnect(asked, answer);
  if (status === 409) return conflict(could, message, told);
  if (status === 404) return refusal("not-found", `${could} not found (404): ${safe(message)}`, null, told);
  if (status >= 500) {
    const remedy = "See the log of the Connect worker at that time.";
    const sentence = `${could} Kafka Connect failed (${status}): ${safe(message)}`;
    return refusal("server-error", sentence, remedy, { ...told, final: false });
  }
  return refusal("server-error", `${could} Kafka Connect refused (${status}): ${safe(message)}`, null, told);
}

/** DistributedHerder and ConnectExceptionMapper: a rebalance and a stale configuration pass by themselves. */
function conflict(could: string, message: string, told: object): Refusal {
  if (/rebalanc|stale configuration|momentarily/i.test(message))
    return refusal("rebalancing", `${could} the Connect cluster is rebalancing (409)`, null, told);
  return refusal("conflict", `${could} Kafka Connect reports a conflict (409): ${safe(message)}`, null, told);
}

function redirected(
  { address }: Asked,
  { status, location }: { status: number; location: string | null },
): Refusal {
  // Only host and path: a query can hold a token of a login.
  const target = location && URL.canParse(location, address) ? new URL(location, address) : null;
  const to = target ? ` to ${target.protocol}//${target.host}${target.pathname}` : "";
  const sentence = `The address ${address} redirects${to} (HTTP ${status}), and redirects are not followed`;
  return refusal("redirected", sentence, "Give the address that Kafka Connect itself answers at.", {
    status,
  });
}

function notConnect(
  { address }: Asked,
  answer: { status: number; contentType: string | null; text: string },
): Refusal {
  const type = firstLine(answer.contentType?.split(";")[0] ?? "") || "no content type";
  const text = maskText(titleOrFirstLine(answer.text)) || "an empty answer";
  const sentence = `The address answered, but not as Kafka Connect (HTTP ${answer.status}, ${type}): ${text}`;
  return refusal("not-connect", sentence, `${checkAddress} Asked was ${address}.`, { status: answer.status });
}

/** `message` of an error body as Connect writes it; null when the body is something else. */
function connectMessage(answer: { contentType: string | null; text: string }): string | null {
  if (!/json/i.test(answer.contentType ?? "json")) return null;
  try {
    const body = parseJson(answer.text);
    return isJsonObject(body) && typeof body.message === "string" ? body.message : null;
  } catch {
    return null;
  }
}

function safe(message: string): string {
  return maskText(firstLine(message));
}

/** A request that threw before or while it was answered. */
export function failureOfError(asked: Asked, error: unknown, progress: Progress, limits: Limits): Refusal {
  const could = `Could not ${asked.what}:`;
  const at = asked.address;
  if (error instanceof EntryTooLargeError) {
    const sentence = `${could} one part of the answer of ${at} is larger than ${megabytes(error.maxBytes)}, and reading was stopped`;
    return refusal("too-large", sentence, checkAddress);
  }
  if (error instanceof TooManyError) {
    const most = `more than ${error.most.toLocaleString("en-GB")} ${error.of}`;
    return refusal("too-large", `${could} ${at} lists ${most}, and reading was stopped`, checkAddress);
  }
  if (error instanceof TooLargeError) {
    const sentence = `${could} the answer of ${at} is larger than ${megabytes(progress.maxBytes)}, and reading was stopped`;
    return refusal("too-large", sentence, checkAddress);
  }
  if (error instanceof NotAnObjectError && error.list) {
    const sentence = `${could} this Connect version answers with names only (needs 2.3)`;
    return refusal("not-supported", sentence, "Update Kafka Connect.", { final: true });
  }
  if (error instanceof WrongShapeError)
    return error.notConnect
      ? refusal(
          "not-connect",
          `The address ${at} answered JSON, but not as Kafka Connect: ${error.message}`,
          checkAddress,
        )
      : refusal(
          "invalid-answer",
          `${could} the answer is not of the expected form: ${error.message}`,
          checkAddress,
        );
  if (error instanceof UnfinishedJsonError) {
    const sentence = `${could} the answer ends in the middle, after ${progress.bytes} bytes`;
    return refusal("invalid-answer", sentence, checkAddress);
  }
  if (error instanceof SyntaxError || error instanceof NotAnObjectError)
    return refusal("invalid-answer", `${could} the answer of ${at} says it is JSON and is not`, checkAddress);
  if (error instanceof RangeError)
    return refusal(
      "invalid-answer",
      `${could} the answer of ${at} is nested too deep to be read`,
      checkAddress,
    );
  return failureOfConnection(asked, error, progress, limits);
}

function failureOfConnection(asked: Asked, error: unknown, progress: Progress, limits: Limits): Refusal {
  const at = asked.address;
  const code = errorCode(error);
  const seconds = `${limits.answerMs / 1000} s`;
  if (code === "UND_ERR_CONNECT_TIMEOUT") {
    const sentence = `${at} did not accept a connection within ${limits.connectMs / 1000} s`;
    return refusal("unreachable", sentence, "Check that the worker runs and that no firewall is between.");
  }
  if (isAbort(error)) {
    const sentence =
      progress.phase === "body"
        ? `${at} began to answer, but was not done after ${seconds} (${progress.bytes} bytes had come)`
        : `${at} accepted the connection, but did not answer within ${seconds}`;
    return refusal(
      "timeout",
      sentence,
      "See what the Connect worker is doing; a restart of it may be needed.",
    );
  }
  const tls = tlsFailure(asked, code);
  if (tls) return tls;
  if (code.startsWith("HPE_") || code === "HTTPParserError") {
    const remedy =
      "Give the REST port of Connect, and https:// where it speaks TLS. A broker's port is not it.";
    return refusal("not-connect", `${at} answered, but not in HTTP`, remedy);
  }
  if (progress.phase === "body") {
    const sentence = `${at} broke off in the middle of its answer, after ${progress.bytes} bytes`;
    return refusal("unreachable", sentence, null);
  }
  return refusal("unreachable", `${at} ${connectionSentence(code)}`, connectionRemedy(code));
}

function connectionSentence(code: string): string {
  const sentences: Record<string, string> = {
    ECONNREFUSED: "refused the connection",
    ENOTFOUND: "has a host name that does not exist",
    EAI_AGAIN: "has a host name that could not be looked up just now",
    ECONNRESET: "closed the connection without an answer",
    UND_ERR_SOCKET: "closed the connection without an answer",
    EHOSTUNREACH: "cannot be reached: there is no way to the host",
    ENETUNREACH: "cannot be reached: there is no way to its network",
    ETIMEDOUT: "did not accept a connection",
  };
  return sentences[code] ?? `could not be asked (${code})`;
}

function connectionRemedy(code: string): string {
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return "Check the host name and the name service.";
  return "Check that the Connect worker runs and that the port is that of its REST interface.";
}

/** Error codes of OpenSSL and Node.js's tls module. */
function tlsFailure(asked: Asked, code: string): Refusal | null {
  const caRemedy = "Give the authority's PEM file as connect.tls.ca (CONNECT_TLS_CA_FILE).";
  const clientRemedy = "Give a certificate and key as connect.tls.cert and connect.tls.key.";
  const known: Record<string, [string, string]> = {
    DEPTH_ZERO_SELF_SIGNED_CERT: ["has a self-signed certificate that is not trusted", caRemedy],
    SELF_SIGNED_CERT_IN_CHAIN: ["has a certificate of an authority that is not trusted", caRemedy],
    UNABLE_TO_VERIFY_LEAF_SIGNATURE: ["has a certificate of an authority that is not trusted", caRemedy],
    UNABLE_TO_GET_ISSUER_CERT_LOCALLY: ["has a certificate of an authority that is not trusted", caRemedy],
    CERT_HAS_EXPIRED: ["has a certificate that has expired", "Renew the certificate of the worker."],
    CERT_NOT_YET_VALID: ["has a certificate that is not valid yet", "Check the clocks and the certificate."],
    ERR_TLS_CERT_ALTNAME_INVALID: [
      "has a certificate that is for another host name",
      "Use a name that the certificate has, or have one made for this name.",
    ],
    ERR_SSL_WRONG_VERSION_NUMBER: ["does not speak TLS", "Use http:// in the address, or turn on TLS there."],
    ERR_SSL_PACKET_LENGTH_TOO_LONG: [
      "does not speak TLS",
      "Use http:// in the address, or turn on TLS there.",
    ],
    EPROTO: [
      "could not agree on TLS",
      "Use http:// if the worker does not speak TLS; else check its versions.",
    ],
    ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: ["wants a client certificate", clientRemedy],
    ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE: ["refused the TLS handshake", clientRemedy],
  };
  const [sentence, remedy] = known[code] ?? [];
  return sentence && remedy ? refusal("unreachable", `${asked.address} ${sentence}`, remedy) : null;
}

/** The settings name a TLS file that cannot be read. */
export function failureOfTlsFile(file: string, error: unknown): Failure {
  return {
    kind: "not-configured",
    sentence: `The TLS file ${file} cannot be read (${errorCode(error)}).`,
    remedy: "Correct connect.tls in the settings, or the permissions of the file.",
  };
}

/** None of several workers answered: every one with its reason. */
export function failureOfAll(refusals: readonly Refusal[]): Failure {
  const [first] = refusals;
  if (!first)
    return {
      kind: "not-configured",
      sentence: "No address of Kafka Connect is given.",
      remedy: checkAddress,
    };
  if (refusals.length === 1) return first.failure;
  const sentences = refusals.map((one) => one.failure.sentence).join(" ");
  return { ...first.failure, sentence: `None of ${refusals.length} workers answered. ${sentences}` };
}

/** The code of an error, or of what caused it; several attempts (IPv6, IPv4) count as the last. */
export function errorCode(error: unknown): string {
  if (!(error instanceof Error)) return "unknown error";
  if (error instanceof AggregateError && error.errors.length > 0) return errorCode(error.errors.at(-1));
  const code = "code" in error && typeof error.code === "string" ? error.code : null;
  if ((code === null || code === "UND_ERR_ABORTED") && error.cause instanceof Error)
    return errorCode(error.cause);
  return code ?? error.name;
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && (error.name === "AbortError" || error.name === "TimeoutError");
}

function megabytes(bytes: number): string {
  return bytes >= 1024 * 1024 ? `${Math.round(bytes / 1024 / 1024)} MB` : `${Math.round(bytes / 1024)} kB`;
}
