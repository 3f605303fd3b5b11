"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { parseAsString, parseAsStringLiteral, useQueryState } from "nuqs";
import { ask, troubleOf } from "@/app/use-live";
import {
  type DuplicatesHistory,
  type ReplayRange,
  replayRangeMs,
  replayRanges,
} from "@/components/duplicates-history";
import type { DuplicatesView } from "@/lib/views/duplicates-schema";
import { apiDuplicatesPath } from "@/lib/views/paths";

/** How often replays are asked for, in milliseconds: a new one should show while somebody waits for it. */
const pollMs: Readonly<Record<ReplayRange, number>> = { "24h": 5_000, "7d": 10_000, "90d": 60_000 };

const rangeOfUrl = parseAsStringLiteral(replayRanges).withDefault("7d");

/** The replays of the time that `?replays=` names, and the one that `?replay=` opens. */
export function useDuplicatesHistory(cluster: string, connector: string): DuplicatesHistory {
  const [range, setRange] = useQueryState("replays", rangeOfUrl);
  const [opened, setOpened] = useQueryState("replay", parseAsString);
  // The range's own beginning moves with the time: only its name is the key.
  const since = () => new Date(Date.now() - replayRangeMs[range]).toISOString();
  const query = useQuery<DuplicatesView>({
    queryKey: [apiDuplicatesPath(cluster, connector), range],
    queryFn: ({ signal }) =>
      ask<DuplicatesView>(apiDuplicatesPath(cluster, connector, { from: since() }), signal),
    placeholderData: keepPreviousData,
    refetchInterval: pollMs[range],
    refetchIntervalInBackground: false,
  });
  const listed = query.data?.replays.some((r) => r.id === opened) ?? false;
  const one = apiDuplicatesPath(cluster, connector, { replay: opened ?? "" });
  const linked = useQuery<DuplicatesView>({
    queryKey: [one],
    queryFn: ({ signal }) => ask<DuplicatesView>(one, signal),
    enabled: opened !== null && query.isFetched && !listed,
    staleTime: 60_000,
  });
  const { from, to } = query.data ?? {};
  const files = (format: "csv" | "json") => apiDuplicatesPath(cluster, connector, { from, to, format });
  return {
    range,
    setRange: (next) => {
      setRange(next).catch(() => undefined);
    },
    view: query.data,
    trouble: troubleOf(query.error),
    opened,
    open: (id) => {
      setOpened(id).catch(() => undefined);
    },
    linked: { view: linked.data, trouble: troubleOf(linked.error) },
    files: { csv: files("csv"), json: files("json") },
  };
}
