import type { HistoryTopic } from "@/lib/observed/topic";
import type { ConnectorCheck } from "../check";
import { duration } from "../duration";
import { sayer } from "../say";
import { setTopicConfig } from "../shell";
import type { RemedyStep } from "../verdict";
import { tellingBrokers } from "./history-brokers";
import { existingHistory, isVerdict, partRemedy, topicEvidence, whyPartUnknown } from "./known-history";
import { recoverySteps } from "./recovery-steps";
import { finiteRetentionBytes, finiteRetentionMs } from "./retention";
import { isShared } from "./sharers";

const say = sayer("history-truncated");

export const historyTruncated: ConnectorCheck = tellingBrokers({
  subject: "connector",
  slug: "history-truncated",
  group: "schema-history",
  title: "Schema history truncated",
  looksAt: "Whether the first record of the schema history topic is still there (earliest offset 0).",
  severity: "critical",
  judge(facts, _limits, now) {
    const found = existingHistory(say, facts, now);
    if (isVerdict(found)) return found;
    const { history, topic, config } = found;
    if (history.earliest === null || history.latest === null) {
      return say.unknown(whyPartUnknown(history, "offsets", "Offsets"), {
        remedy: partRemedy(history, "offsets"),
      });
    }
    const evidence = [
      topicEvidence(topic),
      { label: "earliest offset", value: history.earliest, from: "brokers, partition 0" },
      { label: "next offset", value: history.latest, from: "brokers, partition 0" },
    ];
    if (history.earliest === "0")
      return say.ok("from offset 0", "The first record is still there.", evidence);
    if (history.earliest === history.latest)
      return say.notApplicable("No record is left at all: see history-missing.");
    const causes = settingsThatDelete(history);
    const shared = isShared(facts, topic);
    return say.critical({
      short: `${history.earliest} gone`,
      sentence: `The records before offset ${history.earliest} of ${topic} are gone: after a restart the connector would not know the tables that they describe, and fail at, or skip, their next change.${causes.length > 0 ? ` ${sentenceOf(causes)}` : ""}`,
      evidence: [...evidence, ...causes.map((c) => ({ label: c.setting, value: c.value, from: c.from }))],
      remedy: [
        ...(shared ? causes.map((c) => fixStep(topic, c)) : []),
        ...recoverySteps({ connector: facts.connector, config, topic, deleteTopic: true, shared }),
      ],
    });
  },
});

interface Cause {
  setting: "retention.ms" | "retention.bytes";
  value: string;
  from: string;
}

function settingsThatDelete(history: HistoryTopic): Cause[] {
  const causes: Cause[] = [];
  const ms = finiteRetentionMs(history.retentionMs);
  if (ms !== null)
    causes.push({ setting: "retention.ms", value: duration(ms), from: history.retentionMs?.from ?? "" });
  const bytes = finiteRetentionBytes(history.retentionBytes);
  if (bytes !== null) {
    causes.push({ setting: "retention.bytes", value: `${bytes}`, from: history.retentionBytes?.from ?? "" });
  }
  return causes;
}

function sentenceOf(causes: readonly Cause[]): string {
  const list = causes.map((c) => `${c.setting} (${c.value})`).join(" and ");
  return `The topic's ${list} will remove more; a topic that the connector makes itself has no such limit.`;
}

/** A shared topic stays for the others, and must be kept from losing more. */
function fixStep(topic: string, cause: Cause): RemedyStep {
  return {
    text: `Keep ${topic} from losing more, for the other connectors that use it.`,
    command: setTopicConfig(topic, `${cause.setting}=-1`),
  };
}
