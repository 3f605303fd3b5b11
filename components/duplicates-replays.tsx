"use client";

import { useEffect, useRef } from "react";
import type { DuplicatesSection, ReplayLine } from "@/lib/views/duplicates-schema";
import { type DuplicatesHistory, replayRangeWords } from "./duplicates-history";
import { Notice } from "./notice";
import { ReplayGroups } from "./replay-groups";
import { ReplayTimeline } from "./replay-timeline";
import { troubleText } from "./trouble-text";

/** Brings the replay that a link names into view, once it is there. Not one that a click opens: that is in view. */
function useScrollToLinked(id: string | null, there: boolean): void {
  const first = useRef(id);
  useEffect(() => {
    if (!there || id === null || first.current !== id) return;
    first.current = null;
    document.getElementById(`replay-${id}`)?.scrollIntoView({ block: "center" });
  }, [id, there]);
}

/** The replay that a link names stands first where it is not of the time that is shown. */
function withLinked(history: DuplicatesHistory): readonly ReplayLine[] {
  const { view, linked, opened } = history;
  const listed = view?.replays ?? [];
  if (opened === null || listed.some((r) => r.id === opened)) return listed;
  return [...(linked.view?.replays.filter((r) => r.id === opened) ?? []), ...listed];
}

function Files({ history }: { history: DuplicatesHistory }) {
  return (
    <p className="print:hidden px-4 pt-2 pb-3 text-sm">
      <span className="text-text-3">For consumer teams: </span>
      <a href={history.files.csv} download className="underline underline-offset-2">
        CSV
      </a>
      <span className="text-text-3"> · </span>
      <a href={history.files.json} className="underline underline-offset-2">
        JSON
      </a>
    </p>
  );
}

/** Replays are kept for longer than the records they were found in. */
function sinceOf({ since }: DuplicatesSection, replays: readonly ReplayLine[]): string | null {
  return [...(since === null ? [] : [since]), ...replays.map((r) => r.at)].sort()[0] ?? null;
}

function unknownWords(section: DuplicatesSection): string {
  return section.behind > 0 ? "still to be measured" : "no records from then";
}

/** Replays of the chosen time: the time line, the list, and files of it. */
export function DuplicatesReplays({
  section,
  history,
  linkOf,
}: {
  section: DuplicatesSection;
  history: DuplicatesHistory;
  linkOf: (id: string) => string | null;
}) {
  const { view, trouble, range, opened, open, linked } = history;
  const replays = withLinked(history);
  useScrollToLinked(
    opened,
    replays.some((r) => r.id === opened),
  );
  const { long } = replayRangeWords[range];
  if (!view && trouble)
    return (
      <div className="stale mx-4 mb-3 min-h-48 rounded-card border border-line pt-2">
        <Notice sentence={`The replays could not be read. ${troubleText(trouble)}`} />
      </div>
    );
  if (!view)
    return <div role="status" aria-label="Loading" className="mx-4 mb-3 h-56 rounded-card bg-sunken" />;
  const known = section.since !== null || replays.length > 0;
  return (
    <>
      <h3 className="sr-only">Replays</h3>
      {opened !== null && linked.trouble && !replays.some((r) => r.id === opened) ? (
        <Notice sentence={`The replay of this link cannot be shown. ${troubleText(linked.trouble)}`} />
      ) : null}
      {view.replays.length > 0 ? (
        <div className="px-4">
          <ReplayTimeline
            replays={view.replays}
            from={view.from}
            to={view.to}
            since={sinceOf(section, view.replays)}
            unknown={unknownWords(section)}
            isWhole={section.behind === 0}
          />
        </div>
      ) : null}
      {trouble ? (
        <p className="px-4 text-xs font-medium text-unknown">stale: {troubleText(trouble)}</p>
      ) : null}
      {replays.length > 0 ? (
        <ReplayGroups
          replays={replays}
          more={view.more}
          opened={opened}
          open={open}
          brokers={view.brokers}
          linkOf={linkOf}
        />
      ) : known ? (
        <Notice
          outcome={section.day?.outcome === "unknown" ? "unknown" : "ok"}
          sentence={
            section.day?.outcome === "unknown"
              ? `No replay of the ${long} was found so far; not everything could be measured.`
              : `No replay in the ${long}: no change was produced twice.`
          }
        />
      ) : null}
      {view.replays.length > 0 ? <Files history={history} /> : null}
    </>
  );
}
