import { refusedTransactionalId, transactionalIds } from "@/lib/debezium/transactional-ids";
import type { ConnectorReport } from "@/lib/observed/connector";
import type { RemedyStep } from "../verdict";

type Task = NonNullable<ConnectorReport["tasks"]>[number];

/**
 * What to grant where brokers refused the transactional ids of an exactly-once source; null where no task's trace says so.
 * The ids are told only where the settings name Connect's group.id, which REST does not tell.
 */
export function transactionalIdStep(
  connector: string,
  tasks: readonly Task[],
  groupId: string | null,
): RemedyStep | null {
  const refused = tasks.filter(({ trace }) => trace && refusedTransactionalId(trace));
  if (refused.length === 0) return null;
  const which =
    refused.length === 1 ? `Task ${refused[0]?.id}` : `Tasks ${refused.map(({ id }) => id).join(", ")}`;
  const own = refused.length === 1 ? "its transactional id" : "their transactional ids";
  if (groupId === null)
    return {
      text: `${which} may not use ${own}: <group.id>-${connector}-<task>, and the workers' leader connect-cluster-<group.id>. The user of the workers' producers needs Write and Describe on TransactionalId there (or on a prefix). Connect does not tell its group.id: with groupId in the settings of the cluster the names stand here.`,
      command: null,
    };
  const ids = transactionalIds(groupId, connector, Math.max(...tasks.map(({ id }) => id)) + 1);
  const wanted = refused.flatMap(({ id }) => ids.tasks[id] ?? []);
  return {
    text: `${which} may not use ${own}; needs Write and Describe on TransactionalId ${wanted.join(", ")} (or a prefix). The connector's tasks use ${ids.tasks.join(", ")}, the workers' leader ${ids.leader}.`,
    command: null,
  };
}
