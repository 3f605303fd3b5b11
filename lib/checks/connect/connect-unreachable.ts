import type { ClusterCheck } from "../check";
import { failureSentence } from "../known";
import { sayer } from "../say";
import type { Evidence } from "../verdict";

const say = sayer("connect-unreachable");

export const connectUnreachable: ClusterCheck = {
  subject: "cluster",
  slug: "connect-unreachable",
  group: "connect",
  title: "Kafka Connect does not answer",
  looksAt: "Whether the REST address answers as Kafka Connect.",
  severity: "critical",
  judge({ connect, failingSince }) {
    if (!connect) return say.unknown("Warming up: Kafka Connect was not asked yet.");
    const { value, trueAt, failure } = connect;
    if (failure?.kind === "rebalancing")
      return say.ok("answers", "Kafka Connect answers; it is rebalancing.");
    if (!failure) {
      return say.ok("answers", "Kafka Connect answers.", value ? [version(value.version)] : []);
    }
    return say.critical({
      short: failure.kind === "timeout" ? "no answer" : failure.kind,
      sentence: `Kafka Connect cannot be asked. ${failureSentence(failure)} What is shown of its connectors keeps its age.`,
      evidence: [
        { label: "last answer", value: trueAt?.toISOString() ?? "never", from: "Tidemark" },
        ...(failingSince
          ? [{ label: "failing since", value: failingSince.toISOString(), from: "Tidemark" }]
          : []),
        ...(value ? [version(value.version)] : []),
      ],
      remedy: [
        ...(failure.remedy ? [{ text: failure.remedy, command: null }] : []),
        {
          text: "See what answers there; Kafka Connect gives its version.",
          command: 'curl -sS -i "$CONNECT_URL/"',
        },
      ],
    });
  },
};

function version(text: string): Evidence {
  return { label: "version", value: text, from: "Connect" };
}
