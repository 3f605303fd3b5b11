import { join } from "node:path";
import type { ClusterSettings } from "@/lib/config/settings";
import { brokerAddresses } from "./brokers";
import type { Places } from "./places";
import { type LabState, type Secrets, secretsOf } from "./state";

/** Users of a broker with access control: `admin` may do anything, `tidemark` what ACLs grant it. */
export type KafkaUser = "admin" | "tidemark";
export type KafkaSettings = NonNullable<ClusterSettings["kafka"]>;
type Sasl = NonNullable<KafkaSettings["sasl"]>;

const SECRET = { admin: "kafkaAdmin", tidemark: "tidemark" } as const satisfies Record<
  KafkaUser,
  keyof Secrets
>;

export interface LoginOptions {
  /** The standard is scram-sha-512. */
  mechanism?: Sasl["mechanism"];
  /** By the listener with TLS, whose certificate is trusted by `ca`. */
  tls?: boolean;
}

/** What a client of the lab's broker needs, as Tidemark's settings have it: no login where the lab asks for none. */
export function kafkaSettings(
  places: Places,
  state: LabState,
  user: KafkaUser,
  options: LoginOptions = {},
): KafkaSettings {
  const brokers = brokerAddresses(places, state, options.tls);
  if (!state.secure) return { brokers, tls: false };
  const tls = options.tls ? { ca: certificateOf(places), rejectUnauthorized: true } : false;
  const mechanism = options.mechanism ?? "scram-sha-512";
  return { brokers, tls, sasl: { mechanism, username: user, password: secretsOf(places)[SECRET[user]] } };
}

/** PEM file of the broker's certificate, which signs itself. */
export function certificateOf(places: Pick<Places, "run">): string {
  return join(places.run, "tls", "broker.pem");
}

/**
 * Settings by which a Java client logs in as `admin`, each name behind `prefix`; none where the lab asks for no login. The
 * password is, unless given, a reference into the lab's file of secrets, which Connect resolves.
 */
export function javaLogin(
  places: Pick<Places, "secrets">,
  state: Pick<LabState, "secure">,
  prefix = "",
  password = `\${file:${places.secrets}:${SECRET.admin}}`,
): Record<string, string> {
  if (!state.secure) return {};
  return {
    [`${prefix}security.protocol`]: "SASL_PLAINTEXT",
    [`${prefix}sasl.mechanism`]: "SCRAM-SHA-512",
    [`${prefix}sasl.jaas.config`]: scramLogin(password),
  };
}

/** The login of `admin` as Java's login modules take it. */
export function scramLogin(password: string): string {
  return `org.apache.kafka.common.security.scram.ScramLoginModule required username="admin" password="${password}";`;
}
