import type { Commit, Place } from "@/lib/views/commit";
import { formatCount } from "@/lib/views/format";
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

/** `connect-offsets, partition 3, offset 1,204` */
export function placeText({
  topic,
  partition,
  offset,
}: Omit<Place, "offset"> & { offset: number | string }): string {
  return `${topic}, partition ${formatCount(partition)}, offset ${formatCount(offset)}`;
}

function exactText(at: string, readFrom: Place | null): string {
  return `Committed ${utcText(at)}${readFrom ? `; read from ${placeText(readFrom)}` : ""}`;
}

/**
 * How old the last commit of the offset is: exact from the offset topic, else as far as REST tells: it was seen to
 * change between two looks. Not seen to change: it is older than the watch, nobody knows by how much.
 */
export function CommitAge({ commit }: { commit: Commit | null }) {
  if (!commit) return <span className="text-text-3">–</span>;
  const { exactAt, readFrom } = commit;
  if (exactAt) return <Age at={exactAt} title={exactText(exactAt, readFrom)} />;
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
  const { exactAt, readFrom } = commit;
  if (exactAt)
    return (
      <>
        committed <Age at={exactAt} suffix=" ago" title={exactText(exactAt, readFrom)} />
      </>
    );
  return (
    <>
      {commit.changed ? "committed " : "not seen to change since the watch began "}
      <Age at={commit.seenAt} suffix=" ago" title={commitText(commit)} />
    </>
  );
}
