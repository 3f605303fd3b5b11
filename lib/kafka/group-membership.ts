import kafkajs, { type Consumer } from "kafkajs";
import type { ClusterSettings } from "@/lib/config/settings";
import type { Failure } from "@/lib/observed/observation";
import { tlsOptions } from "./connection";
import { kafkaFailure } from "./failure";

/** Without a heartbeat for so long a member is given up, and its partitions go to the others. */
const SESSION_MS = 10_000;
/** Kafka.js sleeps so long at a time while all is paused. */
const WAIT_MS = 1_000;
const CONNECT_MS = 3_000;
const ANSWER_MS = 8_000;

/** What the group gave this member. */
export interface Assignment {
  /** Another one at each time that the group was made up. */
  generation: number;
  partitions: ReadonlyMap<string, readonly number[]>;
}

/** Membership in a consumer group that only shares partitions: it reads nothing, commits nothing and creates no topic. */
export interface GroupMembership {
  /**
   * What this member has for these topics; null while the group is being made up. The first call joins, one for other topics
   * joins anew. Without topics it leaves.
   */
  assignment(topics: readonly string[]): Promise<Assignment | null>;
  /** Whether an assignment still holds: false as soon as the group is made up anew. */
  holds(assignment: Assignment): boolean;
  /** Why there is no assignment; null when nothing went wrong. */
  readonly failure: Failure | null;
  /** Leaves, so that the others need not wait. */
  close(): Promise<void>;
}

const silent = () => () => undefined;

/** Opens nothing yet. @param sessionMs not below the brokers' group.min.session.timeout.ms, 6 s unless set */
export function openGroupMembership(
  settings: NonNullable<ClusterSettings["kafka"]>,
  groupId: string,
  sessionMs: number = SESSION_MS,
): GroupMembership {
  let consumer: Consumer | null = null;
  let joined: string | null = null;
  let current: Assignment | null = null;
  let failure: Failure | null = null;
  let generation = 0;

  async function join(topics: readonly string[]): Promise<void> {
    const tls = await tlsOptions(settings.tls);
    const client = new kafkajs.Kafka({
      clientId: "tidemark-scan",
      brokers: [...settings.brokers],
      ...(tls ? { ssl: tls } : {}),
      ...(settings.sasl ? { sasl: settings.sasl as kafkajs.SASLOptions } : {}),
      connectionTimeout: CONNECT_MS,
      requestTimeout: ANSWER_MS,
      enforceRequestTimeout: true,
      retry: { retries: 2 },
      logCreator: silent,
    });
    const member = client.consumer({
      groupId,
      allowAutoTopicCreation: false,
      sessionTimeout: sessionMs,
      heartbeatInterval: Math.floor(sessionMs / 4),
      rebalanceTimeout: sessionMs * 2,
      maxWaitTimeInMs: WAIT_MS,
      // A crash is told, and the next look joins anew.
      retry: { retries: 2, restartOnFailure: async () => false },
    });
    consumer = member;
    member.on(member.events.GROUP_JOIN, ({ payload }) => {
      if (consumer !== member) return;
      // Before the first fetch: nothing is ever read here.
      member.pause(topics.map((topic) => ({ topic })));
      generation++;
      current = { generation, partitions: new Map(Object.entries(payload.memberAssignment)) };
      failure = null;
    });
    member.on(member.events.REBALANCING, () => {
      if (consumer === member) current = null;
    });
    member.on(member.events.CRASH, ({ payload }) => {
      if (consumer !== member) return;
      failure = membershipFailure(payload.error, groupId);
      consumer = null;
      current = null;
      member.disconnect().catch(() => undefined);
    });
    await member.connect();
    await member.subscribe({ topics: [...topics], fromBeginning: false });
    await member.run({ autoCommit: false, eachBatch: async () => undefined });
  }

  async function leave(): Promise<void> {
    const member = consumer;
    consumer = null;
    current = null;
    await member?.disconnect().catch(() => undefined);
  }

  return {
    async assignment(topics) {
      const wanted = JSON.stringify([...topics].sort());
      if (consumer !== null && joined === wanted) return current;
      await leave();
      joined = wanted;
      if (topics.length === 0) return null;
      try {
        await join([...topics].sort());
      } catch (error) {
        failure = membershipFailure(error, groupId);
        await leave();
      }
      return current;
    },
    holds: (assignment) => current?.generation === assignment.generation,
    get failure() {
      return failure;
    },
    close: leave,
  };
}

function membershipFailure(error: unknown, groupId: string): Failure {
  const type = error instanceof Error && "type" in error ? error.type : null;
  if (type === "GROUP_AUTHORIZATION_FAILED")
    return {
      kind: "forbidden",
      sentence: `no permission to join the consumer group ${groupId}, in which collectors share what they scan`,
      remedy: `Allow Read on group ${groupId} to Tidemark's user, or turn scan.enabled off.`,
    };
  return kafkaFailure(error, { about: "cluster" });
}
