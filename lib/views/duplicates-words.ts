import type { Fall, FoundReplay, ReplayCause, ScanResult, TopicDuplicates } from "@/lib/observed/duplicates";
import { formatCount } from "./format";
import { formatShare, formatSpread } from "./format-share";

/** A replay's cause as a person reads it, in the middle of a sentence. */
export const causeWords: Readonly<Record<ReplayCause, string>> = {
  crash: "crash",
  "graceful-restart": "graceful restart",
  rebalance: "rebalance",
  "config-change": "configuration change",
  "worker-lost": "worker lost",
  "source-retry": "source connection retried",
  "producer-retry": "producer retry",
  failover: "source failover",
  unknown: "cause unknown",
};

export const evidenceWords: Readonly<Record<FoundReplay["evidence"], string>> = {
  "run-id": "a new run id begins there",
  "restart-time": "a start of the task is known at that time",
  samples: "positions fall between two samples",
  whole: "the stretch was read whole, change by change",
  "leader-epoch": "read whole beside a change of the partition's leader",
};

export const fallWords: Readonly<Record<Fall["kind"], string>> = {
  timeline: "another WAL timeline",
  reset: "binary logs begun anew",
  "re-snapshot": "snapshot taken again",
  "binlog-position-set": "position set by a signal",
  "offsets-edited": "offsets edited",
  "other-connector": "another connector writes here",
  "redo-thread": "another redo thread",
  "within-transaction": "within one transaction",
  unknown: "cause unknown",
};

/** How sure the count is, as far as the method goes. */
export const sureWords: Readonly<Record<NonNullable<TopicDuplicates["sure"]>, string>> = {
  complete: "bisection, complete",
  "known-starts": "bisection, known starts only",
  whole: "every record read",
};

/** What that means, a sentence. */
export const sureSentences: Readonly<Record<NonNullable<TopicDuplicates["sure"]>, string>> = {
  complete: "Run ids in the records show every start of a task, so no replay is missed.",
  "known-starts":
    "The records carry no run ids (Debezium before 3.4, or extended.headers.enabled=false): replays were looked for at restarts that were seen and between spaced samples, so small ones at other times can be missed.",
  whole: "Every record was read and compared by its identity.",
};

/** `1 in 64`, from a share of one. */
function oneIn(share: number): string {
  return `1 in ${formatCount(Math.max(1, Math.round(1 / share)))}`;
}

/** How a scan got its figure: `every record read`, `sample of 1 in 64, ±0.2 %`. */
export function scanHow({ share, interval }: ScanResult): string {
  if (share >= 1) return sureWords.whole;
  const spread = interval ? `, ${formatSpread(interval)}` : "";
  return share > 0 ? `sample of ${oneIn(share)}${spread}` : `sample${spread}`;
}

/** What a scan says beside bisection: `a sample of 1 in 64 gives 0.81 % ±0.03 %`; null without a figure. */
export function scanBeside(scan: ScanResult): string | null {
  if (scan.rate === null) return null;
  const spread = scan.share < 1 && scan.interval ? ` ${formatSpread(scan.interval)}` : "";
  const what = scan.share < 1 ? `a sample of ${oneIn(scan.share || 1)}` : "reading every record";
  return `${what} gives ${formatShare(scan.rate)}${spread}`;
}

const boundWords: Readonly<Record<FoundReplay["bound"], string>> = {
  exact: "",
  "at-most": "at most ",
  "at-least": "at least ",
};
const boundSigns: Readonly<Record<FoundReplay["bound"], string>> = {
  exact: "",
  "at-most": "≤\u00a0",
  "at-least": "≥\u00a0",
};

/** `39,812`, `at most 39,812`. */
export function boundedCount({ bound, count }: Pick<FoundReplay, "bound" | "count">): string {
  return `${boundWords[bound]}${formatCount(count)}`;
}

/** The same in a table: `39,812`, `≤ 39,812`. */
export function shortCount({ bound, count }: Pick<FoundReplay, "bound" | "count">): string {
  return `${boundSigns[bound]}${formatCount(count)}`;
}

/** The bound of a sum: what is at most and at least together is neither, and `at-least` is the safer word. */
export function boundOfSum(parts: readonly Pick<FoundReplay, "bound">[]): FoundReplay["bound"] {
  if (parts.some((p) => p.bound === "at-least")) return "at-least";
  return parts.some((p) => p.bound === "at-most") ? "at-most" : "exact";
}

/** `1,449 more for readers that do not wait for commits`; null when there are none. */
export function uncommittedWords(copies: number): string | null {
  if (copies === 0) return null;
  return `${formatCount(copies)} more for readers that do not wait for commits`;
}
