import type { JudgedConnector, KnownCluster } from "@/lib/checks/judged";
import type { Replay } from "@/lib/observed/duplicates";
import type { Restart } from "@/lib/observed/window-series";
import { replayLines } from "./duplicates-replays";
import type { DuplicatesView } from "./duplicates-schema";
import { duplicatesTopics, noDuplicates } from "./duplicates-section";

/** Addresses of the brokers as they call themselves, for commands; empty: not known. */
export function brokersOf(clusters: readonly KnownCluster[], name: string): string[] {
  const kafka = clusters.find((c) => c.name === name)?.kafka?.value;
  return kafka?.brokers.map((broker) => broker.address) ?? [];
}

/** The replays of a time, as the Connector page and GET …/duplicates say them. */
export function duplicatesView(input: {
  connector: JudgedConnector;
  clusters: readonly KnownCluster[];
  from: Date;
  to: Date;
  /** Newest first. */
  replays: readonly Replay[];
  more: boolean;
  restarts: readonly Restart[];
}): DuplicatesView {
  const { connector, clusters, from, to, replays, more, restarts } = input;
  const value = connector.duplicates?.value ?? null;
  return {
    cluster: connector.cluster,
    connector: connector.connector,
    from: from.toISOString(),
    to: to.toISOString(),
    replays: replayLines(replays, restarts),
    more,
    topics: value ? duplicatesTopics(value) : [],
    whyNone: noDuplicates(connector).whyNone,
    brokers: brokersOf(clusters, connector.cluster),
  };
}
