import { methodWords } from "@/lib/views/measure-methods";
import type { MeasurementView } from "@/lib/views/measure-schema";
import { Card } from "./card";
import { CopyButton } from "./copy-button";
import { DuplicatesTopics } from "./duplicates-topics";
import { MeasureProgress } from "./measure-progress";
import { Moment } from "./moment";
import { Notice } from "./notice";
import { ReplayGroups } from "./replay-groups";
import { ReplayTimeline } from "./replay-timeline";
import { StatusShape } from "./status-mark";

function RangeWords({ from, to }: { from: string | null; to: string | null }) {
  if (from === null && to === null) return "all that is retained";
  return (
    <>
      {from ? (
        <>
          from <Moment at={from} />
        </>
      ) : (
        "from the first record"
      )}{" "}
      {to ? (
        <>
          to <Moment at={to} />
        </>
      ) : (
        "to the end"
      )}
    </>
  );
}

/** The time that the line shows: what was asked for, or from a little before the first replay. */
function timesOf({ measurement, replays, topic }: MeasurementView): { from: string; to: string } | null {
  const to = measurement.to ?? measurement.startedAt;
  const first = replays.map((r) => r.at).sort()[0];
  const from = measurement.from ?? topic?.from ?? first ?? null;
  if (!from || !to || !first) return null;
  const [begin = from] = [first, from].sort();
  const room = Math.max(60_000, (Date.parse(to) - Date.parse(begin)) / 20);
  const early = measurement.from ? begin : new Date(Date.parse(begin) - room).toISOString();
  return { from: early, to };
}

function Found({
  view,
  opened,
  open,
}: {
  view: MeasurementView;
  opened: string | null;
  open: (id: string | null) => void;
}) {
  const { topic, summary, replays, more, brokers } = view;
  if (!topic) return null;
  const times = timesOf(view);
  return (
    <>
      <p className="flex max-w-[92ch] items-baseline gap-2 px-4 pb-3 text-lg">
        <StatusShape outcome={topic.outcome} />
        <span>{summary}</span>
      </p>
      {times ? (
        <div className="px-4">
          <ReplayTimeline replays={replays} {...times} since={times.from} unknown="not measured" isWhole />
        </div>
      ) : null}
      {replays.length > 0 ? (
        <ReplayGroups
          replays={replays}
          more={more}
          opened={opened}
          open={open}
          brokers={brokers}
          linkOf={() => null}
        />
      ) : null}
      <DuplicatesTopics topics={[topic]} />
    </>
  );
}

/** One measurement: how far it is, and what it found. */
export function MeasureResult({
  view,
  cancel,
  opened,
  open,
  csv,
}: {
  view: MeasurementView;
  /** Null: it has ended. */
  cancel: (() => void) | null;
  opened: string | null;
  open: (id: string | null) => void;
  /** Link to the replays as a file. */
  csv: string;
}) {
  const { measurement } = view;
  const { topic, cluster, method, from, to, failure } = measurement;
  return (
    <Card
      id="measurement"
      title={topic}
      note={
        <>
          {cluster} · {methodWords[method].name.toLowerCase()} · <RangeWords from={from} to={to} />
        </>
      }
      action={
        <span className="print:hidden inline-flex items-baseline gap-3 text-sm">
          {view.replays.length > 0 ? (
            <a href={csv} download>
              CSV
            </a>
          ) : null}
          <CopyButton text={() => window.location.href} label="the link to this measurement" />
        </span>
      }
    >
      <MeasureProgress view={view} cancel={cancel} />
      {failure ? <Notice outcome="critical" sentence={failure.sentence} remedy={failure.remedy} /> : null}
      {measurement.state === "cancelled" ? (
        <Notice
          outcome="not-applicable"
          sentence="It was cancelled: what it had found until then is not kept."
        />
      ) : null}
      <Found view={view} opened={opened} open={open} />
    </Card>
  );
}
