import { asSentence, countOf, formatBytes, formatCount } from "@/lib/views/format";
import type { Freshness } from "@/lib/views/freshness";
import type { ClusterStatus, LoopStatus, StatusView } from "@/lib/views/status";
import { Age } from "./age";
import { Card } from "./card";
import { FreshnessNote } from "./freshness-note";
import { Notice } from "./notice";
import { Polled } from "./polled";
import { ScrollBox } from "./scroll-box";
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

function Loop({ loop }: { loop: LoopStatus }) {
  return (
    <tr>
      <td>
        {loop.name}
        {loop.failure ? (
          <span className="block text-xs text-critical">{asSentence(loop.failure.sentence)}</span>
        ) : null}
      </td>
      <td>{loop.cluster ?? <span className="text-text-3">all</span>}</td>
      <td>
        <StatusMark outcome={loop.failure ? "critical" : loop.endedAt ? "ok" : "unknown"}>
          {loop.failure ? "failed" : loop.endedAt ? "ok" : "first turn runs"}
        </StatusMark>
      </td>
      <td className="numeric">{loop.endedAt ? <Age at={loop.endedAt} suffix=" ago" /> : "–"}</td>
      <td className="numeric">{loop.tookMs === null ? "–" : `${formatCount(loop.tookMs)}\u00a0ms`}</td>
      <td className="numeric">{formatCount(loop.runs)}</td>
      <td className="numeric">{formatCount(loop.failures)}</td>
    </tr>
  );
}

function Loops({ loops }: { loops: StatusView["loops"] }) {
  return (
    <Card title="Loops" note="what the collector does, over and over">
      {loops.length === 0 ? (
        <Notice sentence="No loop has run: the collector has not written anything yet." />
      ) : (
        <ScrollBox label="Table of loops">
          <table className="data-table mt-1">
            <caption className="sr-only">Loops of the collector</caption>
            <thead>
              <tr>
                <th scope="col">Loop</th>
                <th scope="col">Cluster</th>
                <th scope="col">Last turn</th>
                <th scope="col" className="numeric">
                  Ended
                </th>
                <th scope="col" className="numeric">
                  Took
                </th>
                <th scope="col" className="numeric">
                  Turns
                </th>
                <th scope="col" className="numeric">
                  Failed
                </th>
              </tr>
            </thead>
            <tbody>
              {loops.map((loop) => (
                <Loop key={`${loop.process} ${loop.cluster} ${loop.name}`} loop={loop} />
              ))}
            </tbody>
          </table>
        </ScrollBox>
      )}
    </Card>
  );
}

function Permissions({ missing }: { missing: StatusView["permissionsMissing"] }) {
  return (
    <Card title="Permissions" note="looks that were refused">
      {missing.length === 0 ? (
        <Notice outcome="ok" sentence="No look has been refused for want of a permission." />
      ) : (
        <ul className="mt-1">
          {missing.map((permission) => (
            <li
              key={permission.cluster + permission.sentence}
              className="border-t border-line px-4 py-2.5 first:border-t-0"
            >
              <StatusMark outcome="warning">refused</StatusMark> <b>{permission.cluster}</b>
              {permission.connectors.length > 0 ? ` (${permission.connectors.join(", ")})` : ""}:{" "}
              {asSentence(permission.sentence)}
              {permission.remedy ? <p className="mt-1">{permission.remedy}</p> : null}
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

function Database({ database }: { database: StatusView["database"] }) {
  return (
    <Card
      title="Database"
      note={database.embedded ? "embedded, run by Tidemark" : "yours, from DATABASE_URL"}
    >
      <dl className="grid grid-cols-[max-content_minmax(0,1fr)] gap-x-4 gap-y-1 px-4 pt-2 pb-4">
        <dt className="text-text-3">PostgreSQL</dt>
        <dd>{database.serverVersion}</dd>
        <dt className="text-text-3">size</dt>
        <dd>{formatBytes(database.sizeBytes)}</dd>
        <dt className="text-text-3">schema</dt>
        <dd className="[overflow-wrap:anywhere]">
          <span className="font-mono text-[.93em]">{database.migration ?? "no migration applied"}</span>{" "}
          <span className="text-text-3">({countOf(database.migrations, "migration")})</span>
        </dd>
      </dl>
    </Card>
  );
}

function Processes({ processes }: { processes: StatusView["processes"] }) {
  return (
    <Card title="Processes" note="of Tidemark">
      {processes.length === 0 ? (
        <Notice sentence="No process has given a sign of life." />
      ) : (
        <ul className="mt-1">
          {processes.map((process) => (
            <li
              key={`${process.kind} ${process.pid} ${process.startedAt}`}
              className="flex flex-wrap items-baseline gap-x-3 border-t border-line px-4 py-2.5 first:border-t-0"
            >
              <span className="min-w-14 font-medium">{process.kind}</span>
              <StatusMark outcome={process.alive ? "ok" : "warning"}>
                {process.alive ? "alive" : "silent"}
              </StatusMark>
              <span className="text-text-2">
                {process.version} · pid {process.pid} · up <Age at={process.startedAt} />
              </span>
              <span className="text-xs text-text-3">
                last sign <Age at={process.beatAt} suffix=" ago" />
              </span>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

/** The Status page below its banner. */
export function Status({ view }: { view: StatusView }) {
  return (
    <>
      <div className="mb-3.5 flex flex-wrap items-baseline gap-x-4">
        <h1 className="text-[18px] font-semibold tracking-tight">Status of Tidemark</h1>
        <Polled watch={view.watch} />
      </div>
      <div className="grid gap-3.5">
        <Card title="Clusters">
          {view.clusters.length === 0 ? (
            <Notice sentence="No cluster is known: none is configured, or the collector has not run yet." />
          ) : (
            <ul className="mt-1">
              {view.clusters.map((cluster) => (
                <Cluster key={cluster.name} cluster={cluster} />
              ))}
            </ul>
          )}
        </Card>
        <Permissions missing={view.permissionsMissing} />
        <Loops loops={view.loops} />
        <div className="grid gap-3.5 lg:grid-cols-2">
          <Database database={view.database} />
          <Processes processes={view.processes} />
        </div>
      </div>
    </>
  );
}
