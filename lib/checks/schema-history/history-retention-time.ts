import type { ConnectorCheck } from "../check";
import { duration } from "../duration";
import { sayer } from "../say";
import { setTopicConfig } from "../shell";
import { tellingBrokers } from "./history-brokers";
import { existingHistory, isVerdict, partRemedy, topicEvidence, whyPartUnknown } from "./known-history";
import { finiteRetentionMs, MIN_RETENTION_MS } from "./retention";
import { settingSource } from "./setting-source";

const HUNDRED_YEARS_MS = 3_153_600_000_000n;

const say = sayer("history-retention-time");

export const historyRetentionTime: ConnectorCheck = tellingBrokers({
  subject: "connector",
  slug: "history-retention-time",
  group: "schema-history",
  title: "Schema history deleted by time",
  looksAt: "Whether retention.ms of the schema history topic is unlimited, or at least five years.",
  severity: "critical",
  judge(facts, _limits, now) {
    const found = existingHistory(say, facts, now);
    if (isVerdict(found)) return found;
    const { history, topic } = found;
    const retention = history.retentionMs;
    if (!retention) {
      return say.unknown(whyPartUnknown(history, "settings", "Retention"), {
        remedy: partRemedy(history, "settings"),
      });
    }
    const source = settingSource(retention.from);
    const evidence = [
      topicEvidence(topic),
      { label: "retention.ms", value: retention.value, from: source },
      { label: "must be", value: `-1, or at least ${MIN_RETENTION_MS} (5 × 365 days)`, from: "Debezium" },
    ];
    const finite = finiteRetentionMs(retention);
    if (finite === null) {
      if (!/^-?\d+$/.test(retention.value))
        return say.unknown(`retention.ms of ${topic} is not a number: "${retention.value}".`, { evidence });
      const long = BigInt(retention.value);
      // Debezium itself writes Long.MAX_VALUE, which no one reads as a number of days.
      const short = long < 0n || long > HUNDRED_YEARS_MS ? "for ever" : duration(long);
      return say.ok(short, "Records are kept.", evidence);
    }
    return say.critical({
      short: duration(finite),
      sentence: `Schema history is deleted after ${duration(finite)} (${source}); then the connector would not start again.`,
      evidence,
      remedy: [
        { text: "Set retention.ms=-1 on the topic.", command: setTopicConfig(topic, "retention.ms=-1") },
      ],
    });
  },
});
