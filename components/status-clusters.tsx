import { asSentence, countOf } from "@/lib/views/format";
import type { Freshness } from "@/lib/views/freshness";
import type { ClusterStatus, StatusView } from "@/lib/views/status";
import { Age } from "./age";
import { Card } from "./card";
import { FreshnessNote } from "./freshness-note";
import { Notice } from "./notice";
import { StatusMark } from "./status-mark";

function Reached({ freshness, what }: { freshness: Freshness; what: string | null }) {
  const outcome = freshness.failure
    ? "critical"
    : freshness.asOf
      ? freshness.stale
        ? "warning"
        : "ok"
      : "unknown";
  return (
    <div>
      <p className="flex flex-wrap items-baseline gap-x-2">
        <StatusMark outcome={outcome}>
          {freshness.failure ? "does not answer" : freshness.asOf ? "answers" : "not looked at yet"}
        </StatusMark>
        <span>{what}</span>
        {freshness.failure ? null : (
          <span className="text-xs text-text-3">
            <FreshnessNote freshness={freshness} />
          </span>
        )}
      </p>
      {freshness.failure ? (
        <p className="mt-1 text-text-2">
          {asSentence(freshness.failure.sentence)} {freshness.failure.remedy}
          {freshness.asOf ? (
            <>
              {" "}
              Last answer <Age at={freshness.asOf} suffix=" ago" />.
            </>
          ) : null}
        </p>
      ) : null}
    </div>
  );
}

function Cluster({ cluster }: { cluster: ClusterStatus }) {
  return (
    <li className="grid grid-cols-[minmax(100px,160px)_minmax(0,1fr)_minmax(0,1fr)] gap-x-4 gap-y-2 border-t border-line px-4 py-3 first:border-t-0 max-md:grid-cols-1">
      <div>
        <p className="font-semibold">{cluster.name}</p>
        <p className="text-xs text-text-3">
          {cluster.connectors === null ? "connectors unknown" : countOf(cluster.connectors, "connector")}
        </p>
      </div>
      <Reached {...cluster.connect} what={cluster.connect.what ?? "Kafka Connect"} />
      {cluster.kafka ? (
        <div>
          <Reached {...cluster.kafka} what={cluster.kafka.what ?? "Brokers"} />
          {cluster.kafka.brokers.length > 0 ? (
            <p className="mt-1 font-mono text-xs text-text-3 [overflow-wrap:anywhere]">
              {cluster.kafka.brokers.join(", ")}
            </p>
          ) : null}
        </div>
      ) : (
        <p className="text-text-2">
          <StatusMark outcome="info">no brokers configured</StatusMark> Topics and schema histories are not
          looked at. Set <code>KAFKA_BROKERS</code> or <code>kafka.brokers</code>.
        </p>
      )}
    </li>
  );
}

/** Whether Connect and the brokers of each cluster answer. */
export function Clusters({ clusters }: { clusters: StatusView["clusters"] }) {
  return (
    <Card title="Clusters">
      {clusters.length === 0 ? (
        <Notice sentence="No cluster is known: none is configured, or the collector has not run yet." />
      ) : (
        <ul className="mt-1">
          {clusters.map((cluster) => (
            <Cluster key={cluster.name} cluster={cluster} />
          ))}
        </ul>
      )}
    </Card>
  );
}
