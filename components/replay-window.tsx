import type { ConnectorView } from "@/lib/views/connector";
import { Card } from "./card";
import { FlushDial } from "./flush-dial";
import { FreshnessNote } from "./freshness-note";
import { Notice } from "./notice";
import { RangeChoice } from "./range-choice";
import type { ReplayHistory } from "./replay-history";
import { ReplayRestarts } from "./replay-restarts";
import { ReplayWindowFacts } from "./replay-window-facts";
import { ReplayWindowFigures } from "./replay-window-figures";
import { ReplayWindowNotes } from "./replay-window-notes";
import { SawTooth } from "./saw-tooth";

/** What a crash would cost: now, usually and at worst; over time; predicted and real; and what the dial would change. */
export function ReplayWindow({ view, history }: { view: ConnectorView; history: ReplayHistory }) {
  const section = view.replayWindow;
  const judged = view.checks.find(({ slug }) => slug === "replay-window-large");
  const { freshness, window, words } = section;
  const card = (
    <Card
      id="replay-window"
      title="Replay window"
      stale={freshness.stale}
      note={
        <>
          {words?.how}
          {words && freshness.asOf ? " · " : ""}
          <FreshnessNote freshness={freshness} told={view.head.freshness} />
        </>
      }
      action={section.noneIsFact ? null : <RangeChoice range={history.range} setRange={history.setRange} />}
    >
      {section.whyNone ? (
        <Notice
          outcome={section.noneIsFact ? "not-applicable" : "unknown"}
          sentence={section.whyNone}
          remedy={section.remedy}
        />
      ) : null}
      <div className="px-4 pt-1 pb-3.5">
        {section.noneIsFact || window?.kind === "snapshot" ? null : (
          <p className="mb-2 text-xs text-text-3">
            What would be produced a second time{" "}
            {window?.standsStill ? "when it starts again" : "if its tasks died now"}: the events after the
            last committed offset.
          </p>
        )}
        <ReplayWindowFigures section={section} judged={judged} history={history} />
        <ReplayWindowNotes section={section} />
        {section.noneIsFact ? null : <SawTooth history={history} section={section} />}
      </div>
      {window && words ? <ReplayWindowFacts window={window} words={words} /> : null}
    </Card>
  );
  if (section.noneIsFact) return card;
  return (
    <>
      {card}
      <div className="grid gap-3.5 lg:grid-cols-[minmax(0,5fr)_minmax(0,7fr)]">
        <FlushDial history={history} flushInterval={words?.flushInterval ?? null} />
        <ReplayRestarts history={history} />
      </div>
    </>
  );
}
