import type { ConnectorView } from "@/lib/views/connector";
import { replayPath } from "@/lib/views/paths";
import { Card } from "./card";
import { Choice } from "./choice";
import { CodeText } from "./code-text";
import { DuplicatesFigures } from "./duplicates-figures";
import { type DuplicatesHistory, replayRanges, replayRangeWords } from "./duplicates-history";
import { DuplicatesOrder } from "./duplicates-order";
import { DuplicatesReplays } from "./duplicates-replays";
import { DuplicatesTopics } from "./duplicates-topics";
import { FreshnessNote } from "./freshness-note";
import { Notice } from "./notice";
import { StatusShape } from "./status-mark";

const choices = replayRanges.map((value) => ({
  value,
  name: replayRangeWords[value].short,
  title: `The ${replayRangeWords[value].long}`,
}));

/** What came twice: how much, where to the record, and why. */
export function Duplicates({ view, history }: { view: ConnectorView; history: DuplicatesHistory }) {
  const section = view.duplicates;
  const { freshness, whyNone } = section;
  return (
    <Card
      id="duplicates"
      title="Duplicates"
      stale={freshness.stale}
      note={<FreshnessNote freshness={freshness} told={view.head.freshness} />}
      action={
        section.noneIsFact ? null : (
          <Choice
            legend="Time of the replays shown"
            choices={choices}
            chosen={history.range}
            choose={history.setRange}
          />
        )
      }
    >
      {whyNone ? (
        <Notice
          outcome={section.noneIsFact ? "not-applicable" : "unknown"}
          sentence={whyNone}
          remedy={section.remedy}
        />
      ) : null}
      {section.noneIsFact ? null : (
        <>
          <div className="px-4 pt-1 pb-3">
            <DuplicatesFigures section={section} />
            {section.judged.map(({ slug, outcome, sentence }) => (
              <p key={slug} className="mt-1.5 flex items-baseline gap-2">
                <StatusShape outcome={outcome} />
                <span className="text-text-2">
                  <CodeText text={sentence} />
                </span>
              </p>
            ))}
          </div>
          <DuplicatesReplays
            section={section}
            history={history}
            linkOf={(id) => replayPath(view.cluster, view.connector, id)}
          />
          <DuplicatesTopics topics={section.topics} />
        </>
      )}
      <DuplicatesOrder order={section.order} />
    </Card>
  );
}
