import errors from "kafkajs/src/protocol/error.js";
import type { Failure } from "@/lib/observed/observation";
import { DeadlineError, NoBrokerReachedError, NoBrokersError } from "./connection";
import { TooNewError, TooOldError, WireError } from "./wire";

/** What was asked of the brokers, for the sentence and for the permission that it needs. */
export type Asked = { about: "cluster" } | AskedOfTopic;
type AskedOfTopic = { about: "metadata" | "settings" | "offsets" | "records"; topic: string };

/** Errors that kafkajs does not know (org.apache.kafka.common.protocol.Errors). */
const newerErrors: Record<number, string> = {
  100: "UNKNOWN_TOPIC_ID: it knows no topic with this id",
  103: "INCONSISTENT_TOPIC_ID: the topic has another id on its disk",
};

/** An error of a broker by its protocol code, such as 29, TOPIC_AUTHORIZATION_FAILED. */
export function brokerFailure(code: number, asked: Asked): Failure {
  const { type, message } = errors.createErrorFromCode(code);
  const said = newerErrors[code] ?? `${type}: ${message}`;
  return byType(type, asked) ?? failure("server-error", `the broker answered ${said}`, null);
}

/** Whatever a call to the brokers threw. */
export function kafkaFailure(error: unknown, asked: Asked): Failure {
  if (error instanceof NoBrokersError) {
    return failure(
      "not-configured",
      "no brokers are configured for this cluster",
      "Set kafka.brokers for it.",
    );
  }
  if (error instanceof NoBrokerReachedError) return unreachable(error);
  if (error instanceof DeadlineError) {
    return failure(
      "timeout",
      `the brokers gave ${error.message}`,
      "Check the network and the load of the brokers.",
    );
  }
  if (error instanceof TooOldError) {
    return failure(
      "not-supported",
      "the brokers are older than Kafka 0.11",
      "Tidemark needs Kafka 0.11 or newer.",
    );
  }
  if (error instanceof WireError) return failure("invalid-answer", error.message, null);
  if (!(error instanceof Error)) return failure("internal", `unexpected: ${String(error)}`, null);
  if (error.name === "KafkaJSSASLAuthenticationError") return loginRefused(error.message);
  if (error.name === "KafkaJSServerDoesNotSupportApiKey" || error instanceof TooNewError) {
    return failure(
      "not-supported",
      `the brokers do not know a request that Tidemark needs: ${error.message}`,
      null,
    );
  }
  const byName = "type" in error && typeof error.type === "string" ? byType(error.type, asked) : null;
  if (byName) return byName;
  const code = "code" in error ? error.code : null;
  if (code === "ENOENT" || code === "EACCES") {
    const path = "path" in error ? String(error.path) : "a file";
    return failure(
      "not-configured",
      `cannot read the TLS file ${path} (${code === "ENOENT" ? "it is not there" : "not allowed"})`,
      "Correct the path under kafka.tls, or the file's permissions.",
    );
  }
  return failure("internal", `the brokers could not be asked: ${error.message}`, null);
}

function byType(type: string, asked: Asked): Failure | null {
  switch (type) {
    case "TOPIC_AUTHORIZATION_FAILED":
      return asked.about === "cluster" ? null : topicDenied(asked);
    case "CLUSTER_AUTHORIZATION_FAILED":
      return failure(
        "forbidden",
        "not allowed to read the brokers' settings (needs DescribeConfigs on the cluster)",
        `Grant it: kafka-acls.sh --bootstrap-server "$BROKERS" --add --allow-principal "User:$USER_OF_TIDEMARK" --operation DescribeConfigs --cluster`,
      );
    case "SASL_AUTHENTICATION_FAILED":
    case "ILLEGAL_SASL_STATE":
      return loginRefused(null);
    case "UNSUPPORTED_SASL_MECHANISM":
      return loginRefused("the brokers do not offer this mechanism");
    case "UNKNOWN_TOPIC_OR_PARTITION":
      return failure("not-found", `${name(asked)} does not exist`, null);
    case "LEADER_NOT_AVAILABLE":
      return failure("server-error", `${name(asked)} is being created, or has no leader at the moment`, null);
    case "NOT_LEADER_FOR_PARTITION":
      return failure("server-error", `${name(asked)} just changed its leader`, null);
    case "REQUEST_TIMED_OUT":
      return failure("timeout", "the broker took too long and gave up", null);
    case "INVALID_TOPIC_EXCEPTION":
      return failure("invalid-answer", `${name(asked)} has a name that Kafka does not allow`, null);
    default:
      return null;
  }
}

function topicDenied(asked: AskedOfTopic): Failure {
  const [operation, what] = {
    metadata: ["Describe", "see it"],
    settings: ["DescribeConfigs", "read the settings"],
    offsets: ["Describe", "read the offsets"],
    records: ["Read", "read the records"],
  }[asked.about];
  return failure(
    "forbidden",
    `not allowed to ${what} (needs ${operation} on topic ${asked.topic})`,
    `Grant it: kafka-acls.sh --bootstrap-server "$BROKERS" --add --allow-principal "User:$USER_OF_TIDEMARK" --operation ${operation} --topic '${asked.topic}'`,
  );
}

function loginRefused(why: string | null): Failure {
  return failure(
    "unauthorised",
    `the brokers refused the login${why ? `: ${why}` : ""}`,
    "Check kafka.sasl: mechanism, username and password.",
  );
}

function unreachable(error: NoBrokerReachedError): Failure {
  const cause = error.cause instanceof Error ? error.cause : null;
  const code = cause && "code" in cause ? String(cause.code) : "";
  const where = error.addresses.join(", ");
  const who = error.advertisedAs
    ? `${error.advertisedAs}, which the cluster gives as ${where || "unknown"},`
    : error.addresses.length === 1
      ? `the broker at ${where}`
      : `none of the brokers at ${where}`;
  const fix = error.advertisedAs
    ? "The address in advertised.listeners of that broker must be reachable from here."
    : "Check kafka.brokers, and that the brokers run.";
  if (code === "WANTS_TLS") {
    return failure(
      "unreachable",
      `${who} wants TLS, and this cluster is set to go without`,
      "Set kafka.tls.",
    );
  }
  if (code === "NOT_KAFKA" || code === "TOO_LARGE") {
    const why = cause?.message.replace(/^Connection error: /, "") ?? "";
    return failure("unreachable", `${who} does not speak Kafka's protocol (${why})`, fix);
  }
  if (cause && isTimeout(cause)) {
    return failure("timeout", `${who} did not answer in time`, `${fix} A firewall may drop the packets.`);
  }
  if (cause?.name === "KafkaJSConnectionClosedError") {
    return failure(
      "unreachable",
      `${who} closed the connection`,
      "Check kafka.tls and kafka.sasl: a broker hangs up on a client without the TLS or login that it wants.",
    );
  }
  return failure("unreachable", `${who} cannot be reached (${reason(code, cause)})`, fix);
}

function isTimeout(error: Error): boolean {
  return error instanceof DeadlineError || /timeout|timed out/i.test(`${error.name} ${error.message}`);
}

function reason(code: string, cause: Error | null): string {
  const known: Record<string, string> = {
    ECONNREFUSED: "connection refused",
    ENOTFOUND: "no such host",
    EAI_AGAIN: "the name cannot be resolved at the moment",
    ECONNRESET: "connection reset; if it goes without TLS, unset kafka.tls",
    EHOSTUNREACH: "no route to the host",
    ENETUNREACH: "no route to the network",
    SELF_SIGNED_CERT_IN_CHAIN: "its certificate is signed by an unknown authority: set kafka.tls.ca",
    DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is self-signed: set kafka.tls.ca",
    UNABLE_TO_VERIFY_LEAF_SIGNATURE: "its certificate is signed by an unknown authority: set kafka.tls.ca",
    CERT_HAS_EXPIRED: "its certificate has expired",
    ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another name",
  };
  return known[code] ?? cause?.message.replace(/^Connection error: /, "") ?? "no answer";
}

function name(asked: Asked): string {
  return asked.about === "cluster" ? "the cluster" : `topic ${asked.topic}`;
}

function failure(kind: Failure["kind"], sentence: string, remedy: string | null): Failure {
  return { kind, sentence, remedy };
}
