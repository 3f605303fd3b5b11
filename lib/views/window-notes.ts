import type { FlushInterval, ReplayWindow } from "@/lib/observed/replay-window";
import { asSentence, countOf, formatDuration } from "./format";

/** What kind of window it is, where the figure alone would mislead. */
function kindNote(window: ReplayWindow): string | null {
  switch (window.kind) {
    case "unknown":
      return window.why;
    case "snapshot":
      return "A snapshot that has not ended starts again from its beginning: each row it has sent so far would be sent once more, whenever the offset was committed, and others that the tables hold by then.";
    case "exactly-once":
      return "Records and their offset are written in one transaction, so a crash leaves nothing to send again. That holds for consumers that read with `isolation.level=read_committed`.";
    case "no-commit":
      return "No offset is stored, so a start would be the connector's first: as its snapshot.mode says it reads the tables again, which can be more than it has produced so far.";
    case "events":
      return window.why ?? (isNone(window) ? nothingSince : null);
  }
}

const nothingSince =
  "Nothing was produced after the last commit, so there is nothing to send again, however old that commit is.";

/** Surely none: "at least 0" is not. */
function isNone({ kind, events, bound }: ReplayWindow): boolean {
  return kind === "events" && events === 0 && bound !== "at-least" && bound !== "about";
}

function standsStill(window: ReplayWindow): string | null {
  if (window.standsStill === null || window.kind === "exactly-once") return null;
  const what = isNone(window)
    ? "A start would send nothing again."
    : "A start would send these events again.";
  return `Nothing runs (${window.standsStill}), so the window stands still. ${what}`;
}

function positionNotes(window: ReplayWindow): string[] {
  const { by, byPosition, whyNoPosition, kind } = window;
  // Where surely none is to be counted, that none was counted is no news.
  if (!byPosition)
    return kind === "events" && whyNoPosition !== null && !isNone(window) ? [whyNoPosition] : [];
  const { unread, notes } = byPosition;
  return [
    ...(by === "position" ? notes.map((n) => n.text) : []),
    ...(unread > 0
      ? [
          `${countOf(unread, "record")} of them were counted by offset: the byte budget of a look ended the reading.`,
        ]
      : []),
  ];
}

function timeNotes({ by, byTime, kind }: ReplayWindow): string[] {
  if (by !== "time" || kind !== "events") return [];
  const why = [byTime.whyNoLow, byTime.whyNoHigh].flatMap((text) => (text ? [text] : []));
  return [...byTime.notes.map((n) => n.text), ...why];
}

function topicNotes({ topics, kind }: ReplayWindow): string[] {
  const failed = topics.filter((t) => t.failure !== null);
  const [first] = failed;
  if (!first?.failure) return [];
  // The reason why nothing is known names the topic; what is left to say is what to do.
  if (kind === "unknown") return first.failure.remedy ? [first.failure.remedy] : [];
  const others = failed.length > 1 ? ` So it is with ${countOf(failed.length - 1, "other topic")}.` : "";
  return [`Not counted: ${first.topic}. ${asSentence(first.failure.sentence)}${others}`];
}

/** What a person should know beside the figure, the most important first, each once. */
export function windowNotes(window: ReplayWindow): string[] {
  const first = [standsStill(window), kindNote(window)].flatMap((text) => (text ? [text] : []));
  const all = [...first, ...topicNotes(window), ...positionNotes(window), ...timeNotes(window)];
  return [...new Set(all.map(asSentence))];
}

/** `every 60 s`: what people set it to is whole seconds or minutes. */
function every(ms: number): string {
  if (ms < 1_000) return `every ${ms}\u00a0ms`;
  return ms % 1_000 === 0 && ms < 120_000 ? `every ${ms / 1_000}\u00a0s` : `every ${formatDuration(ms)}`;
}

const sureness = { sure: "", likely: "probably ", unsure: "perhaps " } as const;

/** `every 60 s, from 34 commits`; `unknown: …`. */
export function flushIntervalWords({ ms, commits, of, confidence, why }: FlushInterval): string {
  if (ms === null) return `unknown: ${(why ?? "no commits were seen").replace(/\.$/, "")}`;
  const whose = of === "cluster" ? " of the cluster's connectors" : "";
  return `${sureness[confidence ?? "unsure"]}${every(ms)}, from ${countOf(commits, "commit")}${whose}`;
}

/** Exactly-once in one line, from what the configuration asks for and what the newest batches are. */
export function exactlyOnceInShort({
  asked,
  seen,
}: Pick<ReplayWindow["exactlyOnce"], "asked" | "seen">): string {
  if (seen === null) return "unknown: no records to look at";
  if (seen) return asked ? "on (asked for and seen)" : "on (seen)";
  return asked
    ? "contradiction: records were written before it was switched on, or by another producer — check"
    : "off: at-least-once";
}

/** What was asked for, what the workers allow and what was seen of exactly-once, each in a few words. */
export function exactlyOnceWords({ asked, allowed, seen }: ReplayWindow["exactlyOnce"]): {
  inShort: string;
  asked: string;
  allowed: string;
  seen: string;
} {
  return {
    inShort: exactlyOnceInShort({ asked, seen }),
    asked: asked === null ? "unknown: the configuration is not known" : asked ? "required" : "not required",
    allowed: allowed === null ? "unknown: the workers' setting is not audited yet" : allowed ? "yes" : "no",
    seen:
      seen === null
        ? "unknown: no batch was looked at"
        : seen
          ? "yes: transactional batches"
          : "no: the newest batch is not transactional",
  };
}
