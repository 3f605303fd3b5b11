"use client";

import { useState } from "react";
import type { ReplayLine } from "@/lib/views/duplicates-schema";
import { shortCount } from "@/lib/views/duplicates-words";
import { countOf, formatCount } from "@/lib/views/format";
import { type ReplayGroup, replayGroups } from "@/lib/views/replay-groups";
import { Moment } from "./moment";
import { ReplayCopies } from "./replay-copies";
import { ScrollBox } from "./scroll-box";
import { TopicName } from "./topic-name";

/** So many are listed at first; the rest at a click. */
const firstGroups = 12;
/** Partitions of one group that are listed at first. */
const firstPartitions = 4;

interface Opening {
  opened: string | null;
  open: (id: string | null) => void;
  brokers: readonly string[];
  /** The path of a replay's page; null: it has none. */
  linkOf: (id: string) => string | null;
}

function Offsets({ replay }: { replay: ReplayLine }) {
  const { firstOffset, lastOffset } = replay;
  return (
    <>
      {formatCount(firstOffset)}
      {lastOffset === firstOffset ? null : <> – {formatCount(lastOffset)}</>}
    </>
  );
}

function Positions({ replay }: { replay: ReplayLine }) {
  const { firstPosition, lastPosition } = replay;
  if (firstPosition === null) return <span className="text-text-3">–</span>;
  return (
    <>
      {firstPosition}
      {lastPosition === null || lastPosition === firstPosition ? null : <> – {lastPosition}</>}
    </>
  );
}

function Line({ replay, opening }: { replay: ReplayLine; opening: Opening }) {
  const { opened, open, brokers, linkOf } = opening;
  const isOpen = opened === replay.id;
  const mono = "font-mono text-[.93em]";
  return (
    <>
      <tr id={`replay-${replay.id}`} className={isOpen ? "bg-accent-soft" : undefined}>
        <td className="max-md:w-full max-md:min-w-32 md:pl-8!">
          <TopicName name={replay.topic} />{" "}
          <span className="whitespace-nowrap text-text-2">partition {replay.partition}</span>
          <div className={`${mono} md:hidden`}>
            <Offsets replay={replay} />
          </div>
        </td>
        <td className={`${mono} wide-only whitespace-nowrap`}>
          <Offsets replay={replay} />
        </td>
        <td className="numeric">{shortCount(replay)}</td>
        <td className={`${mono} wide-only [overflow-wrap:anywhere]`}>
          <Positions replay={replay} />
        </td>
        <td className="numeric">
          <button
            type="button"
            aria-expanded={isOpen}
            aria-label={`Two copies of ${replay.topic}, partition ${replay.partition}, offset ${replay.firstOffset}`}
            className="print:hidden text-accent hover:underline"
            onClick={() => open(isOpen ? null : replay.id)}
          >
            {isOpen ? "Close" : "Two copies"}
          </button>
        </td>
      </tr>
      {isOpen ? (
        <tr>
          <td colSpan={5} className="md:pl-8!">
            <ReplayCopies replay={replay} brokers={brokers} link={linkOf(replay.id)} />
          </td>
        </tr>
      ) : null}
    </>
  );
}

/** What the page had said before beside what came: a difference was produced since that look. */
function Predicted({ group: { restartWindow } }: { group: ReplayGroup }) {
  if (!restartWindow || restartWindow.shown === null) return null;
  const { shown, replayed } = restartWindow;
  return (
    <span className="text-text-3">
      predicted {formatCount(shown)}
      {replayed === null ? null : `, came ${formatCount(replayed)}`}
    </span>
  );
}

function Group({ group, opening }: { group: ReplayGroup; opening: Opening }) {
  const [all, setAll] = useState(false);
  const has = group.replays.findIndex((r) => r.id === opening.opened);
  const shown = all || has >= firstPartitions ? group.replays : group.replays.slice(0, firstPartitions);
  const left = group.replays.length - shown.length;
  return (
    <tbody className="border-b border-line last:border-b-0">
      <tr className="bg-sunken">
        <th colSpan={5} scope="rowgroup" className="border-b-0! px-4! font-normal! whitespace-normal!">
          <div className="flex flex-wrap items-baseline gap-x-3 text-base text-text">
            <span className="font-semibold">
              <Moment at={group.at} />
            </span>
            <span className="font-semibold">
              {shortCount(group)} {group.count === 1 ? "change" : "changes"}
            </span>
            <span>{group.causeName}</span>
            <span className="text-xs md:ml-auto">
              <Predicted group={group} />
            </span>
          </div>
          <div className="text-xs text-text-2">{group.causeWhy}</div>
        </th>
      </tr>
      {shown.map((replay) => (
        <Line key={replay.id} replay={replay} opening={opening} />
      ))}
      {left > 0 ? (
        <tr>
          <td colSpan={5} className="md:pl-8!">
            <button type="button" className="text-accent hover:underline" onClick={() => setAll(true)}>
              and {countOf(left, "partition")} more
            </button>
          </td>
        </tr>
      ) : null}
    </tbody>
  );
}

/** Replays by what happened, newest first, each with its partitions; the opened one shows its two copies. */
export function ReplayGroups({
  replays,
  more,
  ...opening
}: Opening & { replays: readonly ReplayLine[] /** There are more than are given. */; more: boolean }) {
  const [all, setAll] = useState(false);
  const groups = replayGroups(replays);
  const at = groups.findIndex((g) => g.replays.some((r) => r.id === opening.opened));
  const shown = all || at >= firstGroups ? groups : groups.slice(0, firstGroups);
  const left = groups.length - shown.length;
  return (
    <>
      <ScrollBox label="Replays, newest first" className="mt-3 border-t border-line">
        <table className="data-table">
          <caption className="sr-only">Replays, newest first: where, how many changes, and why</caption>
          <thead>
            <tr>
              <th scope="col" className="md:pl-8!">
                Topic, partition
              </th>
              <th scope="col" className="wide-only">
                Kafka offsets that repeat
              </th>
              <th scope="col" className="numeric">
                Changes
              </th>
              <th scope="col" className="wide-only">
                Source positions
              </th>
              <th scope="col">
                <span className="sr-only">Open</span>
              </th>
            </tr>
          </thead>
          {shown.map((group) => (
            <Group key={group.id} group={group} opening={opening} />
          ))}
        </table>
      </ScrollBox>
      {left > 0 ? (
        <button
          type="button"
          className="w-full border-t border-line px-4 py-2 text-left text-accent hover:bg-sunken"
          onClick={() => setAll(true)}
        >
          and {formatCount(left)} more
        </button>
      ) : null}
      {more ? (
        <p className="border-t border-line px-4 py-2 text-xs text-text-3">
          The newest {formatCount(replays.length)} are listed: choose a shorter time, or take the CSV.
        </p>
      ) : null}
    </>
  );
}
