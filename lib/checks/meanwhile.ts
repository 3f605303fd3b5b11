import { type ConnectorType, connectorType } from "@/lib/debezium/connector-type";
import type { ConnectorReport } from "@/lib/observed/connector";

/** What piles up or runs out at the source while a connector stands still; null for sinks and unknown sources. */
export function meanwhile(report: ConnectorReport, done: "paused" | "stopped" | "idle"): string | null {
  if (report.type === "sink") return null;
  const type: ConnectorType = connectorType(report.config?.["connector.class"]);
  switch (type) {
    case "postgresql":
      return `its slot keeps WAL while ${done}`;
    case "mysql":
    case "mariadb":
      return `binlogs that it still needs may be purged while ${done}`;
    case "mongodb":
      return `its place in the oplog may be lost while ${done}`;
    case "sqlserver":
    case "oracle":
    case "db2":
    case "informix":
      return `log that it still needs may be cleaned up while ${done}`;
    default:
      return null;
  }
}
