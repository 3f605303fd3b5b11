import type { DuplicatesTopic } from "@/lib/views/duplicates-schema";
import { countOf, formatCount } from "@/lib/views/format";
import { formatShare } from "@/lib/views/format-share";
import { CodeText } from "./code-text";
import { Moment } from "./moment";
import { ScrollBox } from "./scroll-box";
import { StatusMark, StatusShape } from "./status-mark";
import { TopicName } from "./topic-name";

function Rate({ topic }: { topic: DuplicatesTopic }) {
  if (topic.rate === null && !/\d/.test(topic.rateWords))
    return <StatusMark outcome="unknown">{topic.rateWords}</StatusMark>;
  const [low, high] = topic.interval ?? [null, null];
  return (
    <>
      <span className={`max-md:whitespace-normal ${topic.duplicates > 0 ? "font-semibold" : ""}`}>
        {topic.rateWords}
      </span>
      {low !== null && high !== null ? (
        <div className="text-xs text-text-3">
          {formatShare(low)} to {formatShare(high)}
        </div>
      ) : null}
    </>
  );
}

/** What is counted apart from duplicates: by design none, or not for every reader. */
function apart(topic: DuplicatesTopic): string[] {
  const { reReads, snapshotOverlap, uncommittedWords } = topic;
  return [
    ...(uncommittedWords ? [uncommittedWords] : []),
    ...(reReads ? [`${countOf(reReads, "row")} read again by snapshots`] : []),
    ...(snapshotOverlap ? [`${countOf(snapshotOverlap, "row")} in a snapshot and as a change`] : []),
  ];
}

function hasNotes(topic: DuplicatesTopic): boolean {
  const { notMeasurable, falls, keyOrderViolations } = topic;
  return apart(topic).length + notMeasurable.length + falls.length + (keyOrderViolations ?? 0) > 0;
}

function Notes({ topic }: { topic: DuplicatesTopic }) {
  const { notMeasurable, falls, keyOrderViolations } = topic;
  const also = apart(topic);
  return (
    <ul className="mt-1 grid max-w-[86ch] gap-1 text-xs text-text-2 [overflow-wrap:anywhere]">
      {keyOrderViolations ? (
        <li>
          <StatusShape outcome="warning" /> {countOf(keyOrderViolations, "change")} of a key stand after a
          newer one, outside replays.
        </li>
      ) : null}
      {notMeasurable.map(({ slug, reason, count, remedy }) => (
        <li key={`${slug} ${reason}`} className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-1.5">
          <StatusShape outcome="unknown" />
          <span>
            {count === null || reason.includes(formatCount(count)) ? "" : `${countOf(count, "record")}: `}
            <CodeText text={reason} /> {remedy ? <span className="text-text">{remedy}</span> : null}
          </span>
        </li>
      ))}
      {also.length > 0 ? (
        <li>
          <StatusShape outcome="info" /> Not counted: {also.join("; ")}.
        </li>
      ) : null}
      {falls.map(({ partition, offset, at, name, sentence }) => (
        <li key={`${partition} ${offset}`}>
          <StatusShape outcome="info" /> No replay: {name}, partition {partition} at offset{" "}
          {formatCount(offset)}, <Moment at={at} />. {sentence}
        </li>
      ))}
    </ul>
  );
}

function Row({ topic }: { topic: DuplicatesTopic }) {
  const told = hasNotes(topic);
  const cell = `align-top! ${told ? "border-b-0! pb-0!" : ""}`;
  return (
    <>
      <tr>
        <td className={`${cell} max-md:w-full max-md:min-w-32`}>
          <TopicName name={topic.topic} />
        </td>
        <td className={`${cell} numeric`}>
          <Rate topic={topic} />
        </td>
        <td className={`${cell} numeric`}>
          {topic.state === "waiting" || topic.state === "not-measurable" ? (
            <span className="text-text-3">–</span>
          ) : (
            <>
              {formatCount(topic.duplicates)}
              {topic.base === null ? null : (
                <div className="text-xs text-text-3 max-md:whitespace-normal">
                  of <span className="whitespace-nowrap">{formatCount(topic.base)}</span> {topic.baseUnit}
                </div>
              )}
            </>
          )}
        </td>
        <td className={`${cell} max-md:hidden`}>
          <span title={topic.howSentences.join(" ")}>{topic.how}</span>
          {topic.checked ? <div className="text-xs text-text-2">{topic.checked}</div> : null}
          <div className="text-xs text-text-3">
            {topic.behind > 0 ? (
              <>{countOf(topic.behind, "offset")} to go</>
            ) : topic.from ? (
              <>
                since <Moment at={topic.from} />
              </>
            ) : null}
          </div>
        </td>
      </tr>
      {told ? (
        <tr>
          <td colSpan={4} className="pt-0!">
            <Notes topic={topic} />
          </td>
        </tr>
      ) : null}
    </>
  );
}

/** Each topic: its rate with the base, how it was got, and what could not be told. */
export function DuplicatesTopics({ topics }: { topics: readonly DuplicatesTopic[] }) {
  if (topics.length === 0) return null;
  const said = new Map(topics.flatMap((t) => t.howSentences.map((sentence) => [sentence, t.how])));
  return (
    <>
      <ScrollBox label="Duplicates by topic" className="border-t border-line">
        <table className="data-table">
          <caption className="sr-only">Duplicates by topic</caption>
          <thead>
            <tr>
              <th scope="col">Topic</th>
              <th scope="col" className="numeric">
                Rate
              </th>
              <th scope="col" className="numeric max-md:whitespace-normal!">
                Delivered twice
              </th>
              <th scope="col" className="max-md:hidden">
                How it was measured
              </th>
            </tr>
          </thead>
          <tbody>
            {topics.map((topic) => (
              <Row key={topic.topic} topic={topic} />
            ))}
          </tbody>
        </table>
      </ScrollBox>
      {said.size > 0 ? (
        <ul className="border-t border-line px-4 py-2 text-xs text-text-3">
          {[...said].map(([sentence, how]) => (
            <li key={sentence}>
              <span className="font-semibold">{how}:</span> {sentence}
            </li>
          ))}
        </ul>
      ) : null}
    </>
  );
}
