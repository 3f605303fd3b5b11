import type { ConnectorCheck } from "../check";
import { sayer } from "../say";
import { setTopicConfig } from "../shell";
import { tellingBrokers } from "./history-brokers";
import { existingHistory, isVerdict, partRemedy, topicEvidence, whyPartUnknown } from "./known-history";
import { settingSource } from "./setting-source";

const say = sayer("history-cleanup-policy");

export const historyCleanupPolicy: ConnectorCheck = tellingBrokers({
  subject: "connector",
  slug: "history-cleanup-policy",
  group: "schema-history",
  title: "Schema history compacted",
  looksAt: "Whether cleanup.policy of the schema history topic is exactly delete.",
  severity: "critical",
  judge(facts, _limits, now) {
    const found = existingHistory(say, facts, now);
    if (isVerdict(found)) return found;
    const { history, topic } = found;
    const policy = history.cleanupPolicy;
    if (!policy) {
      return say.unknown(whyPartUnknown(history, "settings", "cleanup.policy"), {
        remedy: partRemedy(history, "settings"),
      });
    }
    const source = settingSource(policy.from);
    const evidence = [topicEvidence(topic), { label: "cleanup.policy", value: policy.value, from: source }];
    if (policy.value.trim() === "delete") return say.ok("delete", "The topic is not compacted.", evidence);
    return say.critical({
      short: policy.value,
      sentence: `cleanup.policy of ${topic} is "${policy.value}" (${source}) and must be exactly "delete": a compacted topic refuses records without a key, and schema history records have none.`,
      evidence,
      remedy: [{ text: "Set it on the topic.", command: setTopicConfig(topic, "cleanup.policy=delete") }],
    });
  },
});
