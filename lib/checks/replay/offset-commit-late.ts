import type { CommitHistory } from "@/lib/observed/commits";
import type { ReplayWindow } from "@/lib/observed/replay-window";
import type { ConnectorCheck } from "../check";
import { duration } from "../duration";
import { wholeSentence } from "../known";
import { sayer } from "../say";
import type { Evidence, RemedyStep, Verdict } from "../verdict";
import { type AllowedWait, allowedMs, allowedWait, allowedWords } from "./allowed-wait";
import {
  type KnownWindow,
  knownWindow,
  newestCommit,
  uncounted,
  unseenTopic,
  whyUnknown,
} from "./known-window";
import { windowEvents } from "./window-words";

const say = sayer("offset-commit-late");

export const offsetCommitLate: ConnectorCheck = {
  subject: "connector",
  slug: "offset-commit-late",
  group: "replay",
  title: "Offset commit late",
  looksAt: "Whether offsets are committed while records are produced.",
  severity: "warning",
  judge(facts, _limits, now) {
    const known = knownWindow(say, facts, now);
    if ("outcome" in known) return known;
    const { window } = known;
    if (window.standsStill !== null)
      return say.notApplicable(`It is ${window.standsStill}: nothing is committed meanwhile.`);
    switch (window.kind) {
      case "unknown":
        return say.unknown(whyUnknown(window));
      case "exactly-once":
        return say.notApplicable("Offsets are committed in the transactions of the records themselves.");
      case "no-commit":
        return say.notApplicable("No offset is stored.");
      default:
        return judgeCommits(known, facts.commits?.value ?? null);
    }
  },
};

function judgeCommits({ window, report }: KnownWindow, history: CommitHistory | null): Verdict {
  const committed = newestCommit(window);
  if (committed === null) return say.unknown(noTime(window));
  const at = Date.parse(window.at);
  const allowed = allowedWait(window, history);
  const mostMs = allowedMs(allowed);
  const committedAgo = at - committed;
  if (committedAgo <= mostMs) return say.ok("in time", "Offsets are committed as records come.");
  const { firstAt } = window.byTime;
  if (firstAt === null) {
    const unsure = whyNotIdle(window);
    if (unsure !== null)
      return say.unknown(
        `The newest commit is ${duration(committedAgo)} old; whether records came since is not known. ${unsure}`,
      );
    return say.ok(
      `idle ${duration(committedAgo)}`,
      `The newest commit is ${duration(committedAgo)} old and no record came since: there is nothing to commit.`,
    );
  }
  // One of several source partitions can be idle, and its commit old, while the others are committed.
  const dueMs = at - Math.max(Date.parse(firstAt), committed);
  if (dueMs <= mostMs) return say.ok("in time", "Offsets are committed as records come.");
  return late({ window, dueMs, committed, allowed, worker: report.tasks?.[0]?.workerId ?? null });
}

/** Why it is not sure that nothing came since the commit; null when it is. */
function whyNotIdle(window: ReplayWindow): string | null {
  const { topics, byTime } = window;
  const unseen = unseenTopic(window);
  if (unseen !== null) return wholeSentence(unseen);
  const missing = uncounted({ ...window, by: "time" });
  if (missing !== null) return wholeSentence(missing);
  if (byTime.low === null) return wholeSentence(byTime.whyNoLow ?? "records were not counted by time");
  const shared = topics.find((t) => t.failure === null && t.records !== 0);
  return shared ? `Topic ${shared.topic} got records that may be another connector's.` : null;
}

function noTime({ byTime, commits }: ReplayWindow): string {
  if (commits.length === 0) return "No commit is known.";
  return `When it last committed is not known. ${wholeSentence(byTime.whyNoLow ?? "only the offset topic tells, and it is not followed")}`;
}

function late(found: {
  window: ReplayWindow;
  /** Since when a commit has been due, milliseconds before the look. */
  dueMs: number;
  committed: number;
  allowed: AllowedWait;
  worker: string | null;
}): Verdict {
  const { window, dueMs, committed, allowed, worker } = found;
  const cost =
    window.kind === "events" && window.events !== null
      ? `: a crash now would produce ${windowEvents(window)} again`
      : "";
  return say.warning({
    short: `for ${duration(dueMs)}`,
    sentence: `Records have come for ${duration(dueMs)}, and no offset was committed since${cost}. Flushes of offsets fail, or wait for a record that the brokers do not acknowledge.`,
    evidence: evidenceOf(window, committed, allowed),
    remedy: remedyOf(worker),
  });
}

function evidenceOf(window: ReplayWindow, committed: number, allowed: AllowedWait): Evidence[] {
  return [
    { label: "newest commit", value: new Date(committed).toISOString(), from: "offset topic" },
    { label: "first record since", value: window.byTime.firstAt ?? "", from: "its timestamp" },
    { label: "looked at", value: window.at, from: "brokers, end offsets" },
    {
      label: "allowed",
      value: allowedWords(allowed),
      from: flushFrom(window, allowed),
    },
  ];
}

function flushFrom({ flushInterval: { ms, commits, of, why } }: ReplayWindow, allowed: AllowedWait): string {
  if (allowed.why === "longest-gap") return "the longest time between its newest commits";
  const inferred = `inferred from ${commits} commits${of === "cluster" ? " of the cluster's connectors" : ""}`;
  if (ms !== null && allowed.why === null) return inferred;
  const setting = "Connect's default of offset.flush.interval.ms";
  if (ms !== null) return `${setting}, for ${duration(ms)}, ${inferred}, may be of an earlier time`;
  return `${setting}, for none could be inferred${why ? `: ${why}` : ""}`;
}

function remedyOf(worker: string | null): RemedyStep[] {
  const log = worker ? `the log of worker ${worker}` : "the worker's log";
  return [
    {
      text: `Search ${log} for "Timed out waiting to flush offsets to storage" and "Failed to flush offsets to storage": the offset topic was not written within offset.flush.timeout.ms (5000 unless set; a setting of the workers). See whether its partitions have their in-sync replicas; raise the time only if the brokers are slow and healthy.`,
      command: null,
    },
    {
      text: 'Search it too for "pending messages spread across" and for errors of the producer (TimeoutException, NotEnoughReplicasException, RecordTooLargeException): an offset is committed only up to the first record that the brokers have not acknowledged.',
      command: null,
    },
    {
      text: "In JMX: kafka.connect:type=connector-task-metrics has offset-commit-failure-percentage and offset-commit-max-time-ms, kafka.connect:type=source-task-metrics has source-record-active-count, the records sent and not yet acknowledged. One that only grows names the second cause.",
      command: null,
    },
  ];
}
