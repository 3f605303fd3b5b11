import type { KafkaCluster } from "@/lib/observed/cluster";
import type { Look } from "@/lib/observed/observation";
import type { KafkaConnection } from "./connection";
import { kafkaFailure } from "./failure";
import { readMetadata } from "./requests";

/** The brokers as one of them describes the cluster; asks for no topic. */
export async function describeCluster(k: KafkaConnection): Promise<Look<KafkaCluster>> {
  try {
    const { brokers, clusterId, controllerId } = await readMetadata(k, "none");
    const known = brokers.map((b) => ({ id: b.nodeId, address: `${b.host}:${b.port}` }));
    return {
      value: { clusterId, controller: controllerId, brokers: known.sort((a, b) => a.id - b.id) },
    };
  } catch (error) {
    return { failure: kafkaFailure(error, { about: "cluster" }) };
  }
}
