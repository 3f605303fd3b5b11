import type { ConnectorCheck } from "../check";
import { byteCount } from "../duration";
import { sayer } from "../say";
import { setTopicConfig } from "../shell";
import { tellingBrokers } from "./history-brokers";
import { existingHistory, isVerdict, partRemedy, topicEvidence, whyPartUnknown } from "./known-history";
import { finiteRetentionBytes } from "./retention";
import { settingSource } from "./setting-source";

const say = sayer("history-retention-bytes");

export const historyRetentionBytes: ConnectorCheck = tellingBrokers({
  subject: "connector",
  slug: "history-retention-bytes",
  group: "schema-history",
  title: "Schema history deleted by size",
  looksAt: "Whether retention.bytes of the schema history topic is unlimited (-1).",
  severity: "critical",
  judge(facts, _limits, now) {
    const found = existingHistory(say, facts, now);
    if (isVerdict(found)) return found;
    const { history, topic } = found;
    const retention = history.retentionBytes;
    if (!retention) {
      return say.unknown(whyPartUnknown(history, "settings", "Retention by size"), {
        remedy: partRemedy(history, "settings"),
      });
    }
    const source = settingSource(retention.from);
    const evidence = [
      topicEvidence(topic),
      { label: "retention.bytes", value: retention.value, from: source },
    ];
    const finite = finiteRetentionBytes(retention);
    if (finite === null) {
      if (!/^-?\d+$/.test(retention.value))
        return say.unknown(`retention.bytes of ${topic} is not a number: "${retention.value}".`, {
          evidence,
        });
      return say.ok("unlimited", "No record is deleted for the topic's size.", evidence);
    }
    return say.critical({
      short: byteCount(finite),
      sentence: `The oldest schema history is deleted once the topic is larger than ${byteCount(finite)} (${source}); then the connector would not start again.`,
      evidence,
      remedy: [
        {
          text: "Set retention.bytes=-1 on the topic.",
          command: setTopicConfig(topic, "retention.bytes=-1"),
        },
      ],
    });
  },
});
