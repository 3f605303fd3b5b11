"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { parseAsStringLiteral, useQueryState } from "nuqs";
import { ask, troubleOf } from "@/app/use-live";
import type { ReplayHistory } from "@/components/replay-history";
import { apiReplayWindowPath } from "@/lib/views/paths";
import type { ReplayHistoryView } from "@/lib/views/replay-window-schema";
import { type WindowRange, windowRanges } from "@/lib/views/window-range";

/** How often the history is asked for, in milliseconds: about as often as a pixel of it changes. */
const pollMs: Readonly<Record<WindowRange, number>> = { "1h": 5_000, "24h": 30_000, "7d": 120_000 };

const rangeOfUrl = parseAsStringLiteral(windowRanges).withDefault("1h");

/** How the window was over the time that `?range=` names. Asked for by the browser: the page does not wait for it. */
export function useReplayHistory(cluster: string, connector: string): ReplayHistory {
  const [range, setRange] = useQueryState("range", rangeOfUrl);
  const url = apiReplayWindowPath(cluster, connector, range);
  const query = useQuery<ReplayHistoryView>({
    queryKey: [url],
    queryFn: ({ signal }) => ask<ReplayHistoryView>(url, signal),
    placeholderData: keepPreviousData,
    refetchInterval: pollMs[range],
    refetchIntervalInBackground: false,
  });
  return {
    range,
    setRange: (next) => {
      setRange(next).catch(() => undefined);
    },
    view: query.data,
    trouble: troubleOf(query.error),
  };
}
