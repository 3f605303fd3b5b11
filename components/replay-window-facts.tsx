import { countOf, formatCount } from "@/lib/views/format";
import type { ReplayWindowSection } from "@/lib/views/replay-window-schema";
import { Age } from "./age";
import { Disclosure } from "./disclosure";
import { ScrollBox } from "./scroll-box";
import { StatusMark } from "./status-mark";

type Window = NonNullable<ReplayWindowSection["window"]>;
type Words = NonNullable<ReplayWindowSection["words"]>;

function Fact({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <>
      <dt className="text-text-3">{name}</dt>
      <dd className="[overflow-wrap:anywhere]">{children}</dd>
    </>
  );
}

/** What would come with it, and is no event of a table. */
function notCounted({ ownTopics, byPosition }: Window): string {
  const parts = [
    ownTopics === null
      ? "heartbeats, transactions and schema changes: unknown"
      : `${countOf(ownTopics.records, "record")} of the connector's own topics (heartbeats, transactions, schema changes)`,
    ...(byPosition && byPosition.tombstones > 0 ? [countOf(byPosition.tombstones, "tombstone")] : []),
    ...(byPosition && byPosition.reReads > 0
      ? [`${countOf(byPosition.reReads, "row")} of a running incremental snapshot`]
      : []),
  ];
  return parts.join("; ");
}

function Facts({ window, words }: { window: Window; words: Words }) {
  const { inShort, asked, allowed, seen } = words.exactlyOnce;
  return (
    <dl className="grid gap-x-4 gap-y-1 md:grid-cols-[max-content_1fr]">
      <Fact name="Flush interval">{words.flushInterval}</Fact>
      <Fact name="Exactly-once">{inShort}</Fact>
      <Fact name="asked for">{asked}</Fact>
      <Fact name="allowed by the workers">{allowed}</Fact>
      <Fact name="seen in the topics">{seen}</Fact>
      <Fact name="Not counted">{notCounted(window)}</Fact>
      {window.commits.map((commit) => (
        <Fact key={commit.partition} name="Counted from">
          <span className="font-mono text-[.93em]">{commit.position}</span>
          {commit.committedAt ? (
            <span className="text-text-3">
              , committed <Age at={commit.committedAt} suffix=" ago" />
            </span>
          ) : null}{" "}
          <span className="font-mono text-xs text-text-3">{commit.partition}</span>
        </Fact>
      ))}
    </dl>
  );
}

function Topics({ topics }: { topics: Window["topics"] }) {
  if (topics.length === 0) return null;
  return (
    <ScrollBox label="Window by topic" className="-mx-4 mt-3">
      <table className="data-table">
        <caption className="sr-only">Records after the commit, by topic</caption>
        <thead>
          <tr>
            <th scope="col">Topic</th>
            <th scope="col" className="numeric" title="By time, the lower figure">
              After the commit, by time
            </th>
          </tr>
        </thead>
        <tbody>
          {topics.map(({ topic, records, failure }) => (
            <tr key={topic}>
              <td className="font-mono text-[.93em] [overflow-wrap:anywhere]">
                {topic}
                {failure ? (
                  <span className="mt-0.5 block font-sans text-unknown">
                    ? {failure.sentence} {failure.remedy}
                  </span>
                ) : null}
              </td>
              <td className="numeric">
                {records === null ? <StatusMark outcome="unknown">unknown</StatusMark> : formatCount(records)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  );
}

/** What the figure rests on: the commits it counts from, the flush interval, exactly-once, and each topic. */
export function ReplayWindowFacts({ window, words }: { window: Window; words: Words }) {
  return (
    <Disclosure summary="What it rests on: commits, flush interval, exactly-once, topics">
      <Facts window={window} words={words} />
      <Topics topics={window.topics} />
    </Disclosure>
  );
}
