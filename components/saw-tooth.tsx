import { countOf, formatCount } from "@/lib/views/format";
import type { ReplayHistoryView, ReplayWindowSection } from "@/lib/views/replay-window-schema";
import { LazySawTooth } from "./lazy-charts";
import { Moment } from "./moment";
import { Notice } from "./notice";
import { type ReplayHistory, rangeWords } from "./replay-history";
import { inSight } from "./saw-tooth-shape";
import { StatusMark } from "./status-mark";
import { TableBehind } from "./table-behind";
import { troubleText } from "./trouble-text";

/** As high as the chart in every state of it: nothing moves when it comes. */
const boxOf = (section: ReplayWindowSection) => (section.window?.kind === "exactly-once" ? "h-32" : "h-60");

function Rows({ history }: { history: ReplayHistoryView }) {
  return (
    <>
      <thead>
        <tr>
          <th scope="col">When</th>
          <th scope="col" className="numeric">
            Least
          </th>
          <th scope="col" className="numeric">
            Most
          </th>
        </tr>
      </thead>
      <tbody>
        {[...history.sawTooth].reverse().map(({ at, least, most }) => (
          <tr key={at}>
            <td>
              <Moment at={at} />
            </td>
            {most === null ? (
              <td className="numeric" colSpan={2}>
                <StatusMark outcome="unknown">not known</StatusMark>
              </td>
            ) : (
              <>
                <td className="numeric">{formatCount(least ?? most)}</td>
                <td className="numeric">{formatCount(most)}</td>
              </>
            )}
          </tr>
        ))}
      </tbody>
    </>
  );
}

/** What the marks on the chart mean; only those that are there. */
function Legend({ history }: { history: ReplayHistoryView }) {
  const { commits, commitsTotal, restarts, sawTooth } = history;
  const left = commitsTotal > commits.length ? `, of which ${formatCount(commits.length)} are drawn` : "";
  const found = history.statistics.find((s) => s.range === history.range);
  const banded = history.range !== "1h" && sawTooth.some((p) => p.least !== p.most);
  const parts = [
    commitsTotal > 0
      ? `${countOf(commitsTotal, "commit")}, a tick below the line each${left}`
      : "no commit in this time",
    ...(restarts.length > 0 ? ["restarts are upright lines"] : []),
    ...(found && found.known < found.polls
      ? [`hatched: not known, ${countOf(found.polls - found.known, "look")} of ${formatCount(found.polls)}`]
      : []),
    ...(banded ? ["darker: between least and most"] : []),
  ];
  const text = parts.join(" · ");
  return <p className="text-xs text-text-3">{text.charAt(0).toUpperCase() + text.slice(1)}.</p>;
}

function summary(history: ReplayHistoryView): string {
  const found = history.statistics.find((s) => s.range === history.range);
  const { long } = rangeWords[history.range];
  const figures =
    found?.median === null || found === undefined
      ? "not known"
      : `median ${formatCount(found.median)}, worst ${formatCount(found.worst ?? 0)}`;
  return `Events that a crash would have replayed, ${long}: ${figures}; the table below has each figure`;
}

function Chart({ history, section }: { history: ReplayHistory; section: ReplayWindowSection }) {
  const { view, trouble, range } = history;
  const box = boxOf(section);
  if (!view && trouble)
    return (
      <div className={`${box} stale rounded-card border border-line pt-2`}>
        <Notice sentence={`The history of the window could not be read. ${troubleText(trouble)}`} />
      </div>
    );
  if (!view) return <div role="status" aria-label="Loading" className={`${box} rounded-card bg-sunken`} />;
  if (view.sawTooth.length === 0)
    return (
      <div className={box}>
        <Notice outcome="info" sentence={view.whyNone ?? "Nothing was recorded in this time."} />
      </div>
    );
  const label = summary(view);
  return (
    <>
      <div className={`${box} ${view.range === range ? "" : "opacity-60"}`}>
        <LazySawTooth
          history={inSight(view)}
          limit={section.window?.kind === "events" ? section.limits.events : null}
          label={label}
        />
      </div>
      <Legend history={view} />
      {trouble ? <p className="text-xs font-medium text-unknown">stale: {troubleText(trouble)}</p> : null}
      <TableBehind of={label}>{() => <Rows history={view} />}</TableBehind>
    </>
  );
}

/** The window over the chosen time: the chart, what its marks mean, and the table behind it. */
export function SawTooth({ history, section }: { history: ReplayHistory; section: ReplayWindowSection }) {
  return (
    <div className="mt-3">
      <h3 className="sr-only">Over time</h3>
      <Chart history={history} section={section} />
    </div>
  );
}
