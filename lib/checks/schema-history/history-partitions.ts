import type { ConnectorCheck } from "../check";
import { sayer } from "../say";
import { tellingBrokers } from "./history-brokers";
import { existingHistory, isVerdict, partRemedy, topicEvidence, whyPartUnknown } from "./known-history";
import { recoverySteps } from "./recovery-steps";
import { isShared } from "./sharers";

const say = sayer("history-partitions");

export const historyPartitions: ConnectorCheck = tellingBrokers({
  subject: "connector",
  slug: "history-partitions",
  group: "schema-history",
  title: "Schema history in several partitions",
  looksAt: "Whether the schema history topic has exactly one partition.",
  severity: "critical",
  judge(facts, _limits, now) {
    const found = existingHistory(say, facts, now);
    if (isVerdict(found)) return found;
    const { history, topic, config } = found;
    if (history.partitions === null) {
      return say.unknown(whyPartUnknown(history, "metadata", "Partitions"), {
        remedy: partRemedy(history, "metadata"),
      });
    }
    const evidence = [
      topicEvidence(topic),
      { label: "partitions", value: `${history.partitions}`, from: "brokers" },
    ];
    if (history.partitions === 1) return say.ok("1 partition", "The topic has one partition.", evidence);
    return say.critical({
      short: `${history.partitions} partitions`,
      sentence: `Topic ${topic} has ${history.partitions} partitions and must have one: Debezium reads only partition 0, and order is lost across several. Partitions cannot be taken away, so the topic must be made anew.`,
      evidence,
      remedy: recoverySteps({
        connector: facts.connector,
        config,
        topic,
        deleteTopic: true,
        shared: isShared(facts, topic),
      }),
    });
  },
});
