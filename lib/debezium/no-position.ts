import { type ConnectorConfig, snapshotMode, typeOf } from "./config";

/** What a connector that has no stored offset does at its next start, by snapshot.mode (io.debezium.snapshot.mode). */
export function startAsNew(config: ConnectorConfig): string {
  const mode = snapshotMode(config);
  const named = `with snapshot.mode=${mode}`;
  if (mode === "initial" || mode === "always" || mode === "when_needed")
    return `${named} it takes a full snapshot; deletes made in between are not seen`;
  if (mode === "initial_only") return `${named} it takes a full snapshot and does not stream`;
  if (mode === "recovery" || mode === "schema_only_recovery")
    return `${named} it fails, because that mode needs a stored offset`;
  if (mode === "no_data" || mode === "never" || mode === "schema_only")
    return typeOf(config) === "postgresql"
      ? `${named} it goes on from its replication slot; if the slot is gone too, the changes made in between are lost`
      : `${named} the changes made in between are lost`;
  return `${named} what it reads first depends on that mode`;
}

/** The sentence for a connector whose offsets are an empty list. Without a configuration, `snapshot.mode` is not known. */
export function noPositionText(config: ConnectorConfig | null | undefined): string {
  const start = config ? startAsNew(config) : "what it reads first depends on snapshot.mode";
  return `no position stored yet — if the task stops now it starts as new: ${start}`;
}
