import { asSentence, formatCount } from "@/lib/views/format";
import type { LoopStatus, StatusView } from "@/lib/views/status";
import { Age } from "./age";
import { Card } from "./card";
import { Notice } from "./notice";
import { ScrollBox } from "./scroll-box";
import { StatusMark } from "./status-mark";

function Loop({ loop }: { loop: LoopStatus }) {
  return (
    <tr>
      <td>
        {loop.name}
        {loop.failure ? (
          <span className="block text-xs text-critical">{asSentence(loop.failure.sentence)}</span>
        ) : null}
      </td>
      <td>{loop.cluster ?? <span className="text-text-3">all</span>}</td>
      <td>
        <StatusMark outcome={loop.failure ? "critical" : loop.endedAt ? "ok" : "unknown"}>
          {loop.failure ? "failed" : loop.endedAt ? "ok" : "first turn runs"}
        </StatusMark>
      </td>
      <td className="numeric">{loop.endedAt ? <Age at={loop.endedAt} suffix=" ago" /> : "–"}</td>
      <td className="numeric">{loop.tookMs === null ? "–" : `${formatCount(loop.tookMs)}\u00a0ms`}</td>
      <td className="numeric">{formatCount(loop.runs)}</td>
      <td className="numeric">{formatCount(loop.failures)}</td>
    </tr>
  );
}

/** What the collector does over and over, and how it went. */
export function Loops({ loops }: { loops: StatusView["loops"] }) {
  return (
    <Card title="Loops" note="what the collector does, over and over">
      {loops.length === 0 ? (
        <Notice sentence="No loop has run: the collector has not written anything yet." />
      ) : (
        <ScrollBox label="Table of loops">
          <table className="data-table mt-1">
            <caption className="sr-only">Loops of the collector</caption>
            <thead>
              <tr>
                <th scope="col">Loop</th>
                <th scope="col">Cluster</th>
                <th scope="col">Last turn</th>
                <th scope="col" className="numeric">
                  Ended
                </th>
                <th scope="col" className="numeric">
                  Took
                </th>
                <th scope="col" className="numeric">
                  Turns
                </th>
                <th scope="col" className="numeric">
                  Failed
                </th>
              </tr>
            </thead>
            <tbody>
              {loops.map((loop) => (
                <Loop key={`${loop.process} ${loop.cluster} ${loop.name}`} loop={loop} />
              ))}
            </tbody>
          </table>
        </ScrollBox>
      )}
    </Card>
  );
}
