import type { ClusterCheck } from "../check";
import { duration } from "../duration";
import { failureSentence } from "../known";
import { sayer } from "../say";

const say = sayer("connect-rebalancing");

export const connectRebalancing: ClusterCheck = {
  subject: "cluster",
  slug: "connect-rebalancing",
  group: "connect",
  title: "Workers rebalance",
  looksAt: "Whether Kafka Connect refuses requests (409) because its workers share out the tasks anew.",
  severity: "info",
  judge({ connect, failingSince }, limits, now) {
    if (!connect) return say.unknown("Warming up: Kafka Connect was not asked yet.");
    if (!connect.failure) return say.ok("settled", "Kafka Connect takes requests.");
    if (connect.failure.kind !== "rebalancing") {
      return say.unknown(`Kafka Connect cannot be asked. ${failureSentence(connect.failure)}`);
    }
    const ms = failingSince ? now.getTime() - failingSince.getTime() : 0;
    const evidence = failingSince
      ? [{ label: "since", value: failingSince.toISOString(), from: "first refusal" }]
      : [];
    if (ms <= limits.rebalanceMs) {
      return say.info({ short: "rebalancing", sentence: "The workers share out the tasks anew.", evidence });
    }
    return say.warning({
      short: `for ${duration(ms)}`,
      sentence: `The workers have been rebalancing for ${duration(ms)}, longer than the usual ${duration(limits.rebalanceMs)}.`,
      evidence: [
        ...evidence,
        { label: "usual", value: duration(limits.rebalanceMs), from: "checks.rebalance" },
      ],
      remedy: [
        {
          text: "Look in the workers' logs for one that joins and leaves again and again, or that cannot reach the leader's REST address (rest.advertised.host.name).",
          command: null,
        },
      ],
    });
  },
};
