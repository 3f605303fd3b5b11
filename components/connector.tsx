"use client";

import { useEffect } from "react";
import type { ConnectorView } from "@/lib/views/connector";
import { ConnectorConfig } from "./connector-config";
import { ConnectorFindings } from "./connector-findings";
import { ConnectorHead } from "./connector-head";
import { ConnectorHistory } from "./connector-history";
import { ConnectorPosition } from "./connector-position";
import { ConnectorTasks } from "./connector-tasks";
import { ConnectorTopics } from "./connector-topics";
import { Duplicates } from "./duplicates";
import type { DuplicatesHistory } from "./duplicates-history";
import type { ReplayHistory } from "./replay-history";
import { ReplayWindow } from "./replay-window";

/** Brings the finding that a link names into view, once. */
function useScrollToFinding(slug: string | null): void {
  useEffect(() => {
    if (!slug) return;
    const finding = document.getElementById(`finding-${slug}`) ?? document.getElementById("findings");
    finding?.scrollIntoView({ block: "start" });
    finding?.focus({ preventScroll: true });
  }, [slug]);
}

/** The Connector page below its banner. `check`: the slug of the finding that a link points at. */
export function Connector({
  view,
  check,
  replayHistory,
  duplicates,
}: {
  view: ConnectorView;
  check: string | null;
  replayHistory: ReplayHistory;
  duplicates: DuplicatesHistory;
}) {
  useScrollToFinding(check);
  return (
    <>
      <ConnectorHead view={view} />
      <div className="grid gap-3.5">
        <ConnectorFindings view={view} marked={check} />
        <ConnectorPosition view={view} />
        <ReplayWindow view={view} history={replayHistory} />
        <Duplicates view={view} history={duplicates} />
        <ConnectorHistory history={view.history} />
        <div className="grid gap-3.5 lg:grid-cols-[minmax(0,4fr)_minmax(0,8fr)]">
          <ConnectorTasks view={view} />
          <ConnectorTopics topics={view.topics} />
        </div>
        <ConnectorConfig config={view.config} />
      </div>
    </>
  );
}
