import type { Commit } from "@/lib/views/commit";
import { Age } from "./age";

/**
 * How old the last commit of the offset is, as far as REST tells: it was seen to change between two looks.
 * Not seen to change: it is older than the watch, nobody knows by how much.
 */
export function CommitAge({ commit }: { commit: Commit | null }) {
  if (!commit) return <span className="text-text-3">–</span>;
  if (commit.changed) return <Age at={commit.seenAt} />;
  return (
    <span className="text-unknown" title="The offset has not changed since Tidemark began to watch it">
      over <Age at={commit.seenAt} />
    </span>
  );
}

/** The same as a sentence beside a heading. */
export function CommitNote({ commit }: { commit: Commit | null }) {
  if (!commit) return null;
  if (commit.changed) {
    return (
      <>
        committed: seen to change <Age at={commit.seenAt} suffix=" ago" />
      </>
    );
  }
  return (
    <>
      commit age unknown: not seen to change since the watch began <Age at={commit.seenAt} suffix=" ago" />
    </>
  );
}
