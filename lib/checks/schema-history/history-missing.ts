import type { ConnectorCheck, ConnectorFacts } from "../check";
import { known } from "../known";
import { storedPartitions } from "../offsets/stored-partitions";
import { sayer } from "../say";
import type { Verdict } from "../verdict";
import { otherBrokers, tellingBrokers } from "./history-brokers";
import {
  absentHere,
  isVerdict,
  type KnownHistory,
  knownHistory,
  partRemedy,
  topicEvidence,
  whyPartUnknown,
} from "./known-history";
import { recoverySteps } from "./recovery-steps";
import { isShared } from "./sharers";

const say = sayer("history-missing");

export const historyMissing: ConnectorCheck = tellingBrokers({
  subject: "connector",
  slug: "history-missing",
  group: "schema-history",
  title: "Schema history missing",
  looksAt: "Whether the schema history topic exists and holds records while an offset is stored.",
  severity: "critical",
  judge(facts, _limits, now) {
    const found = knownHistory(say, facts, now);
    if (isVerdict(found)) return found;
    const { history, topic } = found;
    if (history.exists === null) {
      return say.unknown(whyPartUnknown(history, "metadata", "Existence"), {
        remedy: partRemedy(history, "metadata"),
      });
    }
    const state = stateOf(found);
    if (state === null) {
      return say.unknown(whyPartUnknown(history, "offsets", "Offsets"), {
        remedy: partRemedy(history, "offsets"),
      });
    }
    if (state === "kept") {
      return say.ok("kept", `Topic ${topic} exists and holds records.`, [
        topicEvidence(topic),
        recordsEvidence(found),
      ]);
    }
    if (state === "absent") {
      const others = otherBrokers(facts, found.bootstrapServers);
      if (others) return say.unknown(absentHere(topic, others));
    }
    return judgeLoss(facts, found, state, now);
  },
});

function stateOf({ history }: KnownHistory): "kept" | "absent" | "empty" | null {
  if (history.exists === false) return "absent";
  // Other partitions than 0 are never read by Debezium.
  if (history.earliest === null || history.latest === null) return null;
  return BigInt(history.latest) > BigInt(history.earliest) ? "kept" : "empty";
}

function judgeLoss(
  facts: ConnectorFacts,
  found: KnownHistory,
  state: "absent" | "empty",
  now: Date,
): Verdict {
  const { topic, config } = found;
  const is = state === "absent" ? "does not exist" : "is empty";
  const offsets = known("the stored offsets", facts.offsets, now);
  if (offsets.why !== undefined)
    return say.unknown(
      `Topic ${topic} ${is}; whether that matters depends on the stored offset. ${offsets.why}`,
    );
  const { used, undecided } = storedPartitions(config, offsets.value);
  if (used.length === 0 && undecided.length > 0) {
    return say.unknown(`Topic ${topic} ${is}; whether a stored offset needs it is ${undecided[0]?.why}.`);
  }
  if (used.length === 0) {
    return say.ok(
      "not yet needed",
      `Topic ${topic} ${is}, and no offset is stored: it will be created at the first start.`,
    );
  }
  return say.critical({
    short: state === "absent" ? "missing" : "empty",
    sentence: `The schema history topic ${topic} ${is} while an offset is stored: the connector would not start again ("The db history topic is missing").`,
    evidence: [
      topicEvidence(topic),
      ...(state === "empty" ? [recordsEvidence(found)] : [{ label: "exists", value: "no", from: "brokers" }]),
      { label: "stored offset", value: used[0]?.position.text ?? "", from: "Connect" },
    ],
    remedy: recoverySteps({
      connector: facts.connector,
      config,
      topic,
      deleteTopic: state === "empty",
      shared: isShared(facts, topic),
    }),
  });
}

function recordsEvidence({ history }: KnownHistory) {
  return { label: "offsets", value: `${history.earliest} … ${history.latest}`, from: "brokers, partition 0" };
}
