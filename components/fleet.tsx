"use client";

import { memo, useCallback, useDeferredValue, useMemo } from "react";
import type { FleetView } from "@/lib/views/fleet";
import { countOf, formatCount } from "@/lib/views/format";
import { FleetFilters } from "./fleet-filters";
import { FleetFindings } from "./fleet-findings";
import { type FleetQuery, fits, occurring } from "./fleet-query";
import { FleetTable } from "./fleet-table";
import { Notice } from "./notice";
import { Polled } from "./polled";

function Summary({ view }: { view: FleetView }) {
  const { attention, fine, unknown } = view.counts;
  if (view.connectors.length === 0) return <h1 className="text-lg font-semibold">No connectors to show</h1>;
  const verb = attention === 1 ? "needs" : "need";
  return (
    <h1 className="text-[18px] font-semibold tracking-tight">
      {attention > 0
        ? `${countOf(attention, "connector")} ${verb} attention`
        : "No connector needs attention"}
      <span className="font-normal text-text-3">
        {" "}
        · {formatCount(fine)} fine{unknown > 0 ? ` · ${formatCount(unknown)} unknown` : ""}
      </span>
    </h1>
  );
}

function Gaps({ view }: { view: FleetView }) {
  if (view.gaps.length === 0) return null;
  return (
    <div className="mb-4 rounded-card border border-line bg-surface pt-2 shadow-card">
      {view.gaps.map((gap) => (
        <Notice
          key={gap.sentence}
          outcome={gap.kind === "fault" ? "unknown" : "info"}
          sentence={gap.cluster ? `${gap.cluster}: ${gap.sentence}` : gap.sentence}
        />
      ))}
    </div>
  );
}

const Table = memo(FleetTable);

/** The Fleet page below its banner. */
export function Fleet({
  view,
  query,
  setQuery,
}: {
  view: FleetView;
  query: FleetQuery;
  setQuery: (change: Partial<Record<keyof FleetQuery, string | null>>) => void;
}) {
  // The table may lag behind the search box by a moment; the box never behind the keys.
  const settled = useDeferredValue(query);
  const shown = useMemo(
    () => view.connectors.filter((row) => fits(row, settled)),
    [view.connectors, settled],
  );
  const findings = view.findings.filter((f) => !query.cluster || f.cluster === query.cluster);
  const sortBy = useCallback((sort: string | null) => setQuery({ sort }), [setQuery]);
  return (
    <>
      <div className="mb-3.5 flex flex-wrap items-center gap-x-4 gap-y-2">
        <Summary view={view} />
        <Polled watch={view.watch} />
        <span className="ml-auto max-md:w-full">
          <FleetFilters
            query={query}
            setQuery={setQuery}
            clusters={occurring([
              ...view.watch.clusters.map((c) => c.name),
              ...view.connectors.map((r) => r.cluster),
            ])}
            types={occurring(view.connectors.map((r) => r.type))}
          />
        </span>
      </div>
      <FleetFindings findings={findings} total={query.cluster ? findings.length : view.findingsTotal} />
      <Gaps view={view} />
      {shown.length > 0 ? (
        <Table rows={shown} sort={query.sort} onSort={sortBy} />
      ) : view.connectors.length > 0 ? (
        <div className="rounded-card border border-line bg-surface pt-2 shadow-card">
          <Notice
            outcome="info"
            sentence={`None of the ${countOf(view.connectors.length, "connector")} fits this filter.`}
          />
          <button
            type="button"
            className="mx-4 mb-4 rounded-card border border-line-strong px-3 py-1 font-semibold"
            onClick={() => setQuery({ q: null, cluster: null, type: null })}
          >
            Show all
          </button>
        </div>
      ) : null}
    </>
  );
}
