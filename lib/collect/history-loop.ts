import { needsHistoryTopic } from "@/lib/checks/schema-history/needs-history-topic";
import { type Failure, type Look, observe } from "@/lib/observed/observation";
import type { HistoryTopic } from "@/lib/observed/topic";
import { saveCluster } from "@/lib/store/clusters";
import type { Database } from "@/lib/store/database";
import { type ClusterWatch, changeConnectors, takeParts } from "./cluster-watch";
import { inTurn } from "./in-turn";

const AT_ONCE = 4;

const noBrokers: Failure = {
  kind: "not-configured",
  sentence: "no Kafka brokers are configured for this cluster",
  remedy: "set kafka.brokers of the cluster, or KAFKA_BROKERS",
};

/** Describes the brokers and every schema history topic that a connector of one cluster uses, each topic once. */
export async function lookAtHistories(watch: ClusterWatch, db: Database): Promise<Failure | null> {
  const { brokers } = watch.probe;
  const kafka = brokers ? await brokers.describeCluster() : null;
  if (kafka) watch.cluster.kafka = observe(watch.cluster.kafka, kafka, new Date());
  await saveCluster(db, watch.cluster);

  const looks = new Map<string, Promise<Look<HistoryTopic>>>();
  const lookAt = (topic: string) => {
    const look =
      looks.get(topic) ?? brokers?.describeHistoryTopic(topic) ?? Promise.resolve({ failure: noBrokers });
    looks.set(topic, look);
    return look;
  };
  await inTurn(changeConnectors(watch), AT_ONCE, async ({ connector, report, history }) => {
    const need = needsHistoryTopic(report.value?.config ?? {});
    const look = need && "topic" in need ? await lookAt(need.topic) : null;
    // A connector that was given another topic starts with no memory of the old one.
    const sameTopic = look?.failure !== undefined || history?.value?.topic === look?.value.topic;
    const seen = look && observe(sameTopic ? history : null, look, new Date());
    await takeParts(watch, connector, { history: seen }, db);
  });
  return kafka?.failure ?? null;
}
