import { firstCopyCommands, lookCommands } from "@/lib/views/duplicates-commands";
import type { ReplayLine } from "@/lib/views/duplicates-schema";
import { boundedCount, evidenceWords } from "@/lib/views/duplicates-words";
import { formatCount } from "@/lib/views/format";
import { CommandBlock } from "./command-block";
import { CopyButton } from "./copy-button";
import { Moment } from "./moment";

function Run({ id, began }: { id: string | null; began: string | null }) {
  if (id === null)
    return (
      <span className="text-text-3">not told: the records carry no run id (Debezium 3.4 and later)</span>
    );
  return (
    <>
      <span className="font-mono text-[.93em] [overflow-wrap:anywhere]">{id}</span>
      {began === null ? null : (
        <div className="text-xs text-text-3 max-md:[&>time]:whitespace-normal">
          begun <Moment at={began} />
        </div>
      )}
    </>
  );
}

function Offset({ value }: { value: number | null }) {
  if (value === null) return <span className="text-text-3">not known: not looked for, or deleted since</span>;
  return <span className="font-mono font-semibold">{formatCount(value)}</span>;
}

function Position({ text }: { text: string | null }) {
  if (text === null) return <span className="text-text-3">not told</span>;
  return (
    <span className="font-mono text-[.93em] [overflow-wrap:anywhere]">
      {text} <CopyButton text={text} label="the source position" />
    </span>
  );
}

/** One line of the comparison: its name, the first copy's value and the second's. */
function Line({
  name,
  first,
  again,
  begins = false,
}: {
  name: string;
  first: React.ReactNode;
  again: React.ReactNode;
  /** The first of some that belong together. */
  begins?: boolean;
}) {
  return (
    <tr className={begins ? "border-t border-line" : undefined}>
      <th scope="row" className="border-b-0! px-3 py-1! align-baseline font-normal! whitespace-normal!">
        {name}
      </th>
      <td className="border-b-0! py-1! align-baseline!">{first}</td>
      <td className="border-b-0! bg-sunken py-1! align-baseline!">{again}</td>
    </tr>
  );
}

/** The two copies of the first and of the last change, side by side: coordinates, never row data. */
function TwoCopies({ replay }: { replay: ReplayLine }) {
  const single = replay.firstOffset === replay.lastOffset;
  const position = <Position text={replay.firstPosition} />;
  const lastPosition = <Position text={replay.lastPosition} />;
  return (
    <div className="overflow-x-auto rounded-[4px] border border-line">
      <table className="data-table table-fixed">
        <caption className="sr-only">The two copies side by side</caption>
        <thead>
          <tr>
            <td className="w-24 md:w-48" />
            <th scope="col">Delivered first</th>
            <th scope="col" className="bg-sunken">
              Came again
            </th>
          </tr>
        </thead>
        <tbody>
          <Line
            name="Run of the task"
            first={<Run id={replay.runBefore} began={replay.runBeforeAt} />}
            again={<Run id={replay.runAfter} began={replay.runAfterAt} />}
          />
          <Line
            begins
            name={single ? "Kafka offset" : "First change: Kafka offset"}
            first={<Offset value={replay.firstCopyOf} />}
            again={<Offset value={replay.firstOffset} />}
          />
          <Line name="its source position" first={position} again={position} />
          {single ? null : (
            <>
              <Line
                begins
                name="Last change: Kafka offset"
                first={<Offset value={replay.lastCopyOf} />}
                again={<Offset value={replay.lastOffset} />}
              />
              <Line name="its source position" first={lastPosition} again={lastPosition} />
            </>
          )}
          <Line
            begins
            name="Record time"
            first={<span className="text-text-3">earlier, in that run</span>}
            again={
              <>
                <Moment at={replay.at} />
                {single ? null : (
                  <>
                    {" "}
                    to <Moment at={replay.until} />
                  </>
                )}
              </>
            }
          />
        </tbody>
      </table>
    </div>
  );
}

function Commands({ replay, brokers }: { replay: ReplayLine; brokers: readonly string[] }) {
  const first = firstCopyCommands(replay, brokers);
  return (
    <details className="mt-2">
      <summary className="w-max text-sm text-accent hover:underline">Commands to look at them</summary>
      <p className="mt-1 text-xs text-text-3">
        They print offset, timestamp and key of each record, no values.
      </p>
      {lookCommands(replay, brokers).map(({ name, text }) => (
        <CommandBlock key={name} text={text} label={`${name}: what came again`} />
      ))}
      {first.length > 0 ? <p className="mt-2 text-xs text-text-3">The first copies:</p> : null}
      {first.map(({ name, text }) => (
        <CommandBlock key={name} text={text} label={`${name}: the first copies`} />
      ))}
    </details>
  );
}

/** One replay opened: the two copies, a sentence for those who read the topic, and how to look at the records. */
export function ReplayCopies({
  replay,
  brokers,
  link,
}: {
  replay: ReplayLine;
  brokers: readonly string[];
  /** The path of this replay's page; null: it has none. */
  link: string | null;
}) {
  return (
    // Its width is the table's own: a long command must not make the table as wide as itself.
    <div className="relative w-0 min-w-full whitespace-normal lg:max-w-[64rem] lg:min-w-[min(100%,64rem)]">
      <p className="mb-2 text-text-2">
        <span className="font-semibold text-text">{boundedCount(replay)}</span>{" "}
        {replay.count === 1 ? "change" : "changes"} of{" "}
        <span className="font-mono text-[.93em]">{replay.topic}</span>, partition {replay.partition}. How they
        were found: {evidenceWords[replay.evidence]}.
      </p>
      <TwoCopies replay={replay} />
      <h4 className="mt-3 text-xs font-semibold text-text-3">For those who read this topic</h4>
      <CommandBlock text={replay.forget} label="what to forget" wrap />
      {link ? (
        <p className="mt-2">
          <CopyButton text={() => new URL(link, window.location.href).href} label="the link to this replay">
            Copy link
          </CopyButton>
        </p>
      ) : null}
      <Commands replay={replay} brokers={brokers} />
    </div>
  );
}
