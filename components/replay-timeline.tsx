import type { ReplayLine } from "@/lib/views/duplicates-schema";
import { shortCount } from "@/lib/views/duplicates-words";
import { countOf, formatCount } from "@/lib/views/format";
import { type ReplayGroup, replayGroups } from "@/lib/views/replay-groups";
import { LazyReplayTimeline } from "./lazy-charts";
import { Moment } from "./moment";
import { axisFrom } from "./replay-timeline-shape";
import { TableBehind } from "./table-behind";

function Rows({ groups }: { groups: readonly ReplayGroup[] }) {
  return (
    <>
      <thead>
        <tr>
          <th scope="col">When</th>
          <th scope="col">Cause</th>
          <th scope="col" className="numeric">
            Partitions
          </th>
          <th scope="col" className="numeric">
            Changes
          </th>
        </tr>
      </thead>
      <tbody>
        {groups.map((group) => (
          <tr key={group.id}>
            <td>
              <Moment at={group.at} />
            </td>
            <td>{group.causeName}</td>
            <td className="numeric">{formatCount(group.replays.length)}</td>
            <td className="numeric">{shortCount(group)}</td>
          </tr>
        ))}
      </tbody>
    </>
  );
}

/** Replays over a time: a bar each, what is not known hatched, and the table behind it. */
export function ReplayTimeline({
  replays,
  from,
  to,
  since,
  unknown,
  isWhole,
}: {
  replays: readonly ReplayLine[];
  /** ISO 8601. */
  from: string;
  to: string;
  /** Before it nothing is known. Null: nothing is known at all. */
  since: string | null;
  /** Why not, in a few words. */
  unknown: string;
  /** Nothing before `since` is still to come. */
  isWhole: boolean;
}) {
  const groups = replayGroups(replays);
  const [begin, end] = [Date.parse(from), Date.parse(to)];
  const knownFrom = Date.parse(since ?? to);
  const count = groups.reduce((sum, g) => sum + g.count, 0);
  const label = `Changes that came again over this time: ${countOf(count, "change")} in ${countOf(groups.length, "event")}`;
  return (
    <>
      <p aria-hidden="true" className="text-xs text-text-3">
        When changes came again, and how many
      </p>
      <div className="h-48">
        <LazyReplayTimeline
          groups={groups}
          from={isWhole ? axisFrom(begin, end, knownFrom) : begin}
          to={end}
          since={knownFrom}
          unknown={unknown}
          label={label}
        />
      </div>
      <TableBehind of={label}>{() => <Rows groups={groups} />}</TableBehind>
    </>
  );
}
