import type { Restart } from "@/lib/observed/window-series";
import { asSentence, formatCount } from "@/lib/views/format";
import { Card } from "./card";
import { Moment } from "./moment";
import { Notice } from "./notice";
import { type ReplayHistory, rangeWords } from "./replay-history";
import { restartCause } from "./restart-words";
import { ScrollBox } from "./scroll-box";
import { StatusMark } from "./status-mark";
import { utcText } from "./utc-text";

function Count({ value }: { value: number | null | undefined }) {
  return value === null || value === undefined ? <span className="text-text-3">–</span> : formatCount(value);
}

/** What the page said less what came: in events that were produced since that poll, mostly. */
function offBy({ shown, replayed }: Restart): string | null {
  if (!shown || shown.events === null || replayed === null) return null;
  const off = replayed - shown.events;
  return off > 0 ? `+${formatCount(off)}` : formatCount(off);
}

function Where({ restart }: { restart: Restart }) {
  if (restart.why)
    return <span className="block max-w-[42ch] text-xs text-text-2">{asSentence(restart.why)}</span>;
  if (restart.partitions.length === 0) return null;
  return (
    <details className="text-xs">
      <summary className="w-max text-accent hover:underline">where</summary>
      <ul className="font-mono text-text-2">
        {restart.partitions.map((p) => (
          <li key={`${p.topic} ${p.partition} ${p.firstOffset}`} className="[overflow-wrap:anywhere]">
            {p.topic}, {p.partition}: {formatCount(p.firstOffset)} – {formatCount(p.lastOffset)} (
            {formatCount(p.count)})
          </li>
        ))}
      </ul>
    </details>
  );
}

function Line({ restart }: { restart: Restart }) {
  const off = offBy(restart);
  return (
    <tr>
      <td>
        <Moment at={restart.at} />
      </td>
      <td className="md:min-w-36">
        {restart.state === "measuring" ? (
          <StatusMark outcome="info">being measured</StatusMark>
        ) : restart.replayed === null ? (
          <StatusMark outcome="unknown">not measurable</StatusMark>
        ) : (
          restartCause(restart)
        )}
        <Where restart={restart} />
      </td>
      <td className="numeric" title={restart.shown ? `Polled ${utcText(restart.shown.at)}` : undefined}>
        <Count value={restart.shown?.events} />
      </td>
      <td className="numeric wide-only">
        <Count value={restart.recomputed} />
      </td>
      <td className="numeric font-semibold">
        <Count value={restart.replayed} />
      </td>
      <td className="numeric text-text-2">{off ?? <span className="text-text-3">–</span>}</td>
    </tr>
  );
}

function Table({ restarts }: { restarts: readonly Restart[] }) {
  return (
    <>
      <ScrollBox label="Restarts, predicted and measured" className="mt-1">
        <table className="data-table">
          <caption className="sr-only">Restarts, newest first: what was predicted and what came</caption>
          <thead>
            <tr>
              <th scope="col">When</th>
              <th scope="col">What</th>
              <th scope="col" className="numeric" title="The window on this page at the last poll before">
                Shown before
              </th>
              <th
                scope="col"
                className="numeric wide-only"
                title="From the commit in force and the last records of the run that ended"
              >
                At its end
              </th>
              <th scope="col" className="numeric" title="Events that the new run produced again">
                Replayed
              </th>
              <th scope="col" className="numeric" title="Replayed less shown">
                Off by
              </th>
            </tr>
          </thead>
          <tbody>
            {[...restarts]
              .sort((a, b) => b.at.localeCompare(a.at))
              .map((restart) => (
                <Line key={restart.id} restart={restart} />
              ))}
          </tbody>
        </table>
      </ScrollBox>
      <p className="border-t border-line px-4 py-2 text-xs text-text-3">
        Shown before: this page at the last look before. At its end: recomputed from the commit in force and
        the run's last records. Replayed: counted in the topics. What differs was produced since that look.
      </p>
    </>
  );
}

/** At each restart: what the page said, what the window was, and what was produced again. */
export function ReplayRestarts({ history }: { history: ReplayHistory }) {
  const { view, range, trouble } = history;
  const { long } = rangeWords[view?.range ?? range];
  return (
    <Card title="Predicted and real" note={`each restart of the ${long}`}>
      {view && view.restarts.length > 0 ? (
        <Table restarts={view.restarts} />
      ) : view ? (
        <Notice
          outcome="info"
          sentence={`No task was seen to start in the ${long}. When one does, what it produces again is counted and set beside what this page said before.`}
        />
      ) : trouble ? (
        <Notice sentence="Not known: the history of the window could not be read." />
      ) : (
        <div aria-hidden="true" className="mx-4 mt-2 mb-4 h-24 rounded-card bg-sunken" />
      )}
    </Card>
  );
}
