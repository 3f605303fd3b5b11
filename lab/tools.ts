import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { java } from "./broker";
import { downloadsFolder } from "./downloads";
import type { Lab } from "./lab";
import { javaLogin } from "./login";
import { secretsOf } from "./state";

/** Kafka's own programs that the remedies on the pages name, by the class that each starts (bin/ of a Kafka download). */
const PROGRAMS = {
  "kafka-acls.sh": "org.apache.kafka.tools.AclCommand",
  "kafka-configs.sh": "org.apache.kafka.tools.ConfigCommand",
  "kafka-topics.sh": "org.apache.kafka.tools.TopicCommand",
  "kafka-delete-records.sh": "org.apache.kafka.tools.DeleteRecordsCommand",
};

/** What {@link toolEnvironment} gives. */
export type ToolEnvironment = Record<"BROKERS" | "CONNECT_URL" | "PATH", string> & Record<string, string>;

/**
 * The environment in which a command that a page shows runs against this lab as it stands: `BROKERS`, `CONNECT_URL`, and a
 * `PATH` on which Kafka's programs are found. In a lab with access control these log in as `admin` by themselves, and the
 * login of `tidemark` is there as Tidemark's own settings.
 */
export function toolEnvironment(lab: Lab): ToolEnvironment {
  const folder = join(lab.places.run, "bin");
  mkdirSync(folder, { recursive: true });
  const login = lab.state.secure ? ` --command-config "${clientProperties(lab)}"` : "";
  for (const [name, main] of Object.entries(PROGRAMS)) {
    const file = join(folder, name);
    const jars = join(downloadsFolder(), "kafka", "*");
    const options = "-Xmx128m -XX:TieredStopAtLevel=1 -Dlog4j2.level=ERROR";
    writeFileSync(file, `#!/bin/sh\nexec "${java()}" ${options} -cp "${jars}" ${main}${login} "$@"\n`);
    chmodSync(file, 0o755);
  }
  return {
    BROKERS: lab.brokers.join(","),
    CONNECT_URL: lab.connectUrl,
    PATH: `${folder}:${process.env.PATH ?? ""}`,
    ...loginEnvironment(lab),
  };
}

/** Settings of Tidemark that reach this lab beyond its addresses: the login of `tidemark`, and the schema registry. */
export function loginEnvironment(lab: Lab): Record<string, string> {
  const { sasl } = lab.kafkaSettings("tidemark");
  const login = {
    USER_OF_TIDEMARK: sasl?.username,
    KAFKA_SASL_MECHANISM: sasl?.mechanism,
    KAFKA_SASL_USERNAME: sasl?.username,
    KAFKA_SASL_PASSWORD: sasl?.password,
    SCHEMA_REGISTRY_URL: lab.registryUrl,
  };
  return Object.fromEntries(Object.entries(login).filter((entry): entry is [string, string] => !!entry[1]));
}

/** A file by which Kafka's own programs log in as `admin`. */
export function clientProperties({ places, state }: Pick<Lab, "places" | "state">): string {
  const file = join(places.run, "admin.properties");
  const settings = Object.entries(javaLogin(places, state, "", secretsOf(places).kafkaAdmin));
  const lines = settings.map(([name, value]) => `${name}=${value}\n`);
  writeFileSync(file, lines.join(""), { mode: 0o600 });
  return file;
}
