import type { CheckLimits, ConnectorFacts } from "@/lib/checks/check";
import { judgeCluster, judgeConnector } from "@/lib/checks/judge";
import type { Verdict } from "@/lib/checks/verdict";
import type { Database } from "@/lib/store/database";
import { applyVerdicts } from "@/lib/store/findings";
import { type ClusterWatch, topicNeighbours } from "./cluster-watch";

/** Verdicts that did not change are confirmed in the database this often: a write a connector and poll would be too much. */
const CONFIRM_EVERY_MS = 10_000;

/** When each subject's verdicts were last written, and what they were. */
export type Judged = Map<string, { at: number; text: string }>;

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
  const write = async (connector: string | null, verdicts: Verdict[]) => {
    const key = `${name}\n${connector ?? ""}`;
    const text = JSON.stringify(verdicts);
    const last = judged.get(key);
    if (last?.text === text && now.getTime() - last.at < CONFIRM_EVERY_MS) return;
    await applyVerdicts(db, name, connector, verdicts, now);
    judged.set(key, { at: now.getTime(), text });
  };

  await write(null, judgeCluster({ cluster: name, connect, kafka, failingSince }, limits, now));
  const fleet = topicNeighbours(watch, watches);
  for (const known of watch.connectors.values()) {
    const facts: ConnectorFacts = { ...known, fleet };
    const verdicts = judgeConnector(facts, limits, now);
    await write(known.connector, verdicts);
  }
  return null;
}
