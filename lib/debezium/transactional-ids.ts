/** What an exactly-once source needs rights for. */
export interface TransactionalIds {
  /** Of each task's producer, by task (Worker.taskTransactionalId). */
  tasks: string[];
  /** Of the leader, for Connect's own topics (DistributedConfig.transactionalProducerId). */
  leader: string;
}

/** The transactional ids of a connector's tasks under exactly-once. @param groupId Connect's group.id, which REST does not tell */
export function transactionalIds(groupId: string, connector: string, tasks: number): TransactionalIds {
  return {
    tasks: Array.from({ length: tasks }, (_, task) => `${groupId}-${connector}-${task}`),
    leader: `connect-cluster-${groupId}`,
  };
}

/** Whether a trace tells that brokers refused a transactional id (org.apache.kafka.common.errors). */
export function refusedTransactionalId(trace: string): boolean {
  return trace.includes("TransactionalIdAuthorizationException");
}
