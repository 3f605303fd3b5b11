import type { HistoryTopic } from "@/lib/observed/topic";
import type { ConnectorCheck } from "../check";
import { sayer } from "../say";
import type { Evidence } from "../verdict";
import { tellingBrokers } from "./history-brokers";
import { existingHistory, isVerdict, partRemedy, topicEvidence, whyPartUnknown } from "./known-history";
import { settingSource } from "./setting-source";

const say = sayer("history-replication");

export const historyReplication: ConnectorCheck = tellingBrokers({
  subject: "connector",
  slug: "history-replication",
  group: "schema-history",
  title: "Schema history poorly replicated",
  looksAt: "Replication factor and in-sync replicas of the schema history topic.",
  severity: "warning",
  judge(facts, _limits, now) {
    const found = existingHistory(say, facts, now);
    if (isVerdict(found)) return found;
    const { history, topic } = found;
    const { replicationFactor: factor, inSyncReplicas: inSync, minInsyncReplicas: minimum } = history;
    if (factor === null || inSync === null) {
      return say.unknown(whyPartUnknown(history, "metadata", "Replication"), {
        remedy: partRemedy(history, "metadata"),
      });
    }
    const evidence = [topicEvidence(topic), ...replicaEvidence(history)];
    if (minimum && inSync < Number(minimum.value)) {
      return say.critical({
        short: `${inSync} in sync`,
        sentence: `Only ${inSync} of ${factor} replicas of ${topic} are in sync, under min.insync.replicas=${minimum.value}: nothing can be written to it, and the connector fails at the next DDL.`,
        evidence,
        remedy: [{ text: "Bring back the brokers that hold its other replicas.", command: null }],
      });
    }
    if (factor < 3) {
      return say.warning({
        short: `${factor} ${factor === 1 ? "replica" : "replicas"}`,
        sentence: `Topic ${topic} has ${factor === 1 ? "one replica: with its broker" : "two replicas: with their brokers"} the schema history is gone, and the connector would not start again.`,
        evidence,
        remedy: [
          {
            text: "On a cluster of three brokers or more, raise it to 3 with kafka-reassign-partitions.sh (a plan that names three brokers for partition 0).",
            command: null,
          },
        ],
      });
    }
    if (!minimum) {
      return say.unknown(whyPartUnknown(history, "settings", "min.insync.replicas"), {
        evidence,
        remedy: partRemedy(history, "settings"),
      });
    }
    if (!/^\d+$/.test(minimum.value)) {
      return say.unknown(`min.insync.replicas of ${topic} is not a number: "${minimum.value}".`, {
        evidence,
      });
    }
    return say.ok(`${factor} replicas`, `${inSync} of ${factor} replicas are in sync.`, evidence);
  },
});

function replicaEvidence(history: HistoryTopic): Evidence[] {
  const minimum = history.minInsyncReplicas;
  return [
    { label: "replication factor", value: `${history.replicationFactor}`, from: "brokers" },
    { label: "in-sync replicas", value: `${history.inSyncReplicas}`, from: "brokers" },
    ...(minimum
      ? [{ label: "min.insync.replicas", value: minimum.value, from: settingSource(minimum.from) }]
      : []),
  ];
}
