import { isJsonObject, parseJson } from "@/lib/debezium/json";
import type { Failure } from "@/lib/observed/observation";

export interface RegistryLimits {
  /** Milliseconds until a connection must stand. */
  connectMs: number;
  /** Milliseconds for a whole answer. */
  answerMs: number;
  /** Bytes of one schema. */
  maxBytes: number;
}

/** What was asked of whom, for sentences. */
interface Asked {
  /** Scheme, host, port and path prefix; settings let no credentials in here. */
  address: string;
  /** Completes "Could not …". */
  what: string;
}

const checkAddress =
  "Check schemaRegistry.url (SCHEMA_REGISTRY_URL), the path before /schemas included: for Apicurio /apis/ccompat/v7.";
const checkLogin =
  "Check schemaRegistry.basicAuth (SCHEMA_REGISTRY_USERNAME, SCHEMA_REGISTRY_PASSWORD), and what this user may read.";

/** No registry is named in the settings. */
export const noRegistry: Failure = {
  kind: "not-configured",
  sentence: "no schema registry is configured for this cluster",
  remedy: "Set schemaRegistry.url for it (SCHEMA_REGISTRY_URL).",
};

/** An answer other than the one hoped for. `text` is the beginning of its body. */
export function registryRefusal(
  asked: Asked,
  answer: { status: number; contentType: string; location: string | null; text: string },
): Failure {
  const { status } = answer;
  const could = `could not ${asked.what}`;
  if (status >= 300 && status < 400) {
    const target = answer.location && URL.canParse(answer.location, asked.address);
    const url = target ? new URL(answer.location ?? "", asked.address) : null;
    // Only host and path: a query can hold a token of a login.
    const to = url ? ` to ${url.protocol}//${url.host}${url.pathname}` : "";
    const sentence = `${asked.address} redirects${to} (HTTP ${status}), and redirects are not followed`;
    return failure("redirected", sentence, "Give the address that the schema registry itself answers at.");
  }
  if (status === 401) return failure("unauthorised", `${could}: not authorised (401)`, checkLogin);
  if (status === 403) return failure("forbidden", `${could}: forbidden (403)`, checkLogin);
  const told = registryError(answer.text, status);
  if (told === null) {
    const type = answer.contentType.split(";")[0]?.trim() || "no content type";
    const sentence = `${asked.address} answered, but not as a schema registry (HTTP ${status}, ${type})`;
    return failure("invalid-answer", sentence, checkAddress);
  }
  if (status === 404) return failure("not-found", `${could}: ${told}`, checkSubject);
  return failure("server-error", `${could}: the schema registry failed (${status}): ${told}`, checkLog);
}

const checkSubject =
  "It may have been deleted, or the connector may write to another registry than schemaRegistry.url names.";
const checkLog = "See the log of the schema registry at that time.";

/**
 * `message` of an error body as Confluent's API has it, beside an `error_code`; null when the body is something else. Code
 * 404 is said of a path that the server does not know, 40401 to 40403 of a subject, a version or a schema.
 */
function registryError(text: string, status: number): string | null {
  try {
    const body = parseJson(text);
    if (!isJsonObject(body) || body.error_code === undefined) return null;
    if (status === 404 && body.error_code === 404) return null;
    const message = typeof body.message === "string" ? body.message : "";
    const line = message
      .replace(/[\p{Cc}\p{Cf}<>].*$/su, "")
      .trim()
      .slice(0, 200);
    return line || `error ${String(body.error_code)}`;
  } catch {
    return null;
  }
}

/** A request that threw before or while it was answered, by the code of what it threw. */
export function registryFailure({ address, what }: Asked, code: string, limits: RegistryLimits): Failure {
  const could = `could not ${what}`;
  switch (code) {
    case "TOO_LARGE": {
      const most = `${limits.maxBytes / 1024 / 1024} MB`;
      return failure("too-large", `${could}: the answer of ${address} is larger than ${most}`, null);
    }
    case "NOT_JSON":
      return failure(
        "invalid-answer",
        `${could}: the answer of ${address} says it is JSON and is not`,
        checkAddress,
      );
    case "ABORTED": {
      const sentence = `${could}: ${address} did not answer within ${limits.answerMs / 1_000} s`;
      return failure("timeout", sentence, "Check the load of the schema registry, and the network.");
    }
    case "UND_ERR_CONNECT_TIMEOUT": {
      const sentence = `${could}: ${address} did not accept a connection within ${limits.connectMs / 1_000} s`;
      return failure(
        "unreachable",
        sentence,
        "Check that the registry runs and that no firewall is between.",
      );
    }
    default: {
      const remedy = /CERT|SIGNATURE|ISSUER/.test(code)
        ? "Let Node.js trust the authority: name its PEM file in NODE_EXTRA_CA_CERTS."
        : "Check that the schema registry runs, and schemaRegistry.url (SCHEMA_REGISTRY_URL).";
      return failure("unreachable", `${could}: ${address} ${connectionSentence(code)}`, remedy);
    }
  }
}

function connectionSentence(code: string): string {
  const sentences: Record<string, string> = {
    ECONNREFUSED: "refused the connection",
    ENOTFOUND: "has a host name that does not exist",
    EAI_AGAIN: "has a host name that could not be looked up just now",
    ECONNRESET: "broke off the connection",
    UND_ERR_SOCKET: "broke off the connection",
    EHOSTUNREACH: "cannot be reached: there is no way to the host",
    ENETUNREACH: "cannot be reached: there is no way to its network",
    DEPTH_ZERO_SELF_SIGNED_CERT: "has a self-signed certificate that is not trusted",
    SELF_SIGNED_CERT_IN_CHAIN: "has a certificate of an authority that is not trusted",
    UNABLE_TO_VERIFY_LEAF_SIGNATURE: "has a certificate of an authority that is not trusted",
    UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "has a certificate of an authority that is not trusted",
    CERT_HAS_EXPIRED: "has a certificate that has expired",
    ERR_TLS_CERT_ALTNAME_INVALID: "has a certificate that is for another host name",
    ERR_SSL_WRONG_VERSION_NUMBER: "does not speak TLS",
    EPROTO: "could not agree on TLS",
  };
  return (
    sentences[code] ??
    (code.startsWith("HPE_") || code === "HTTPParserError"
      ? "answered, but not in HTTP"
      : `could not be asked (${code})`)
  );
}

function failure(kind: Failure["kind"], sentence: string, remedy: string | null): Failure {
  return { kind, sentence, remedy };
}
