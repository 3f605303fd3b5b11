import { expect, test } from "vitest";
import {
  connectorLabel,
  connectorType,
  connectorTypes,
  isDebezium,
  needsSchemaHistory,
} from "./connector-type";

test.each([
  ["io.debezium.connector.postgresql.PostgresConnector", "postgresql"],
  ["io.debezium.connector.mysql.MySqlConnector", "mysql"],
  ["io.debezium.connector.mariadb.MariaDbConnector", "mariadb"],
  ["io.debezium.connector.sqlserver.SqlServerConnector", "sqlserver"],
  ["io.debezium.connector.oracle.OracleConnector", "oracle"],
  ["io.debezium.connector.mongodb.MongoDbConnector", "mongodb"],
  ["io.debezium.connector.db2.Db2Connector", "db2"],
  ["io.debezium.connector.informix.InformixConnector", "informix"],
  ["io.debezium.connector.vitess.VitessConnector", "vitess"],
  ["io.debezium.connector.spanner.SpannerConnector", "spanner"],
  ["io.debezium.connector.cockroachdb.CockroachDBConnector", "cockroachdb"],
  ["io.debezium.connector.jdbc.JdbcSinkConnector", "unknown"],
  ["io.debezium.connector.mongodb.MongoDbSinkConnector", "unknown"],
  ["io.confluent.connect.jdbc.JdbcSourceConnector", "unknown"],
  [" io.debezium.connector.mysql.MySqlConnector ", "mysql"],
  ["MySqlConnector", "mysql"],
  ["MySql", "mysql"],
  ["PostgresConnector", "postgresql"],
  ["Postgres", "postgresql"],
  ["MariaDb", "mariadb"],
  ["SqlServerConnector", "sqlserver"],
  ["CockroachDB", "cockroachdb"],
  ["Connector", "unknown"],
  ["MongoDbSinkConnector", "unknown"],
  ["JdbcSource", "unknown"],
  ["", "unknown"],
  [null, "unknown"],
])("%s is %s", (className, type) => {
  expect(connectorType(className)).toBe(type);
  expect(isDebezium(className)).toBe(type !== "unknown");
});

test("the types that need a schema history", () => {
  expect(connectorTypes.filter(needsSchemaHistory)).toEqual([
    "mysql",
    "mariadb",
    "sqlserver",
    "oracle",
    "db2",
    "informix",
  ]);
  expect(connectorLabel("sqlserver")).toBe("SQL Server");
});
