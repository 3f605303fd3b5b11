import { connectorLabel, connectorType } from "@/lib/debezium/connector-type";

/** A short name for a connector class: `PostgreSQL`, or the last segment of one that is not Debezium's. Null when not reported. */
export function connectorTypeName(connectorClass: string | null | undefined): string | null {
  if (!connectorClass) return null;
  const type = connectorType(connectorClass);
  return type === "unknown"
    ? connectorClass.slice(connectorClass.lastIndexOf(".") + 1)
    : connectorLabel(type);
}
