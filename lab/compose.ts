import { workerProperties } from "./connect";
import { connectorConfigs, INVENTORY, ORDERS } from "./connectors";
import type { Places } from "./places";
import { USUAL_PORTS } from "./ports";
import { MARIADB_SCHEMA } from "./schema-mariadb";
import { postgresSchema } from "./schema-postgres";
import { newState } from "./state";

const PORTS = {
  ...USUAL_PORTS,
  kafka: 9092,
  controller: 29093,
  connect: 8083,
  postgres: 5432,
  mariadb: 3306,
};

/**
 * The files that compose.yaml carries in its `configs`, as the lab itself would write them, with the containers' names
 * for addresses. A test holds compose.yaml to them.
 */
export function inContainers(): Record<string, string> {
  const state = { ...newState(PORTS), mariadb: true };
  const places: Pick<Places, "secrets"> = { secrets: "/etc/secrets.properties" };
  const configs = connectorConfigs(places, state);
  const connector = (name: string, database: string) =>
    JSON.stringify({ ...atKafka(configs[name] ?? {}), "database.hostname": database }, null, 2);
  const worker = workerProperties(state, "/plugins")
    .replace("bootstrap.servers=127.0.0.1", "bootstrap.servers=kafka")
    .replace("listeners=http://127.0.0.1", "listeners=http://0.0.0.0")
    .replace("rest.advertised.host.name=127.0.0.1", "rest.advertised.host.name=connect");
  return {
    "connect-worker": worker,
    "connect-secrets": "cdc=cdc\n",
    [ORDERS]: connector(ORDERS, "postgres"),
    [INVENTORY]: connector(INVENTORY, "mariadb"),
    "postgres-schema": `CREATE ROLE cdc LOGIN REPLICATION PASSWORD 'cdc';\nALTER DATABASE shop OWNER TO cdc;\nALTER SCHEMA public OWNER TO cdc;\n${postgresSchema()}\n`,
    "mariadb-schema": `${[...MARIADB_SCHEMA, ...MARIADB_USERS].join(";\n")};\n`,
  };
}

const MARIADB_USERS = [
  "CREATE USER 'cdc'@'%' IDENTIFIED BY 'cdc'",
  "GRANT SELECT, RELOAD, SHOW DATABASES, LOCK TABLES, REPLICATION SLAVE, BINLOG MONITOR, SLAVE MONITOR ON *.* TO 'cdc'@'%'",
  "GRANT ALL PRIVILEGES ON inventory.* TO 'cdc'@'%'",
];

function atKafka(config: Record<string, string>): Record<string, string> {
  const entries = Object.entries(config).map(([key, value]) => [
    key,
    value.replace("127.0.0.1:9092", "kafka:9092"),
  ]);
  return Object.fromEntries(entries);
}
