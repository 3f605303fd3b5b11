import Link from "next/link";
import { countOf, formatCount } from "@/lib/views/format";
import type { HistoryTopicView, SchemaHistoryView } from "@/lib/views/schema-history";
import { FreshnessNote } from "./freshness-note";
import { HistoryChecklist } from "./history-checklist";
import { Notice } from "./notice";
import { Polled } from "./polled";
import { Remedies } from "./remedies";
import { StatusMark } from "./status-mark";

function needsLook(history: HistoryTopicView): boolean {
  return history.worst !== "ok" && history.worst !== "info";
}

function HistoryPanel({ history }: { history: HistoryTopicView }) {
  const bad = history.items.filter((i) => i.outcome !== "ok");
  const good = history.items.filter((i) => i.outcome === "ok");
  return (
    <section
      aria-label={`Schema history of ${history.connector}`}
      className={`rounded-card border border-line bg-surface shadow-card ${history.freshness.stale ? "stale" : ""}`}
    >
      <div className="flex flex-wrap items-baseline gap-x-3 gap-y-1 px-4 pt-3 pb-2">
        <StatusMark outcome={history.worst ?? "unknown"} />
        <h2 className="font-semibold">
          <Link href={history.path}>{history.connector}</Link>
        </h2>
        <span className="text-xs text-text-3">
          {history.type ?? "type not reported"} · {history.cluster}
        </span>
        {history.topic ? (
          <span className="font-mono text-xs [overflow-wrap:anywhere]">{history.topic}</span>
        ) : null}
        <span className="text-xs text-text-3 md:ml-auto">
          <FreshnessNote freshness={history.freshness} />
        </span>
      </div>
      {history.whyNone ? (
        <Notice sentence={history.whyNone} remedy={history.freshness.failure?.remedy} />
      ) : null}
      <div className={bad.length > 0 ? "border-t border-line" : ""}>
        <HistoryChecklist items={bad} />
        <Remedies remedies={history.remedies} />
      </div>
      {good.length > 0 ? (
        <details className="border-t border-line">
          <summary className="px-4 py-2 text-text-2 hover:underline">
            <span className="text-ok" aria-hidden="true">
              ✓
            </span>{" "}
            {countOf(good.length, "check")} ok
          </summary>
          <HistoryChecklist items={good} />
        </details>
      ) : null}
    </section>
  );
}

function Without({ without: { count, named } }: { without: SchemaHistoryView["without"] }) {
  if (count === 0) return null;
  return (
    <p className="mt-4 text-text-3">
      {countOf(count, "connector")} {count === 1 ? "keeps" : "keep"} no schema history in Kafka:{" "}
      {named.map(({ connector, path }, index) => (
        <span key={path}>
          {index > 0 ? ", " : ""}
          <Link href={path} className="underline [overflow-wrap:anywhere]">
            {connector}
          </Link>
        </span>
      ))}
      {count > named.length ? ` and ${formatCount(count - named.length)} more` : ""}.
    </p>
  );
}

/** The Schema history page below its banner. */
export function SchemaHistory({ view }: { view: SchemaHistoryView }) {
  const { attention, fine, unknown } = view.counts;
  const any = view.histories.length > 0;
  return (
    <>
      <div className="mb-3.5 flex flex-wrap items-baseline gap-x-4 gap-y-1">
        <h1 className="text-[18px] font-semibold tracking-tight">
          {attention > 0
            ? `${formatCount(attention)} schema ${attention === 1 ? "history needs" : "histories need"} attention`
            : any
              ? "No schema history needs attention"
              : "Schema history"}
          {any ? (
            <span className="font-normal text-text-3">
              {" "}
              · {formatCount(fine)} fine{unknown > 0 ? ` · ${formatCount(unknown)} unknown` : ""}
            </span>
          ) : null}
        </h1>
        <Polled watch={view.watch} />
      </div>
      <p className="mb-4 max-w-[82ch] text-text-2">
        A connector that keeps a schema history reads it whole at each start. A topic that loses a record, or
        has more than one partition, lets the next start fail or decode rows with the wrong columns.
      </p>
      {view.whyNone ? (
        <div className="rounded-card border border-line bg-surface pt-2 shadow-card">
          <Notice outcome="info" sentence={view.whyNone} />
        </div>
      ) : null}
      <div className="grid gap-3.5">
        {[...view.histories.filter(needsLook), ...view.histories.filter((h) => !needsLook(h))].map(
          (history) => (
            <HistoryPanel key={`${history.cluster} ${history.connector}`} history={history} />
          ),
        )}
      </div>
      <Without without={view.without} />
    </>
  );
}
