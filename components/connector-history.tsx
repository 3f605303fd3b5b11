import type { ConnectorView } from "@/lib/views/connector";
import { Card } from "./card";
import { FreshnessNote } from "./freshness-note";
import { HistoryChecklist } from "./history-checklist";
import { Notice } from "./notice";
import { Remedies } from "./remedies";

/** Whether the schema history would let the connector start again. */
export function ConnectorHistory({ history }: { history: ConnectorView["history"] }) {
  const fact = history.items.length === 0 && history.freshness.failure === null && history.topic === null;
  return (
    <Card
      id="schema-history"
      title="Schema history"
      stale={history.freshness.stale}
      note={
        <>
          {history.topic ? <span className="font-mono">{history.topic}</span> : null}
          {history.topic && history.freshness.asOf ? " · " : ""}
          <FreshnessNote freshness={history.freshness} />
        </>
      }
    >
      {history.whyNone ? (
        <Notice
          outcome={fact ? "not-applicable" : "unknown"}
          sentence={history.whyNone}
          remedy={history.freshness.failure?.remedy}
        />
      ) : (
        <div className="mt-1">
          <HistoryChecklist items={history.items} />
          <Remedies remedies={history.remedies} />
        </div>
      )}
    </Card>
  );
}
