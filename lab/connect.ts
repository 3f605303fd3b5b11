import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { clusterIdOf, java, javaArguments } from "./broker";
import { askConnect } from "./connect-rest";
import type { AvroDownloads, Downloads } from "./downloads";
import { faultWithLog } from "./fault";
import { javaLogin } from "./login";
import type { Places } from "./places";
import { isAlive, isFrozen, launch, logOf } from "./processes";
import { until } from "./progress";
import { type LabState, type WorkerName, workersOf } from "./state";

/** Starts a Connect worker with the settings of the state, and waits until its REST interface is ready. @throws LabFault */
export async function startConnect(
  places: Places,
  state: LabState,
  downloads: Downloads,
  avro: AvroDownloads | null,
  name: WorkerName = "connect",
): Promise<void> {
  const settings = join(places.run, `${name}.properties`);
  mkdirSync(places.run, { recursive: true });
  const plugins = [downloads.plugins, ...(avro ? [avro.plugins] : [])].join(",");
  writeFileSync(settings, `${workerProperties(state, plugins, name)}${logins(places, state)}`);
  const main = "org.apache.kafka.connect.cli.ConnectDistributed";
  const recorded = await launch(places, name, {
    command: java(),
    args: [...javaArguments(downloads, 512, main), settings],
  });
  const log = logOf(places, name);
  await until(
    async () => {
      if (!isAlive(recorded)) throw faultWithLog(`The worker ${name} ended while it started.`, log);
      const about = await askConnect(connectUrlOf(state, name), "GET", "/").catch(() => null);
      // Another worker may sit on the port.
      if (!isOurs(about?.body, clusterIdOf(places))) return null;
      const answer = await askConnect(connectUrlOf(state, name), "GET", "/connectors").catch(() => null);
      return answer?.status === 200 ? true : null;
    },
    120_000,
    () => faultWithLog(`The worker ${name} does not answer after 120 s.`, log),
  );
}

function isOurs(about: unknown, clusterId: string | null): boolean {
  return (
    typeof about === "object" &&
    about !== null &&
    "kafka_cluster_id" in about &&
    about.kafka_cluster_id === clusterId
  );
}

/** Address of a worker's REST interface. */
export function connectUrlOf(state: Pick<LabState, "ports">, name: WorkerName = "connect"): string {
  return `http://127.0.0.1:${state.ports[name]}`;
}

/** Address of the first worker that can answer: alive, and not frozen. The first one's where none can. */
export function answeringUrlOf(state: LabState): string {
  const name = workersOf(state).find(
    (one) => isAlive(state.processes[one]) && !isFrozen(state.processes[one]),
  );
  return connectUrlOf(state, name);
}

/** Each of the worker's clients logs in by itself. */
function logins(places: Places, state: LabState): string {
  const settings = ["", "producer.", "consumer.", "admin."].map((prefix) => javaLogin(places, state, prefix));
  const lines = Object.entries(Object.assign({}, ...settings)).map(([name, value]) => `${name}=${value}\n`);
  return lines.join("");
}

/** By service manifests it starts faster; the Avro converter has none. */
function discovery({ avro }: LabState): string {
  return `plugin.discovery=${avro ? "hybrid_warn" : "service_load"}`;
}

/** The next worker waits for the open transactions of one that was killed: ten seconds instead of Connect's minute. */
const shortTransactions = "producer.transaction.timeout.ms=10000\n";

/** The worker's settings. */
export function workerProperties(state: LabState, plugins: string, name: WorkerName = "connect"): string {
  const { ports } = state;
  return `bootstrap.servers=127.0.0.1:${ports.kafka}
group.id=connect-lab
key.converter=org.apache.kafka.connect.json.JsonConverter
value.converter=org.apache.kafka.connect.json.JsonConverter
key.converter.schemas.enable=false
value.converter.schemas.enable=false
offset.storage.topic=connect-offsets
offset.storage.replication.factor=1
offset.storage.partitions=5
config.storage.topic=connect-configs
config.storage.replication.factor=1
status.storage.topic=connect-status
status.storage.replication.factor=1
status.storage.partitions=3
offset.flush.interval.ms=${state.flushIntervalMs}
exactly.once.source.support=${state.exactlyOnce ? "enabled" : "disabled"}
${state.exactlyOnce ? shortTransactions : ""}listeners=http://127.0.0.1:${ports[name]}
rest.advertised.host.name=127.0.0.1
rest.advertised.port=${ports[name]}
plugin.path=${plugins}
${discovery(state)}
connector.client.config.override.policy=All
topic.creation.enable=true
scheduled.rebalance.max.delay.ms=3000
config.providers=file
config.providers.file.class=org.apache.kafka.common.config.provider.FileConfigProvider
`;
}
