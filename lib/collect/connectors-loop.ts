import type { JudgedConnector } from "@/lib/checks/judged";
import type { ConnectorReport } from "@/lib/observed/connector";
import { type Failure, type Look, observe } from "@/lib/observed/observation";
import { saveCluster } from "@/lib/store/clusters";
import { dropConnectors, saveReports } from "@/lib/store/connectors";
import type { Database } from "@/lib/store/database";
import type { ClusterWatch } from "./cluster-watch";
import { nextStateTimes } from "./state-times";

/** Lists the connectors of one cluster with states and configs, and notes which came and went. */
export async function lookAtConnectors(watch: ClusterWatch, db: Database): Promise<Failure | null> {
  const list = await watch.probe.listConnectors();
  const root = list.failure === undefined ? await watch.probe.readRoot() : { failure: list.failure };
  const now = new Date();

  const failure = list.failure ?? root.failure ?? null;
  watch.cluster.connect = observe(watch.cluster.connect, clusterLook(root, list), now);
  watch.cluster.failingSince = failure ? (watch.cluster.failingSince ?? now) : null;

  const gone =
    list.failure === undefined ? takeReports(watch, list.value, now) : keepReports(watch, list.failure, now);
  await saveCluster(db, watch.cluster);
  await saveReports(db, watch.cluster.name, [...watch.connectors.values()]);
  if (gone.length > 0) await dropConnectors(db, watch.cluster.name, gone);
  // Only now: had the database been away, the next poll would have to drop them.
  for (const name of gone) watch.connectors.delete(name);
  return failure;
}

function clusterLook(
  root: Look<{ version: string; commit: string | null; kafkaClusterId: string | null }>,
  list: Look<ConnectorReport[]>,
) {
  if (list.failure !== undefined) return { failure: list.failure };
  if (root.failure !== undefined) return { failure: root.failure };
  return { value: { ...root.value, connectors: list.value.map((r) => r.name).sort() } };
}

/** Returns the connectors that are gone: absent from this list and from the one before. */
function takeReports(watch: ClusterWatch, reports: readonly ConnectorReport[], now: Date): string[] {
  const listed = new Set(reports.map((r) => r.name));
  for (const report of reports) {
    const before = watch.connectors.get(report.name) ?? newConnector(watch.cluster.name, report.name, now);
    watch.connectors.set(report.name, {
      ...before,
      missingSince: null,
      report: observe(before.report, { value: report }, now),
      times: nextStateTimes(before.times, report, now),
    });
  }
  const gone: string[] = [];
  for (const [name, connector] of watch.connectors) {
    if (listed.has(name)) continue;
    // One list can lack a connector for a moment during a rebalance: the next one decides.
    if (connector.missingSince) gone.push(name);
    else watch.connectors.set(name, { ...connector, missingSince: now });
  }
  return gone;
}

function keepReports(watch: ClusterWatch, failure: Failure, now: Date): string[] {
  for (const [name, connector] of watch.connectors)
    watch.connectors.set(name, { ...connector, report: observe(connector.report, { failure }, now) });
  return [];
}

function newConnector(cluster: string, connector: string, now: Date): JudgedConnector {
  return {
    cluster,
    connector,
    firstSeenAt: now,
    missingSince: null,
    report: { value: null, trueAt: null, since: null, notBefore: null, triedAt: now, failure: null },
    times: { connector: null, tasks: [] },
    offsets: null,
    commits: null,
    topics: null,
    ends: null,
    history: null,
    judgedAt: null,
    verdicts: [],
  };
}
