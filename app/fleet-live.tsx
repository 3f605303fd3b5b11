"use client";

import { parseAsString, useQueryStates } from "nuqs";
import { Fleet } from "@/components/fleet";
import type { FleetView } from "@/lib/views/fleet";
import { apiFleetPath } from "@/lib/views/paths";
import type { Answer } from "./answer";
import { LivePage } from "./live-page";
import { useLive } from "./use-live";

const text = parseAsString.withDefault("");

export function FleetLive({ initial }: { initial: Answer<FleetView> | null }) {
  const live = useLive(apiFleetPath, initial);
  const [query, setQuery] = useQueryStates({ q: text, cluster: text, type: text, sort: text });
  return (
    <LivePage live={live} skeleton={["h-32", "h-96"]}>
      {(view) => <Fleet view={view} query={query} setQuery={setQuery} />}
    </LivePage>
  );
}
