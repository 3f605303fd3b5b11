"use client";

import type { Answer } from "@/app/answer";
import { LivePage } from "@/app/live-page";
import { useLive } from "@/app/use-live";
import { Status } from "@/components/status";
import { apiStatusPath } from "@/lib/views/paths";
import type { StatusView } from "@/lib/views/status";

export function StatusLive({ initial }: { initial: Answer<StatusView> | null }) {
  const live = useLive(apiStatusPath, initial);
  return (
    <LivePage live={live} skeleton={["h-48", "h-64"]}>
      {(view) => <Status view={view} />}
    </LivePage>
  );
}
