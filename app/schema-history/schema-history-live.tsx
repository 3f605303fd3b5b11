"use client";

import type { Answer } from "@/app/answer";
import { LivePage } from "@/app/live-page";
import { useLive } from "@/app/use-live";
import { SchemaHistory } from "@/components/schema-history";
import { apiSchemaHistoryPath } from "@/lib/views/paths";
import type { SchemaHistoryView } from "@/lib/views/schema-history";

export function SchemaHistoryLive({ initial }: { initial: Answer<SchemaHistoryView> | null }) {
  const live = useLive(apiSchemaHistoryPath, initial);
  return (
    <LivePage live={live} skeleton={["h-48", "h-64"]}>
      {(view) => <SchemaHistory view={view} />}
    </LivePage>
  );
}
