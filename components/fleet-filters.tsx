"use client";

import type { FleetQuery } from "./fleet-query";

function Choice({
  name,
  value,
  options,
  onChange,
}: {
  name: string;
  value: string;
  options: readonly string[];
  onChange: (value: string | null) => void;
}) {
  const listed = value !== "" && !options.includes(value) ? [value, ...options] : options;
  return (
    <select
      aria-label={name}
      value={value}
      onChange={(event) => onChange(event.target.value || null)}
      className="h-8 max-w-48 min-w-0 rounded-card border border-line-strong bg-surface px-2 max-md:flex-1"
    >
      <option value="">{name}: all</option>
      {listed.map((option) => (
        <option key={option} value={option}>
          {option}
        </option>
      ))}
    </select>
  );
}

/** Cluster, type and text filters of the fleet; each lives in the URL. */
export function FleetFilters({
  query,
  setQuery,
  clusters,
  types,
}: {
  query: FleetQuery;
  setQuery: (change: Partial<Record<keyof FleetQuery, string | null>>) => void;
  clusters: readonly string[];
  types: readonly string[];
}) {
  return (
    <search className="print:hidden flex flex-wrap items-center gap-2 max-md:w-full">
      <Choice
        name="cluster"
        value={query.cluster}
        options={clusters}
        onChange={(cluster) => setQuery({ cluster })}
      />
      <Choice name="type" value={query.type} options={types} onChange={(type) => setQuery({ type })} />
      <input
        type="search"
        data-search
        aria-label="Search connectors"
        placeholder="Search   /"
        value={query.q}
        onChange={(event) => setQuery({ q: event.target.value || null })}
        className="h-8 w-44 min-w-0 rounded-card border border-line-strong bg-surface px-2.5 placeholder:text-text-3 max-md:w-full"
      />
    </search>
  );
}
