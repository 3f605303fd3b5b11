import type { CheckLimits, ConnectorFacts } from "@/lib/checks/check";
import { judgeCluster, judgeConnector } from "@/lib/checks/judge";
import type { Database } from "@/lib/store/database";
import { applyJudgements, type Judgement } from "@/lib/store/findings";
import { type ClusterWatch, topicNeighbours } from "./cluster-watch";

/** Verdicts that did not change are confirmed in the database this often: a write a connector and poll would be too much. */
const CONFIRM_EVERY_MS = 10_000;

/** When each connector's verdicts (null: the cluster's own) were last written, and what they were. */
export type Judged = Map<string | null, { at: number; text: string }>;

/** Judges one cluster and its connectors from what is known, and opens and closes findings. */
export async function judgeWatch(
  watch: ClusterWatch,
  watches: readonly ClusterWatch[],
  limits: CheckLimits,
  judged: Judged,
  db: Database,
): Promise<null> {
  const now = new Date();
  const { name, connect, kafka, failingSince } = watch.cluster;
  const fleet = topicNeighbours(watch, watches);
  const brokers = [...watch.brokers, ...(kafka?.value?.brokers ?? []).map((b) => b.address)];
  const judgements: Judgement[] = [
    { connector: null, verdicts: judgeCluster({ cluster: name, connect, kafka, failingSince }, limits, now) },
    ...[...watch.connectors.values()].map((known) => {
      const facts: ConnectorFacts = { ...known, fleet, brokers, groupId: watch.groupId ?? null };
      return { connector: known.connector, verdicts: judgeConnector(facts, limits, now) };
    }),
  ];
  const toWrite = judgements
    .map((judgement) => ({ judgement, text: JSON.stringify(judgement.verdicts) }))
    .filter(({ judgement, text }) => {
      const last = judged.get(judgement.connector);
      return last?.text !== text || now.getTime() - last.at >= CONFIRM_EVERY_MS;
    });
  await applyJudgements(
    db,
    name,
    toWrite.map(({ judgement }) => judgement),
    now,
  );
  for (const { judgement, text } of toWrite) judged.set(judgement.connector, { at: now.getTime(), text });
  return null;
}
