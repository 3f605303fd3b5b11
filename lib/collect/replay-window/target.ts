import type { JudgedConnector } from "@/lib/checks/judged";
import { type ConnectorConfig, topicRole, typeOf } from "@/lib/debezium/config";
import type { ConnectorType } from "@/lib/debezium/connector-type";
import { runStart } from "@/lib/debezium/events/run-context";
import { stringifyJson } from "@/lib/debezium/json";
import type { Isolation } from "@/lib/kafka/log/log-reader";
import { asksExactlyOnce } from "@/lib/measure/replay-window/exactly-once";
import { commitsInForce, type InForce, notKnown } from "@/lib/measure/replay-window/in-force";
import type { Failure, Look } from "@/lib/observed/observation";
import type { FleetQuestion } from "./fleet-look";
import type { WindowMemory } from "./window-memory";

/** A topic of a connector that the window is measured in. */
export interface TargetTopic {
  topic: string;
  /** The connector's own: heartbeats, transactions, schema changes, notifications. */
  own: boolean;
  /** Other connectors write to it as well. */
  shared: boolean;
}

/** One connector as one poll measures it: its commits, and the topics to look at. */
export interface Target {
  known: JudgedConnector;
  type: ConnectorType;
  config: ConnectorConfig;
  topics: TargetTopic[];
  inForce: InForce;
  /** The commits as one text: another text is another state. */
  commits: string;
  isolation: Isolation;
  /** Where the logs of its topics begin is to be asked for. */
  asksLogStarts: boolean;
  /** When the run began that a snapshot is part of, milliseconds since 1970; null: not known, or no snapshot is running. */
  runStart: number | null;
}

/** What there is to measure of a connector; a failure where its topics are not known. */
export function targetOf(
  known: JudgedConnector,
  memory: WindowMemory,
  sharedTopics: ReadonlySet<string>,
): Look<Target> {
  const config = known.report.value?.config ?? {};
  const names = known.topics?.value?.topics;
  if (!names) return { failure: known.topics?.failure ?? topicsNotSeen };
  const { value: inForce, commits } = inForceOf(known, config, memory);
  return {
    value: {
      known,
      type: typeOf(config),
      config,
      topics: names.flatMap((topic) => topicOf(config, topic, sharedTopics)),
      inForce,
      commits,
      isolation:
        memory.transactional === true || asksExactlyOnce(config) ? "read_committed" : "read_uncommitted",
      asksLogStarts: memory.logStarts.due(Date.now()),
      runStart: inForce.kind === "snapshot" && memory.runId !== null ? runStart(memory.runId) : null,
    },
  };
}

function topicOf(config: ConnectorConfig, topic: string, sharedTopics: ReadonlySet<string>): TargetTopic[] {
  const role = topicRole(config, topic);
  // Rows of a signalling table are not delivered, and others write to a topic of signals.
  if (role === "signal") return [];
  const own = role !== "table" && role !== "other";
  return [{ topic, own, shared: sharedTopics.has(topic) }];
}

/** Commits are read again only when there is another history or offset: with a thousand connectors it shows. */
function inForceOf(known: JudgedConnector, config: ConnectorConfig, memory: WindowMemory) {
  const history = known.commits?.failure ? null : (known.commits?.value ?? null);
  const stored = known.offsets?.value ?? null;
  const whyNoHistory = known.commits?.failure ?? null;
  const offsets = JSON.stringify([config, stored, whyNoHistory]);
  if (memory.inForce?.history === history && memory.inForce.offsets === offsets) return memory.inForce;
  const value: InForce = stored
    ? commitsInForce(typeOf(config), config, stored, history, whyNoHistory)
    : notKnown(whyNotStored(known.offsets?.failure ?? null));
  const commits = value.commits
    .map((c) => `${c.partitionText} ${stringifyJson(c.offset)} ${c.committedAt}`)
    .sort()
    .join("\n");
  memory.inForce = { history, offsets, commits: `${value.kind}\n${commits}`, value };
  return memory.inForce;
}

function whyNotStored(failure: Failure | null): string {
  return failure
    ? `the stored offset is not known: ${failure.sentence}`
    : "the stored offset was not read yet";
}

const topicsNotSeen: Failure = {
  kind: "not-found",
  sentence: "its topics were not looked at yet",
  remedy: null,
};

/** What the fleet look asks for one connector. */
export function questionOf(target: Target): FleetQuestion {
  const { known, topics, inForce, isolation, asksLogStarts, runStart: run } = target;
  const fromTheStart = inForce.kind === "snapshot" || inForce.kind === "no-commit";
  return {
    connector: known.connector,
    isolation,
    needsEarliest: fromTheStart || asksLogStarts,
    topics: topics.map(({ topic }) => {
      const { committedAt, sourceAt, before } = inForce.forTopic(topic);
      return { topic, after: committedAt, since: run ?? sourceAt, before };
    }),
  };
}

/** Topics that more than one of these connectors writes to. */
export function sharedTopics(connectors: readonly JudgedConnector[]): Set<string> {
  const seen = new Set<string>();
  const shared = new Set<string>();
  for (const { topics } of connectors)
    for (const topic of topics?.value?.topics ?? []) {
      if (seen.has(topic)) shared.add(topic);
      seen.add(topic);
    }
  return shared;
}
