import type { ConnectorConfig } from "@/lib/debezium/config";
import { connectorRequest, deleteTopic, patchConfig, resumeStep, stopStep } from "../shell";
import type { RemedyStep } from "../verdict";

export interface Recovery {
  connector: string;
  config: ConnectorConfig;
  topic: string;
  /** The topic holds records that only this connector uses: it is deleted, so that a whole one can be written. */
  deleteTopic: boolean;
  /** Other connectors use the topic: this one gets a new one. */
  shared: boolean;
}

/**
 * Builds the schema history anew with snapshot.mode=recovery, keeping the stored offset.
 * Debezium makes the topic itself in recovery, with the right settings (KafkaSchemaHistory.initializeStorage).
 */
export function recoverySteps(recovery: Recovery): RemedyStep[] {
  const { connector, topic, config, shared } = recovery;
  const changes: Record<string, string | null> = { "snapshot.mode": "recovery" };
  if (shared) changes[topicKey(config)] = ownTopicName(topic, connector);
  const before = config["snapshot.mode"] ?? null;
  const old = before === "recovery" ? null : before;
  return [
    {
      text: "Only if no captured table was altered (no DDL) since the stored offset: recovery takes the tables as they are now, and would read older changes wrongly. If one was, a new snapshot is needed instead.",
      command: null,
    },
    stopStep(connector),
    ...(!shared && recovery.deleteTopic
      ? [
          {
            text: `Delete what is left in ${topic}; the connector makes the topic again.`,
            command: deleteTopic(topic),
          },
        ]
      : []),
    {
      text: `Set snapshot.mode=recovery${shared ? `, and a history topic of its own, since others use ${topic}` : ""} (Connect 3.8 and later; before, PUT the whole configuration. Old Debezium calls the mode schema_only_recovery).`,
      command: patchConfig(connector, changes),
    },
    resumeStep(connector),
    {
      text: "Wait until connector and task are RUNNING and this finding is gone; then, if the source is written to, until the stored position moves: the history is whole by then.",
      command: connectorRequest("GET", connector, "/status"),
    },
    {
      text:
        before === "recovery"
          ? "Set snapshot.mode back to what it was before recovery (as shown it becomes the default, initial), else each start would do this again."
          : `Set snapshot.mode back to ${old ?? "its default"}, else each start would do this again.`,
      command: patchConfig(connector, { "snapshot.mode": old }),
    },
  ];
}

function topicKey(config: ConnectorConfig): string {
  const old = "database.history.kafka.topic";
  return config[old] && !config["schema.history.internal.kafka.topic"]
    ? old
    : "schema.history.internal.kafka.topic";
}

/** A name that no other connector of the cluster has, in the characters that Kafka allows, at most 249. */
export function ownTopicName(topic: string, connector: string): string {
  return `${topic}.${connector}`.replace(/[^A-Za-z0-9._-]/g, "_").slice(0, 249);
}
