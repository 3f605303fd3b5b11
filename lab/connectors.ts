import { AVRO, avroConfig } from "./avro";
import { kafkaClient } from "./broker";
import { connectUrlOf } from "./connect";
import { askConnect } from "./connect-rest";
import { LabFault } from "./fault";
import { javaLogin } from "./login";
import type { Places } from "./places";
import { until } from "./progress";
import type { LabState } from "./state";

/** Names of the lab's connectors. */
export const ORDERS = "orders-cdc";
export const INVENTORY = "inventory-cdc";

/** The connectors of this lab: one without MariaDB, one more with Avro. */
export function connectorNames(state: Pick<LabState, "mariadb" | "avro">): string[] {
  return [ORDERS, ...(state.mariadb ? [INVENTORY] : []), ...(state.avro ? [AVRO] : [])];
}

/** Creates the signal topics and both connectors, or changes those whose config differs. @throws LabFault */
export async function registerConnectors(places: Places, state: LabState): Promise<void> {
  await createSignalTopics(places, state);
  const configs = connectorConfigs(places, state);
  for (const name of connectorNames(state)) await putConfig(connectUrlOf(state), name, configs[name] ?? {});
}

/** Configs as they are sent: passwords are references into the lab's file of secrets. */
export function connectorConfigs(
  places: Pick<Places, "secrets">,
  state: LabState,
): Record<string, Record<string, string>> {
  const brokers = `127.0.0.1:${state.ports.kafka}`;
  const password = `\${file:${places.secrets}:cdc}`;
  return {
    [ORDERS]: {
      ...postgresSource(places, state, "orders_cdc"),
      "table.include.list":
        "public.orders,public.order_lines,public.customers,public.audit_nopk,public.debezium_signal,public.debezium_heartbeat",
      "heartbeat.action.query": "UPDATE public.debezium_heartbeat SET ts = now() WHERE id = 1",
      "signal.data.collection": "public.debezium_signal",
      ...common("shop", brokers, "shop\\.public\\.order_lines"),
      ...signalLogin(places, state),
    },
    [INVENTORY]: {
      "connector.class": "io.debezium.connector.mariadb.MariaDbConnector",
      "database.hostname": "127.0.0.1",
      "database.port": String(state.ports.mariadb),
      "database.user": "cdc",
      "database.password": password,
      "database.server.id": "184054",
      "database.include.list": "inventory",
      "table.include.list":
        "inventory.products,inventory.stock_moves,inventory.log_nopk,inventory.debezium_signal",
      "include.schema.changes": "true",
      "schema.history.internal.kafka.topic": "inv.schema-history",
      "schema.history.internal.kafka.bootstrap.servers": brokers,
      "signal.data.collection": "inventory.debezium_signal",
      ...common("inv", brokers, "inv\\.inventory\\.stock_moves"),
      ...signalLogin(places, state),
      ...javaLogin(places, state, "schema.history.internal.producer."),
      ...javaLogin(places, state, "schema.history.internal.consumer."),
    },
    ...(state.avro ? { [AVRO]: avroConfig(postgresSource(places, state, "orders_avro"), state.ports) } : {}),
  };
}

/** The database `shop`, with a slot and a publication of this name. */
function postgresSource(
  places: Pick<Places, "secrets">,
  state: LabState,
  slot: string,
): Record<string, string> {
  return {
    "connector.class": "io.debezium.connector.postgresql.PostgresConnector",
    "database.hostname": "127.0.0.1",
    "database.port": String(state.ports.postgres),
    "database.user": "cdc",
    "database.password": `\${file:${places.secrets}:cdc}`,
    "database.dbname": "shop",
    "plugin.name": "pgoutput",
    "slot.name": slot,
    "publication.name": `${slot}_pub`,
    "publication.autocreate.mode": "filtered",
  };
}

function signalLogin(places: Pick<Places, "secrets">, state: LabState): Record<string, string> {
  return javaLogin(places, state, "signal.consumer.");
}

function common(prefix: string, brokers: string, wideTopic: string): Record<string, string> {
  return {
    "tasks.max": "1",
    "topic.prefix": prefix,
    "snapshot.mode": "initial",
    "provide.transaction.metadata": "true",
    "heartbeat.interval.ms": "5000",
    "tombstones.on.delete": "true",
    "signal.enabled.channels": "source,kafka",
    "signal.poll.interval.ms": "1000",
    "signal.kafka.topic": `${prefix}.signals`,
    "signal.kafka.bootstrap.servers": brokers,
    "incremental.snapshot.chunk.size": "512",
    "notification.enabled.channels": "sink,log",
    "notification.sink.topic.name": `${prefix}.notifications`,
    "topic.creation.default.partitions": "1",
    "topic.creation.default.replication.factor": "1",
    "topic.creation.groups": "wide",
    "topic.creation.wide.include": wideTopic,
    "topic.creation.wide.partitions": "8",
    "topic.creation.wide.replication.factor": "1",
  };
}

async function createSignalTopics(places: Places, state: LabState): Promise<void> {
  const admin = kafkaClient(places).admin();
  await admin.connect();
  try {
    const topics = state.mariadb ? ["shop.signals", "inv.signals"] : ["shop.signals"];
    await admin.createTopics({
      topics: topics.map((topic) => ({ topic, numPartitions: 1, replicationFactor: 1 })),
      // The connectors wait for them by themselves; kafkajs fails where a busy broker does not know of a new one yet.
      waitForLeaders: false,
    });
  } finally {
    await admin.disconnect();
  }
}

/** Puts a config where it differs: an equal one would restart the connector for nothing. */
async function putConfig(connectUrl: string, name: string, config: Record<string, string>): Promise<void> {
  const path = `/connectors/${name}/config`;
  let last = "";
  await until(
    async () => {
      const now = await askConnect(connectUrl, "GET", path);
      if (now.status === 200 && sameConfig(now.body as Record<string, string>, { ...config, name }))
        return true;
      const answer = await askConnect(connectUrl, "PUT", path, config);
      last = `HTTP ${answer.status}: ${JSON.stringify(answer.body)}`;
      if (answer.status === 400) throw new LabFault(`Connect refuses the config of ${name}: ${last}`);
      return answer.status === 200 || answer.status === 201 ? true : null;
    },
    60_000,
    () => new LabFault(`Connect does not take the config of ${name}: ${last}`),
    1_000,
  );
}

function sameConfig(a: Record<string, string>, b: Record<string, string>): boolean {
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...keys].every((key) => a[key] === b[key]);
}
