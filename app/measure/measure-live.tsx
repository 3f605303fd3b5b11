"use client";

import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { parseAsString, parseAsStringLiteral, useQueryStates } from "nuqs";
import type { Answer } from "@/app/answer";
import { LivePage } from "@/app/live-page";
import { ask, post, troubleOf, useLive } from "@/app/use-live";
import { useSettled } from "@/app/use-settled";
import { Measure } from "@/components/measure";
import { measureRanges, timesOf } from "@/components/measure-range";
import { troubleText } from "@/components/trouble-text";
import { measureMethods } from "@/lib/views/measure-methods";
import type { MeasurementsView, MeasurementView, TopicsView } from "@/lib/views/measure-schema";
import { apiMeasurementsPath, apiTopicsPath } from "@/lib/views/paths";
import { useMeasurement } from "./use-measurement";

const typingMs = 200;
const text = parseAsString.withDefault("");

const choiceOfUrl = {
  cluster: text,
  topic: text,
  method: parseAsStringLiteral(measureMethods).withDefault("bisect"),
  range: parseAsStringLiteral(measureRanges).withDefault("all"),
  from: text,
  to: text,
};

/** Topics that fit what is typed, once the typing rests. */
function useTopics(cluster: string, typed: string): TopicsView["topics"] {
  const path = apiTopicsPath(cluster, useSettled(typed.trim(), typingMs));
  const query = useQuery<TopicsView>({
    queryKey: [path],
    queryFn: ({ signal }) => ask<TopicsView>(path, signal),
    enabled: cluster !== "",
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  });
  return query.data?.topics ?? [];
}

export function MeasureLive({ initial }: { initial: Answer<MeasurementsView> | null }) {
  const live = useLive(apiMeasurementsPath, initial);
  const [given, setChoice] = useQueryStates(choiceOfUrl);
  const [, setShown] = useQueryStates({ id: parseAsString, replay: parseAsString }, { history: "push" });
  const client = useQueryClient();
  const clusters = live.view?.clusters ?? [];
  // Where there is one cluster to choose from, it is chosen.
  const able = clusters.filter((c) => c.whyNot === null);
  const cluster = given.cluster || (able.length === 1 ? able[0]?.name : undefined) || clusters[0]?.name || "";
  const choice = { ...given, cluster };
  const topics = useTopics(cluster, choice.topic);
  const shown = useMeasurement();
  const asking = useMutation({
    mutationFn: () => {
      const { method, range } = choice;
      const times = timesOf(range, choice, Date.now());
      return post<MeasurementView>(apiMeasurementsPath, {
        cluster,
        topic: choice.topic.trim(),
        method,
        ...times,
      });
    },
    onSuccess: async ({ measurement }) => {
      await setShown({ id: measurement.id, replay: null });
      await client.invalidateQueries({ queryKey: [apiMeasurementsPath] });
    },
  });
  const trouble = troubleOf(asking.error);
  return (
    <LivePage live={live} skeleton={["h-80", "h-64"]}>
      {(view) => (
        <Measure
          view={view}
          shown={shown}
          form={{
            choice,
            choose: (change) => {
              asking.reset();
              setChoice(change).catch(() => undefined);
            },
            topics,
            ask: () => asking.mutate(),
            asking: asking.isPending,
            trouble: trouble ? troubleText(trouble) : null,
          }}
        />
      )}
    </LivePage>
  );
}
