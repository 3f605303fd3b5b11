/** The source connectors of Debezium; `unknown` is every other class. */
export const connectorTypes = [
  "postgresql",
  "mysql",
  "mariadb",
  "sqlserver",
  "oracle",
  "mongodb",
  "db2",
  "informix",
  "vitess",
  "spanner",
  "cockroachdb",
  "unknown",
] as const;
export type ConnectorType = (typeof connectorTypes)[number];

interface TypeFacts {
  label: string;
  /** Part of the class name after `io.debezium.connector.`, lower case. */
  package: string;
  /** Simple name of the class, without the `Connector` at its end. */
  className: string;
  needsSchemaHistory: boolean;
}

const facts: Readonly<Record<Exclude<ConnectorType, "unknown">, TypeFacts>> = {
  postgresql: {
    label: "PostgreSQL",
    package: "postgresql",
    className: "Postgres",
    needsSchemaHistory: false,
  },
  mysql: { label: "MySQL", package: "mysql", className: "MySql", needsSchemaHistory: true },
  mariadb: { label: "MariaDB", package: "mariadb", className: "MariaDb", needsSchemaHistory: true },
  sqlserver: { label: "SQL Server", package: "sqlserver", className: "SqlServer", needsSchemaHistory: true },
  oracle: { label: "Oracle", package: "oracle", className: "Oracle", needsSchemaHistory: true },
  mongodb: { label: "MongoDB", package: "mongodb", className: "MongoDb", needsSchemaHistory: false },
  db2: { label: "Db2", package: "db2", className: "Db2", needsSchemaHistory: true },
  informix: { label: "Informix", package: "informix", className: "Informix", needsSchemaHistory: true },
  vitess: { label: "Vitess", package: "vitess", className: "Vitess", needsSchemaHistory: false },
  spanner: { label: "Spanner", package: "spanner", className: "Spanner", needsSchemaHistory: false },
  cockroachdb: {
    label: "CockroachDB",
    package: "cockroachdb",
    className: "CockroachDB",
    needsSchemaHistory: false,
  },
};

const sourceClass = /^io\.debezium\.connector\.([a-z0-9]+)\.([A-Za-z0-9]+)$/;

/**
 * The type of a `connector.class`, given in full or by an alias that Kafka Connect takes as well (PluginUtils): the
 * simple name `MySqlConnector` or the pruned one `MySql`, in that spelling only. Debezium's sinks
 * (`…MongoDbSinkConnector`) are `unknown`: they have no source position.
 */
export function connectorType(connectorClass: string | null | undefined): ConnectorType {
  const name = connectorClass?.trim() ?? "";
  const match = sourceClass.exec(name);
  if (match?.[2]?.includes("Sink")) return "unknown";
  const alias = name.replace(/Connector$/, "");
  const isNamed = ({ package: own, className }: TypeFacts) =>
    match ? own === match[1] : className === alias;
  return connectorTypes.find((type) => type !== "unknown" && isNamed(facts[type])) ?? "unknown";
}

/** Whether the class is a source connector of Debezium that we know by name. */
export function isDebezium(connectorClass: string | null | undefined): boolean {
  return connectorType(connectorClass) !== "unknown";
}

/** The name that people use: `PostgreSQL`, `SQL Server`. */
export function connectorLabel(type: ConnectorType): string {
  return type === "unknown" ? "unknown connector" : facts[type].label;
}

/** Whether the connector cannot start without a schema history (HistorizedRelationalDatabaseConnectorConfig). */
export function needsSchemaHistory(type: ConnectorType): boolean {
  return type !== "unknown" && facts[type].needsSchemaHistory;
}

/** Narrows a text, such as a command line argument, to a type. */
export function isConnectorType(text: string): text is ConnectorType {
  return (connectorTypes as readonly string[]).includes(text);
}
