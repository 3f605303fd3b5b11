import type { CommitLine, PartitionCommits } from "@/lib/views/commit-lines";
import { asSentence, countOf, formatCount, formatInterval } from "@/lib/views/format";
import { placeText } from "./commit-age";
import { isOdd, moveName } from "./commit-moves";
import { CommitStrip } from "./commit-strip";
import { Moment } from "./moment";
import { ScrollBox } from "./scroll-box";
import { StatusMark } from "./status-mark";

function summary({ lines, usualMs, longestMs }: PartitionCommits): string {
  const gone = lines.filter((l) => l.move === "deleted").length;
  const deletions = gone === 0 ? "" : ` and ${countOf(gone, "deletion")}`;
  const count = `${countOf(lines.length - gone, "commit")}${deletions}`;
  if (longestMs === null)
    return `${count} on record: the offset topic keeps the newest, older ones are removed by compaction`;
  const times = [
    ...(usualMs === null ? [] : [`usually ${formatInterval(usualMs)} apart`]),
    `at most ${formatInterval(longestMs)}`,
  ];
  const same = lines.filter((l) => l.move === "unchanged").length;
  const still = same === 0 ? "" : `; ${formatCount(same)} left the position as it was (short ticks)`;
  return `${count}, ${times.join(", ")}${still}`;
}

function Move({ line }: { line: CommitLine }) {
  if (line.move === "back" || line.move === "deleted")
    return <StatusMark outcome="warning">{moveName(line)}</StatusMark>;
  return isOdd(line) ? <StatusMark outcome="unknown">{moveName(line)}</StatusMark> : null;
}

function Line({ line }: { line: CommitLine }) {
  const plain = line.move === "forward" || line.move === "back" ? line.progress : null;
  return (
    <tr>
      <td>
        <Moment at={line.at} />
      </td>
      <td className="min-w-28 font-mono text-[.93em] [overflow-wrap:anywhere]">
        {line.position ?? <span className="font-sans text-text-3">none</span>}
        {line.snapshot ? <span className="font-sans text-text-3"> in a snapshot</span> : null}
      </td>
      <td className="min-w-36">
        <span className="flex flex-wrap items-baseline gap-x-2">
          <Move line={line} />
          <span className={plain ? "" : "text-text-3"}>
            {line.progress ?? (line.move === "first" ? moveName(line) : null)}
          </span>
        </span>
        {line.warnings.map((text) => (
          <span key={text} className="block text-xs text-text-2">
            {asSentence(text)}
          </span>
        ))}
      </td>
      <td className="numeric">
        {line.afterMs === null ? <span className="text-text-3">–</span> : formatInterval(line.afterMs)}
      </td>
      <td className="text-xs whitespace-nowrap text-text-3">{placeText(line.readFrom)}</td>
    </tr>
  );
}

function CommitTable({ lines, partition }: { lines: readonly CommitLine[]; partition: string }) {
  return (
    <ScrollBox label={`Commits of ${partition}`} className="mt-1.5 max-h-96 overflow-y-auto print:max-h-none">
      <table className="data-table">
        <caption className="sr-only">Commits of {partition}, newest first</caption>
        <thead>
          <tr>
            <th scope="col">Committed</th>
            <th scope="col">Position</th>
            <th scope="col">Progress</th>
            <th scope="col" className="numeric">
              After
            </th>
            <th scope="col">Read from</th>
          </tr>
        </thead>
        <tbody>
          {[...lines].reverse().map((line) => (
            <Line key={placeText(line.readFrom)} line={line} />
          ))}
        </tbody>
      </table>
    </ScrollBox>
  );
}

/** The commits of one source partition: a strip of time, and the same as a table on demand. */
export function RecentCommits({
  partition,
  commits,
  until,
}: {
  partition: string;
  commits: PartitionCommits;
  /** When the offset topic was last read, ISO 8601. */
  until: string;
}) {
  const last = commits.lines.at(-1);
  if (!last) return null;
  const told = summary(commits);
  return (
    <div className="border-t border-line pt-2.5">
      <div className="flex flex-wrap items-baseline gap-x-2">
        <h3 className="text-xs font-semibold text-text-2">Recent commits</h3>
        <p className="text-xs text-text-3">
          {told} · {commits.lines.length === 1 ? "" : "the last one "}read from{" "}
          <span className="font-mono">{placeText(last.readFrom)}</span>
        </p>
      </div>
      <CommitStrip lines={commits.lines} until={until} label={`Recent commits: ${told}`} />
      <details className="mt-1">
        <summary className="text-accent hover:underline">Commits as a table</summary>
        <CommitTable lines={commits.lines} partition={partition} />
      </details>
    </div>
  );
}
