import { flushIntervalText, offeredIntervalMs } from "@/lib/views/dial-words";
import { formatCount } from "@/lib/views/format";
import type { ReplayHistoryView } from "@/lib/views/replay-window-schema";
import { Card } from "./card";
import { CodeText } from "./code-text";
import { CommandBlock } from "./command-block";
import { LazyFlushDial } from "./lazy-charts";
import { Notice } from "./notice";
import type { ReplayHistory } from "./replay-history";
import { TableBehind } from "./table-behind";
import { troubleText } from "./trouble-text";

type Dial = ReplayHistoryView["dial"];

function Rows({ dial }: { dial: Dial }) {
  const count = (value: number | null) => (value === null ? "unknown" : formatCount(Math.round(value)));
  return (
    <>
      <thead>
        <tr>
          <th scope="col">Flush interval</th>
          <th scope="col" className="numeric">
            Expected
          </th>
          <th scope="col" className="numeric">
            Worst
          </th>
          <th scope="col" className="numeric">
            Offset writes an hour
          </th>
        </tr>
      </thead>
      <tbody>
        {dial.points.map((point) => (
          <tr key={point.intervalMs} className={point.inForce ? "font-semibold" : ""}>
            <td>
              {flushIntervalText(point.intervalMs)}
              {point.inForce ? " (today)" : ""}
            </td>
            <td className="numeric">{count(point.expected)}</td>
            <td className="numeric">{count(point.worst)}</td>
            <td className="numeric">{formatCount(Math.round(point.writesPerHour))}</td>
          </tr>
        ))}
      </tbody>
    </>
  );
}

/** In the example where the dial speaks of no other interval. */
const exampleMs = 5_000;

function HowToSet({ dial }: { dial: Dial }) {
  return (
    <details className="mt-2">
      <summary className="w-max text-accent hover:underline">How to set it</summary>
      <p className="mt-1 text-text-2">
        It is a setting of the Connect worker, not of the connector: put it into each worker's properties and
        restart the workers. It then holds for all connectors that they run.
      </p>
      <CommandBlock
        text={`offset.flush.interval.ms=${offeredIntervalMs(dial.points) ?? exampleMs}`}
        label="the worker's setting"
      />
      <p className="mt-1.5 text-sm text-text-3">
        In Debezium's and Confluent's images it is the variable <code>CONNECT_OFFSET_FLUSH_INTERVAL_MS</code>.
        Tidemark cannot see the setting, as Connect does not show it: today's interval is inferred from
        commits.
      </p>
    </details>
  );
}

function Body({ history, flushInterval }: { history: ReplayHistory; flushInterval: string | null }) {
  const { view, trouble } = history;
  if (!view && trouble) return <Notice sentence={troubleText(trouble)} />;
  if (!view) return <div aria-hidden="true" className="mx-4 mt-2 mb-4 h-72 rounded-card bg-sunken" />;
  const { dial } = view;
  if (dial.whyNone || dial.points.length === 0)
    return <Notice outcome="info" sentence={dial.whyNone ?? "There is not enough history yet to tell."} />;
  const label = `Events that a crash would replay, expected and worst, for flush intervals from 1 second to 5 minutes. ${dial.sentence ?? ""}`;
  return (
    <div className="px-4 pt-1 pb-3.5">
      <div className="flex justify-between text-xs text-text-3">
        <span>events a crash replays</span>
        <span>offset writes an hour</span>
      </div>
      <div className="h-56">
        <LazyFlushDial dial={dial} label={label} />
      </div>
      <p className="text-xs text-text-3">
        flush interval of the worker{flushInterval ? `; today ${flushInterval}` : ""}
      </p>
      {dial.sentence ? (
        <p className="mt-2 max-w-[72ch]">
          <CodeText text={dial.sentence} />
        </p>
      ) : null}
      {dial.basis ? <p className="mt-0.5 text-xs text-text-3">Made of {dial.basis}.</p> : null}
      <HowToSet dial={dial} />
      <TableBehind of="Expected and worst replay by flush interval">{() => <Rows dial={dial} />}</TableBehind>
    </div>
  );
}

/** The dial: what another flush interval would do, and what it would cost. */
export function FlushDial({
  history,
  flushInterval,
}: {
  history: ReplayHistory;
  flushInterval: string | null;
}) {
  return (
    <Card title="The dial" note="what another flush interval would do">
      <Body history={history} flushInterval={flushInterval} />
    </Card>
  );
}
