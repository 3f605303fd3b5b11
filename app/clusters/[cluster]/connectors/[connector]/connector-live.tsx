"use client";

import { parseAsString, useQueryState } from "nuqs";
import type { Answer } from "@/app/answer";
import { LivePage } from "@/app/live-page";
import { useLive } from "@/app/use-live";
import { Connector } from "@/components/connector";
import type { ConnectorView } from "@/lib/views/connector";
import { apiConnectorPath } from "@/lib/views/paths";
import { useDuplicatesHistory } from "./use-duplicates-history";
import { useReplayHistory } from "./use-replay-history";

export function ConnectorLive({
  cluster,
  connector,
  initial,
}: {
  cluster: string;
  connector: string;
  initial: Answer<ConnectorView> | null;
}) {
  const live = useLive(apiConnectorPath(cluster, connector), initial);
  const [check] = useQueryState("check", parseAsString);
  const replayHistory = useReplayHistory(cluster, connector);
  const duplicates = useDuplicatesHistory(cluster, connector);
  return (
    <LivePage live={live} skeleton={["h-40", "h-72", "h-[30rem]", "h-48", "h-64"]} cluster={cluster}>
      {(view) => (
        <Connector view={view} check={check} replayHistory={replayHistory} duplicates={duplicates} />
      )}
    </LivePage>
  );
}
