"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { parseAsString, useQueryState } from "nuqs";
import { ask, post, troubleOf } from "@/app/use-live";
import type { ShownMeasurement } from "@/components/measure";
import type { MeasurementView } from "@/lib/views/measure-schema";
import { apiCancelMeasurementPath, apiMeasurementPath, apiMeasurementsPath } from "@/lib/views/paths";

const pollMs = 1_000;

function isOpen(view: MeasurementView | undefined): boolean {
  return view?.measurement.state === "waiting" || view?.measurement.state === "running";
}

/** The measurement that `?id=` names, followed until it ends. Null: none is named. */
export function useMeasurement(): ShownMeasurement | null {
  const [id] = useQueryState("id", parseAsString);
  const [opened, setOpened] = useQueryState("replay", parseAsString);
  const client = useQueryClient();
  const path = apiMeasurementPath(id ?? "");
  const query = useQuery<MeasurementView>({
    queryKey: [path],
    queryFn: ({ signal }) => ask<MeasurementView>(path, signal),
    enabled: id !== null,
    refetchInterval: ({ state }) => (state.data && !isOpen(state.data) ? false : pollMs),
    refetchIntervalInBackground: false,
  });
  const cancelling = useMutation({
    mutationFn: () => post<MeasurementView>(apiCancelMeasurementPath(id ?? ""), {}),
    onSuccess: async (view) => {
      client.setQueryData([path], view);
      await client.invalidateQueries({ queryKey: [apiMeasurementsPath] });
    },
  });
  if (id === null) return null;
  return {
    id,
    view: query.data,
    trouble: troubleOf(cancelling.error) ?? troubleOf(query.error),
    cancel: isOpen(query.data) && !cancelling.isPending ? () => cancelling.mutate() : null,
    opened,
    open: (replay) => {
      setOpened(replay).catch(() => undefined);
    },
    csv: `${path}?format=csv`,
  };
}
