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
  needsSchemaHistory: boolean;
}

const facts: Readonly<Record<Exclude<ConnectorType, "unknown">, TypeFacts>> = {
  postgresql: { label: "PostgreSQL", package: "postgresql", needsSchemaHistory: false },
  mysql: { label: "MySQL", package: "mysql", needsSchemaHistory: true },
  mariadb: { label: "MariaDB", package: "mariadb", needsSchemaHistory: true },
  sqlserver: { label: "SQL Server", package: "sqlserver", needsSchemaHistory: true },
  oracle: { label: "Oracle", package: "oracle", needsSchemaHistory: true },
  mongodb: { label: "MongoDB", package: "mongodb", needsSchemaHistory: false },
  db2: { label: "Db2", package: "db2", needsSchemaHistory: true },
  informix: { label: "Informix", package: "informix", needsSchemaHistory: true },
  vitess: { label: "Vitess", package: "vitess", needsSchemaHistory: false },
  spanner: { label: "Spanner", package: "spanner", needsSchemaHistory: false },
  cockroachdb: { label: "CockroachDB", package: "cockroachdb", needsSchemaHistory: false },
};

const sourceClass = /^io\.debezium\.connector\.([a-z0-9]+)\.([A-Za-z0-9]+)$/;

/** The type of a `connector.class`. Debezium's sinks (`…MongoDbSinkConnector`) are `unknown`: they have no source position. */
export function connectorType(connectorClass: string | null | undefined): ConnectorType {
  const match = sourceClass.exec(connectorClass?.trim() ?? "");
  if (!match || match[2]?.includes("Sink")) return "unknown";
  return connectorTypes.find((type) => type !== "unknown" && facts[type].package === match[1]) ?? "unknown";
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
