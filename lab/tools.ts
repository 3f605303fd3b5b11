import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { java } from "./broker";
import { downloadsFolder } from "./downloads";
import type { Lab } from "./lab";

/** Kafka's own programs that the remedies on the pages name, by the class that each starts (bin/ of a Kafka download). */
const PROGRAMS = {
  "kafka-configs.sh": "org.apache.kafka.tools.ConfigCommand",
  "kafka-topics.sh": "org.apache.kafka.tools.TopicCommand",
  "kafka-delete-records.sh": "org.apache.kafka.tools.DeleteRecordsCommand",
};

/**
 * The environment in which a command that a page shows runs against this lab as it stands: `BROKERS`, `CONNECT_URL`, and a
 * `PATH` on which Kafka's programs are found.
 */
export function toolEnvironment(lab: Lab): { BROKERS: string; CONNECT_URL: string; PATH: string } {
  const folder = join(lab.places.run, "bin");
  mkdirSync(folder, { recursive: true });
  for (const [name, main] of Object.entries(PROGRAMS)) {
    const file = join(folder, name);
    const jars = join(downloadsFolder(), "kafka", "*");
    const options = "-Xmx128m -XX:TieredStopAtLevel=1 -Dlog4j2.level=ERROR";
    writeFileSync(file, `#!/bin/sh\nexec "${java()}" ${options} -cp "${jars}" ${main} "$@"\n`);
    chmodSync(file, 0o755);
  }
  return {
    BROKERS: lab.brokers.join(","),
    CONNECT_URL: lab.connectUrl,
    PATH: `${folder}:${process.env.PATH ?? ""}`,
  };
}
