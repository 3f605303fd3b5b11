import type { WindowNote } from "@/lib/observed/replay-window";
import type { InForce } from "./in-force";
import type { TopicCount } from "./topic-look";

/** Slugs of notes that say of what no method can count: a figure beside them is at least so much. */
export const lossNotes: readonly string[] = ["topic-not-counted", "deleted-in-window"];

/** By how many milliseconds the newest change that an offset covers is later than its own commit; null: by none. */
export function clockAhead({ commits }: InForce): number | null {
  const ahead = commits.flatMap(({ sourceAt, committedAt }) =>
    sourceAt !== null && committedAt !== null && sourceAt > committedAt ? sourceAt - committedAt : [],
  );
  return ahead.length === 0 ? null : Math.max(...ahead);
}

export function whyClockAhead(ms: number): string {
  return `the source's clock is at least ${seconds(ms)} ahead of the Connect worker's: its times do not tell when changes were sent`;
}

const seconds = (ms: number) =>
  ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toLocaleString("en-GB", { maximumFractionDigits: 1 })} s`;

/** Why a sum over topics cannot be had. */
export function whyFailed(failed: readonly TopicCount[]): string {
  const [first] = failed;
  const others = failed.length - 1;
  const more = others === 0 ? "" : `, and ${others} ${others === 1 ? "other" : "others"} too`;
  return `topic ${first?.topic} could not be looked at${more}: ${first?.failure?.sentence}`;
}

/** `topic a`, `topics a and b`, `topics a, b and 7 others`. */
function named(counts: readonly TopicCount[]): string {
  const [first, second] = counts.map((c) => c.topic);
  if (counts.length === 1) return `topic ${first}`;
  if (counts.length === 2) return `topics ${first} and ${second}`;
  return `topics ${first}, ${second} and ${counts.length - 2} ${counts.length === 3 ? "other" : "others"}`;
}

/** What a person should know of the bracket, the most important first. */
export function notesOf(
  inForce: InForce,
  changes: readonly TopicCount[],
  transactional: boolean,
): WindowNote[] {
  const notes: WindowNote[] = [];
  const note = (slug: string, found: readonly TopicCount[], text: (names: string) => string) => {
    if (found.length > 0) notes.push({ slug, text: text(named(found)) });
  };
  const failed = changes.filter((c) => c.failure !== null);
  if (failed.length > 0) notes.push({ slug: "topics-unreadable", text: `${capital(whyFailed(failed))}.` });
  const ahead = clockAhead(inForce);
  if (ahead !== null) notes.push({ slug: "source-clock-ahead", text: `${capital(whyClockAhead(ahead))}.` });
  if (transactional)
    notes.push({
      slug: "transactions",
      text: "Transaction markers and aborted records take offsets as events do: counted by offsets it is at most so many.",
    });
  const [append, unknown] = [looks(changes, true), looks(changes, null)];
  note(
    "append-time",
    append,
    (n) => `By time nothing can be said of ${n}: the records carry the broker's time.`,
  );
  note(
    "deleted-in-window",
    changes.filter((c) => c.cutOff),
    (n) =>
      `Records of ${n} that may be later than the commit were deleted, by retention or on demand: they are not counted, and a crash would send them again.`,
  );
  note(
    "topic-not-counted",
    changes.filter((c) => c.lost),
    (n) =>
      `Not counted is what ${n} held before being deleted: a crash would send again what was produced there since the commit.`,
  );
  const filled = changes.filter((c) => (c.afterCommit ?? 0) > 0);
  note(
    "shared-topic",
    filled.filter((c) => c.shared),
    (n) => `Other connectors write to ${n} too: by time their records count as well, in the upper figure.`,
  );
  note(
    "several-source-partitions",
    filled.filter((c) => c.commit.atMost),
    (n) =>
      `The ${inForce.commits.length} source partitions were committed at different times; ${n} count from the oldest, which is at most so many.`,
  );
  note(
    "compacted",
    filled.filter((c) => !("failure" in c.look) && c.look.compacted === true),
    (n) =>
      `Compaction of ${n} may have removed the first records later than the commit: by time they can be too few.`,
  );
  note(
    "topic-deleted",
    changes.filter((c) => c.gone && !c.lost),
    (n) =>
      `The brokers have no ${n} any more. Nothing was produced there since the commit: it counts for nothing.`,
  );
  note("timestamp-type-unknown", unknown, (n) => whyTypeUnknown(unknown, n));
  return notes;
}

function looks(changes: readonly TopicCount[], appendTime: true | null): TopicCount[] {
  return changes.filter(({ look }) => !("failure" in look) && look.appendTime === appendTime);
}

function whyTypeUnknown([first]: readonly TopicCount[], names: string): string {
  const why = first && !("failure" in first.look) ? first.look.settings?.sentence : undefined;
  return `Whether the records of ${names} carry the producer's time is not known${why ? `: ${why}` : ""}. It is taken for granted.`;
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
