import Link from "next/link";
import { countOf } from "@/lib/views/format";
import { methodWords } from "@/lib/views/measure-methods";
import type { MeasurementLine } from "@/lib/views/measure-schema";
import { Age } from "./age";
import { Card } from "./card";
import { Notice } from "./notice";
import { ScrollBox } from "./scroll-box";
import { StatusMark } from "./status-mark";
import { TopicName } from "./topic-name";

function found({ duplicates, replays, method, state }: MeasurementLine): string {
  if (state !== "done" || duplicates === null) return "–";
  if (duplicates === 0) return "none";
  const places = method === "scan" || !replays ? "" : ` in ${countOf(replays, "replay")}`;
  return `${countOf(duplicates, "change")}${places}`;
}

/** What was measured lately, newest first. */
export function MeasureRecent({ lines, shown }: { lines: readonly MeasurementLine[]; shown: string | null }) {
  return (
    <Card title="Recent measurements" note="kept for 30 days">
      {lines.length === 0 ? (
        <Notice
          outcome="info"
          sentence="Nothing was measured yet. Topics of watched connectors are measured without being asked: see Duplicates on their pages."
        />
      ) : (
        <ScrollBox label="Recent measurements" className="mt-1">
          <table className="data-table">
            <caption className="sr-only">Recent measurements, newest first</caption>
            <thead>
              <tr>
                <th scope="col">Topic</th>
                <th scope="col">State</th>
                <th scope="col" className="wide-only">
                  Method
                </th>
                <th scope="col" className="numeric wide-only">
                  Delivered twice
                </th>
                <th scope="col" className="numeric">
                  Requested
                </th>
              </tr>
            </thead>
            <tbody>
              {lines.map((line) => (
                <tr key={line.id} className={line.id === shown ? "bg-accent-soft" : undefined}>
                  <td className="max-md:w-full">
                    <Link href={line.path} aria-current={line.id === shown ? "true" : undefined}>
                      <TopicName name={line.topic} />
                    </Link>
                    <div className="text-xs text-text-3">{line.cluster}</div>
                  </td>
                  <td>
                    <StatusMark outcome={line.mark.outcome} title={line.failure?.sentence}>
                      {line.mark.words}
                    </StatusMark>
                    <div className="text-xs text-text-2 md:hidden">{found(line)}</div>
                  </td>
                  <td className="wide-only">{methodWords[line.method].name}</td>
                  <td className="numeric wide-only">{found(line)}</td>
                  <td className="numeric">
                    <Age at={line.askedAt} suffix=" ago" />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollBox>
      )}
    </Card>
  );
}
