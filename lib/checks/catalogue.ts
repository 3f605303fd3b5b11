import type { Check } from "./check";
import { connectRebalancing } from "./connect/connect-rebalancing";
import { connectUnreachable } from "./connect/connect-unreachable";
import { connectorFailed } from "./connect/connector-failed";
import { connectorPaused } from "./connect/connector-paused";
import { connectorStopped } from "./connect/connector-stopped";
import { noTasks } from "./connect/no-tasks";
import { plaintextSecret } from "./connect/plaintext-secret";
import { runningButSilent } from "./connect/running-but-silent";
import { taskFailed } from "./connect/task-failed";
import { taskUnassigned } from "./connect/task-unassigned";
import { offsetLeftover } from "./offsets/offset-leftover";
import { offsetMissing } from "./offsets/offset-missing";
import { offsetNotComparable } from "./offsets/offset-not-comparable";
import { offsetSnapshotUnfinished } from "./offsets/offset-snapshot-unfinished";
import { offsetWentBack } from "./offsets/offset-went-back";
import { duplicatesHigh } from "./replay/duplicates-high";
import { duplicatesNotMeasurable } from "./replay/duplicates-not-measurable";
import { heartbeatOff } from "./replay/heartbeat-off";
import { keyOrderBroken } from "./replay/key-order-broken";
import { offsetCommitLate } from "./replay/offset-commit-late";
import { replayHappened } from "./replay/replay-happened";
import { replayWindowLarge } from "./replay/replay-window-large";
import { historyCleanupPolicy } from "./schema-history/history-cleanup-policy";
import { historyMissing } from "./schema-history/history-missing";
import { historyNotKafka } from "./schema-history/history-not-kafka";
import { historyPartitions } from "./schema-history/history-partitions";
import { historyReplication } from "./schema-history/history-replication";
import { historyRetentionBytes } from "./schema-history/history-retention-bytes";
import { historyRetentionTime } from "./schema-history/history-retention-time";
import { historyShared } from "./schema-history/history-shared";
import { historyTruncated } from "./schema-history/history-truncated";

/** Every check, in the order of docs/checks.md; among equals the first is told first. */
export const catalogue: readonly Check[] = [
  connectUnreachable,
  connectRebalancing,
  connectorFailed,
  taskFailed,
  taskUnassigned,
  noTasks,
  connectorPaused,
  connectorStopped,
  runningButSilent,
  plaintextSecret,
  offsetMissing,
  offsetLeftover,
  offsetWentBack,
  offsetNotComparable,
  offsetSnapshotUnfinished,
  replayWindowLarge,
  offsetCommitLate,
  heartbeatOff,
  replayHappened,
  duplicatesHigh,
  duplicatesNotMeasurable,
  keyOrderBroken,
  historyMissing,
  historyTruncated,
  historyCleanupPolicy,
  historyRetentionTime,
  historyRetentionBytes,
  historyPartitions,
  historyReplication,
  historyShared,
  historyNotKafka,
];

const bySlug = new Map(catalogue.map((check) => [check.slug, check]));

/** The check of a slug; undefined for one that this version does not know, such as in an old finding. */
export function checkBySlug(slug: string): Check | undefined {
  return bySlug.get(slug);
}
