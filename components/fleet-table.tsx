"use client";

import {
  type ColumnDef,
  flexRender,
  getCoreRowModel,
  getSortedRowModel,
  type Header,
  type Row,
  useReactTable,
} from "@tanstack/react-table";
import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { useMemo, useRef } from "react";
import type { FleetRow } from "@/lib/views/fleet";
import { CommitAge } from "./commit-age";
import {
  ConnectorCell,
  DuplicatesCellView,
  HistoryCell,
  PositionCell,
  StateCell,
  WindowCellView,
} from "./fleet-cells";

const rowPx = 57;
/** So many rows are drawn on the server, where nobody knows the window's height. */
const firstScreenPx = 1_400;

function ageOf(row: FleetRow): number {
  return row.commit ? -Date.parse(row.commit.seenAt) : Number.NEGATIVE_INFINITY;
}

const columns: ColumnDef<FleetRow>[] = [
  {
    id: "connector",
    header: "Connector",
    accessorFn: (r) => r.connector,
    cell: (c) => <ConnectorCell row={c.row.original} />,
  },
  {
    id: "state",
    header: "State",
    accessorFn: (r) => r.state?.state ?? "",
    cell: (c) => <StateCell row={c.row.original} />,
  },
  {
    id: "position",
    header: "Committed position",
    enableSorting: false,
    cell: (c) => <PositionCell row={c.row.original} />,
    meta: { className: "wide-only" },
  },
  {
    id: "commit",
    header: "Commit age",
    accessorFn: ageOf,
    cell: (c) => <CommitAge commit={c.row.original.commit} />,
    meta: { className: "numeric wide-only" },
  },
  {
    id: "window",
    header: "Replay window",
    // The largest first at the first click; what is not known stands last either way.
    accessorFn: (r) => r.replayWindow.events ?? undefined,
    sortUndefined: "last",
    sortDescFirst: true,
    cell: (c) => <WindowCellView row={c.row.original} />,
    meta: { className: "numeric wide-only" },
  },
  {
    id: "duplicates",
    header: "Duplicates 24\u00a0h",
    accessorFn: (r) => r.duplicates.rate ?? undefined,
    sortUndefined: "last",
    sortDescFirst: true,
    cell: (c) => <DuplicatesCellView row={c.row.original} />,
    meta: { className: "numeric wide-only" },
  },
  {
    id: "history",
    header: "Schema history",
    accessorFn: (r) => r.history?.outcome ?? "",
    cell: (c) => <HistoryCell row={c.row.original} />,
    meta: { className: "wide-only" },
  },
];

function className(meta: unknown): string {
  return typeof meta === "object" && meta !== null && "className" in meta ? String(meta.className) : "";
}

function HeadCell({ header }: { header: Header<FleetRow, unknown> }) {
  const sorted = header.column.getIsSorted();
  const label = flexRender(header.column.columnDef.header, header.getContext());
  return (
    <th
      scope="col"
      className={className(header.column.columnDef.meta)}
      aria-sort={sorted === "asc" ? "ascending" : sorted === "desc" ? "descending" : undefined}
    >
      {header.column.getCanSort() ? (
        <button
          type="button"
          className="font-medium hover:text-text"
          onClick={header.column.getToggleSortingHandler()}
        >
          {label}
          <span aria-hidden="true" className="inline-block w-3 text-center">
            {sorted === "asc" ? "↑" : sorted === "desc" ? "↓" : ""}
          </span>
        </button>
      ) : (
        label
      )}
    </th>
  );
}

/** Empty rows that stand for those that are not drawn. */
function Gap({ px }: { px: number }) {
  if (px <= 0) return null;
  return (
    <tr>
      <td colSpan={columns.length} className="p-0!" style={{ height: px }} />
    </tr>
  );
}

function parseSort(sort: string): { id: string; desc: boolean }[] {
  const id = sort.replace(/^-/, "");
  return columns.some((c) => c.id === id) ? [{ id, desc: sort.startsWith("-") }] : [];
}

/** The connectors, as many rows drawn as the window shows. `sort`: a column's id, with `-` for descending; empty: as given. */
export function FleetTable({
  rows,
  sort,
  onSort,
}: {
  /** The same array as long as the same rows are shown: the table sorts again when it changes. */
  rows: FleetRow[];
  sort: string;
  onSort: (sort: string | null) => void;
}) {
  // A new array of the same sorting would make the table sort again at every render.
  const sorting = useMemo(() => parseSort(sort), [sort]);
  const table = useReactTable({
    data: rows,
    columns,
    state: { sorting },
    autoResetAll: false,
    onSortingChange: (change) => {
      const [next] = typeof change === "function" ? change(sorting) : change;
      onSort(next ? `${next.desc ? "-" : ""}${next.id}` : null);
    },
    sortDescFirst: false,
    getCoreRowModel: getCoreRowModel(),
    getSortedRowModel: getSortedRowModel(),
    getRowId: (row) => row.path,
  });
  const card = useRef<HTMLDivElement>(null);
  const sorted = table.getRowModel().rows;
  const virtual = useWindowVirtualizer({
    count: sorted.length,
    estimateSize: () => rowPx,
    overscan: 12,
    initialRect: { width: 1_240, height: firstScreenPx },
    scrollMargin: card.current?.offsetTop ?? 0,
    getItemKey: (index) => sorted[index]?.id ?? index,
  });
  const items = virtual.getVirtualItems();
  const margin = virtual.options.scrollMargin;
  const before = (items[0]?.start ?? margin) - margin;
  const after = virtual.getTotalSize() - ((items.at(-1)?.end ?? margin) - margin);
  return (
    <div ref={card} className="overflow-x-auto rounded-card border border-line bg-surface shadow-card">
      <table className="data-table" aria-rowcount={sorted.length + 1}>
        <caption className="sr-only">Connectors{sort ? "" : ", worst first"}</caption>
        <thead>
          {table.getHeaderGroups().map((group) => (
            <tr key={group.id} aria-rowindex={1}>
              {group.headers.map((header) => (
                <HeadCell key={header.id} header={header} />
              ))}
            </tr>
          ))}
        </thead>
        <tbody>
          <Gap px={before} />
          {items.map((item) => {
            const row = sorted[item.index];
            return row ? (
              <BodyRow key={row.id} row={row} index={item.index} measure={virtual.measureElement} />
            ) : null;
          })}
          <Gap px={after} />
        </tbody>
      </table>
    </div>
  );
}

function BodyRow({
  row,
  index,
  measure,
}: {
  row: Row<FleetRow>;
  index: number;
  measure: (element: HTMLTableRowElement | null) => void;
}) {
  const { stale, missingSince } = row.original;
  return (
    <tr
      ref={measure}
      data-index={index}
      aria-rowindex={index + 2}
      className={stale || missingSince ? "stale" : ""}
    >
      {row.getVisibleCells().map((cell) => (
        <td key={cell.id} className={className(cell.column.columnDef.meta)}>
          {flexRender(cell.column.columnDef.cell, cell.getContext())}
        </td>
      ))}
    </tr>
  );
}
