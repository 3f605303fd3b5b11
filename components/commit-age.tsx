import type { Commit } from "@/lib/views/commit";
import { Age } from "./age";
import { utcText } from "./utc-text";

/** What REST tells of the time of a commit: it lies between two looks, or before the first. */
function commitText({ seenAt, notBefore }: Commit): string {
  if (notBefore === null) return `Not seen to change since the watch began, ${utcText(seenAt)}`;
  const sameDay = notBefore.slice(0, 10) === seenAt.slice(0, 10);
  const from = sameDay ? notBefore.slice(11, 19) : utcText(notBefore);
  const to = sameDay ? `${seenAt.slice(11, 19)} UTC, ${seenAt.slice(0, 10)}` : utcText(seenAt);
  return `Committed between ${from} and ${to}`;
}

/**
 * How old the last commit of the offset is, as far as REST tells: it was seen to change between two looks.
 * Not seen to change: it is older than the watch, nobody knows by how much.
 */
export function CommitAge({ commit }: { commit: Commit | null }) {
  if (!commit) return <span className="text-text-3">–</span>;
  if (commit.changed) return <Age at={commit.seenAt} title={commitText(commit)} />;
  return (
    <span className="text-unknown" title={commitText(commit)}>
      over <Age at={commit.seenAt} title={commitText(commit)} />
    </span>
  );
}

/** The same as a sentence beside a heading. */
export function CommitNote({ commit }: { commit: Commit | null }) {
  if (!commit) return null;
  return (
    <>
      {commit.changed ? "committed " : "not seen to change since the watch began "}
      <Age at={commit.seenAt} suffix=" ago" title={commitText(commit)} />
    </>
  );
}
