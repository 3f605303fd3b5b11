import Link from "next/link";
import type { FleetRow } from "@/lib/views/fleet";
import { formatCount } from "@/lib/views/format";
import { Age } from "./age";
import { CommitAge } from "./commit-age";
import { RunMark } from "./run-mark";
import { Sparkline } from "./sparkline";
import { StatusMark, StatusShape } from "./status-mark";

function Stale({ row }: { row: FleetRow }) {
  if (row.missingSince) {
    return (
      <span className="text-warning">
        {" "}
        · gone <Age at={row.missingSince} />
      </span>
    );
  }
  if (!row.stale) return null;
  return (
    <span
      className="text-unknown"
      title={row.stale.why ?? "No look has been made for more than three intervals."}
    >
      {" · "}
      {row.stale.asOf ? (
        <>
          as of <Age at={row.stale.asOf} suffix=" ago" />
        </>
      ) : (
        "stale"
      )}
    </span>
  );
}

export function ConnectorCell({ row }: { row: FleetRow }) {
  return (
    <>
      <Link href={row.path} className="font-semibold [overflow-wrap:anywhere]">
        {row.connector}
      </Link>
      <div className="text-xs text-text-3">
        {row.type ?? "type not reported"} {row.version?.replace(/\.Final$/, "")} · {row.cluster}
        <Stale row={row} />
      </div>
      <div className="mt-0.5 text-xs md:hidden">
        <PositionCell row={row} /> <span className="text-text-3">·</span> <CommitAge commit={row.commit} />
        {row.replayWindow.outcome === "not-applicable" ? null : (
          <>
            {" "}
            <span className="text-text-3">· window</span> <WindowFigure row={row} />
          </>
        )}
        {row.duplicates.outcome === "info" || row.duplicates.outcome === "warning" ? (
          <>
            {" "}
            <span className="text-text-3">· dups</span> <DuplicatesFigure row={row} />
          </>
        ) : null}
      </div>
    </>
  );
}

export function StateCell({ row }: { row: FleetRow }) {
  if (!row.state) {
    return (
      <StatusMark outcome="unknown" title="Connect's answer holds no status of this connector">
        not reported
      </StatusMark>
    );
  }
  // A connector may be RUNNING while its tasks have failed: the mark shows the worse of the two.
  const worseTasks = row.tasks && row.tasks.outcome !== row.state.outcome && row.tasks.outcome !== "ok";
  return (
    <>
      <RunMark mark={row.state} />
      {row.history && row.history.outcome !== "ok" ? (
        <div className="mt-0.5 md:hidden">
          <HistoryCell row={row} named />
        </div>
      ) : null}
      {row.tasks ? (
        <div className="mt-0.5 text-xs text-text-3">
          {worseTasks ? <RunMark mark={row.tasks} /> : <span className="pl-2">{row.tasks.state}</span>}
        </div>
      ) : null}
    </>
  );
}

export function PositionCell({ row }: { row: FleetRow }) {
  const { kind, text, why } = row.position;
  if (kind === "unknown") {
    return (
      <StatusMark outcome="unknown" title={why ?? undefined}>
        {text}
      </StatusMark>
    );
  }
  const muted = kind !== "position" && kind !== "several";
  return (
    <span
      title={why ?? undefined}
      className={`[overflow-wrap:anywhere] ${muted ? "text-text-3" : ""} ${kind === "position" ? "font-mono text-[.93em]" : ""}`}
    >
      {text}
    </span>
  );
}

export function HistoryCell({ row, named = false }: { row: FleetRow; named?: boolean }) {
  if (!row.history) {
    return (
      <span className="text-text-3" title="Needs no schema history, or was not judged yet">
        –
      </span>
    );
  }
  return (
    <Link href={`${row.path}#schema-history`} className="hover:no-underline">
      <StatusMark outcome={row.history.outcome} title={row.history.sentence}>
        {named ? "history " : ""}
        {row.history.short}
      </StatusMark>
    </Link>
  );
}

function WindowFigure({ row }: { row: FleetRow }) {
  const { text, outcome, events } = row.replayWindow;
  if (outcome === "not-applicable") return <span className="text-text-3">{text}</span>;
  if (events === null) return <StatusMark outcome="unknown">{text}</StatusMark>;
  const unit = /\d/.test(text) ? <span className="font-normal text-text-3"> events</span> : null;
  return (
    <span className={`whitespace-nowrap ${outcome === "warning" ? "font-semibold" : ""}`}>
      {outcome === "warning" ? <StatusShape outcome="warning" /> : null}
      {text}
      {unit}
    </span>
  );
}

/** What a crash now would replay, and how that was over the last hour. */
export function WindowCellView({ row }: { row: FleetRow }) {
  const { sentence, spark } = row.replayWindow;
  return (
    <Link
      href={`${row.path}#replay-window`}
      title={sentence}
      className="inline-flex items-center gap-2 text-text hover:no-underline"
    >
      <WindowFigure row={row} />
      <Sparkline values={spark} />
    </Link>
  );
}

function DuplicatesFigure({ row }: { row: FleetRow }) {
  const { text, replays, outcome } = row.duplicates;
  if (outcome === "not-applicable") return <span className="text-text-3">{text}</span>;
  if (outcome === "unknown") return <StatusMark outcome="unknown">{text}</StatusMark>;
  return (
    <span className={`whitespace-nowrap ${outcome === "warning" ? "font-semibold" : ""}`}>
      {outcome === "warning" ? <StatusShape outcome="warning" /> : null}
      {text}
      {replays === null ? null : <span className="font-normal text-text-3"> ({formatCount(replays)})</span>}
    </span>
  );
}

/** What came twice in the last 24 hours, and in how many replays. */
export function DuplicatesCellView({ row }: { row: FleetRow }) {
  return (
    <Link
      href={`${row.path}#duplicates`}
      title={row.duplicates.sentence}
      className="text-text hover:no-underline"
    >
      <DuplicatesFigure row={row} />
    </Link>
  );
}
