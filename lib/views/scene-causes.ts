import type { ReplayCause } from "@/lib/observed/duplicates";

/** What a made-up cause was concluded from. */
export const causeWhyOf: Readonly<Record<ReplayCause, string>> = {
  crash:
    "Worker 10.0.4.17:8083 stopped answering and its task went on at 10.0.4.18:8083 without a last commit.",
  "graceful-restart":
    "The connector was restarted through Connect's REST, and what followed its last commit came again.",
  rebalance: "The task moved from 10.0.4.17:8083 to 10.0.4.18:8083 while both workers answered.",
  "config-change": "The connector's configuration changed 2 s before: Connect restarts its tasks then.",
  "worker-lost": "Worker 10.0.4.17:8083 came back after its task had been given away, and still wrote.",
  "source-retry":
    "A new run began while Connect showed the task RUNNING throughout: Debezium began again after an error of the source connection.",
  "producer-retry": "Within one run whole batches stand twice, beside a change of the partition's leader.",
  failover: "The source's server changed from 223344 to 223345 at that moment.",
  unknown: "Nothing was seen of the connector then: it happened before Tidemark watched.",
};
