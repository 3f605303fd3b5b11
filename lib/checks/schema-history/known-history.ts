import type { ConnectorConfig } from "@/lib/debezium/config";
import type { Failure } from "@/lib/observed/observation";
import type { HistoryTopic } from "@/lib/observed/topic";
import type { ConnectorFacts } from "../check";
import { knownReport } from "../connector-report";
import { failureSentence, known } from "../known";
import type { sayer } from "../say";
import type { Evidence, Verdict } from "../verdict";
import { type OtherBrokers, otherBrokers } from "./history-brokers";
import { needsHistoryTopic } from "./needs-history-topic";

export interface KnownHistory {
  config: ConnectorConfig;
  topic: string;
  /** As the connector is told; null when its configuration says nothing. */
  bootstrapServers: string | null;
  history: HistoryTopic;
}

type Sayer = ReturnType<typeof sayer>;

/** The history topic as last described, or the verdict that says why it cannot be judged. */
export function knownHistory(say: Sayer, facts: ConnectorFacts, now: Date): KnownHistory | Verdict {
  const report = knownReport(facts, now);
  if (report.why !== undefined) return say.unknown(report.why);
  if (report.value.type === "sink") return say.notApplicable("A sink connector needs no schema history.");
  const { config } = report.value;
  if (!config) return say.unknown("Connect did not report the configuration.");
  const need = needsHistoryTopic(config);
  if ("why" in need) return need.needed ? say.unknown(need.why) : say.notApplicable(need.why);
  const history = known("the schema history topic", facts.history, now);
  if (history.why !== undefined) return say.unknown(history.why);
  if (history.value.topic !== need.topic) {
    return say.unknown(
      `Warming up: topic ${need.topic}, newly named in the configuration, was not looked at yet.`,
    );
  }
  return { config, ...need, history: history.value };
}

/** The same, for checks of a topic that is there: an absent one is for history-missing to say. */
export function existingHistory(say: Sayer, facts: ConnectorFacts, now: Date): KnownHistory | Verdict {
  const found = knownHistory(say, facts, now);
  if (isVerdict(found)) return found;
  const others = otherBrokers(facts, found.bootstrapServers);
  if (found.history.exists === false && others) return say.unknown(absentHere(found.topic, others));
  if (found.history.exists === false) return say.notApplicable(`Topic ${found.topic} does not exist.`);
  return found;
}

/** Why the absence of a topic says nothing when the connector names other brokers. */
export function absentHere(topic: string, { told, lookedAt }: OtherBrokers): string {
  return `Topic ${topic} is not on ${lookedAt}, where Tidemark looked; the connector keeps its schema history on ${told}, which may be another Kafka cluster.`;
}

export function isVerdict(x: KnownHistory | Verdict): x is Verdict {
  return "outcome" in x;
}

/** Why a part of the description is not there; names the missing permission where that is the reason. */
export function whyPartUnknown(
  history: HistoryTopic,
  about: HistoryTopic["failures"][number]["about"],
  what: string,
): string {
  const failure: Failure | undefined =
    history.failures.find((f) => f.about === about)?.failure ??
    history.failures.find((f) => f.about === "metadata")?.failure;
  return `${what}: not known. ${failure ? failureSentence(failure) : `The brokers did not tell it of ${history.topic}.`}`;
}

/** Steps that let the part be read: the failure's own remedy. */
export function partRemedy(history: HistoryTopic, about: HistoryTopic["failures"][number]["about"]) {
  const failure = history.failures.find((f) => f.about === about)?.failure;
  return failure?.remedy ? [{ text: failure.remedy, command: null }] : [];
}

export function topicEvidence(topic: string): Evidence {
  return { label: "topic", value: topic, from: "connector configuration" };
}
