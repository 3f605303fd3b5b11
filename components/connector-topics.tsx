import type { ConnectorView } from "@/lib/views/connector";
import { formatCount, formatRate } from "@/lib/views/format";
import type { TopicLine } from "@/lib/views/topics-section";
import { Age } from "./age";
import { Card } from "./card";
import { FreshnessNote } from "./freshness-note";
import { Notice } from "./notice";
import { ScrollBox } from "./scroll-box";
import { StatusMark } from "./status-mark";

function Grew({ topic }: { topic: TopicLine }) {
  if (topic.grewAt) return <Age at={topic.grewAt} suffix=" ago" />;
  if (!topic.watchedSince) return <span className="text-text-3">–</span>;
  return (
    <span className="text-text-3" title="Not since Tidemark began to watch it">
      not in <Age at={topic.watchedSince} />
    </span>
  );
}

function Line({ topic }: { topic: TopicLine }) {
  return (
    <tr>
      <td className="min-w-52 font-mono text-[.93em] [overflow-wrap:anywhere]">
        {topic.topic}
        {topic.failure ? (
          <span className="mt-0.5 block font-sans text-unknown">
            ? {topic.failure.sentence} {topic.failure.remedy}
          </span>
        ) : null}
      </td>
      <td className="whitespace-nowrap">
        {topic.role?.replace("-", " ") ?? <span className="text-text-3">–</span>}
      </td>
      <td className="numeric">{topic.partitions ?? <Unknown why={topic.failure?.sentence} />}</td>
      <td className="numeric">
        {topic.end === null ? <Unknown why={topic.failure?.sentence} /> : formatCount(topic.end)}
      </td>
      <td className="numeric">
        {topic.perSecond === null ? (
          <span className="text-text-3" title="A rate needs two looks">
            –
          </span>
        ) : (
          formatRate(topic.perSecond)
        )}
      </td>
      <td className="numeric">
        <Grew topic={topic} />
      </td>
    </tr>
  );
}

function Unknown({ why }: { why: string | undefined }) {
  return (
    <StatusMark outcome="unknown" title={why ?? "Not read"}>
      unknown
    </StatusMark>
  );
}

/** The topics a connector writes, with their ends. */
export function ConnectorTopics({ topics }: { topics: ConnectorView["topics"] }) {
  return (
    <Card
      id="topics"
      title="Topics"
      stale={topics.freshness.stale}
      note={
        <>
          {topics.from === "derived" ? `derived: ${topics.whyDerived ?? "by topic.prefix"} · ` : ""}
          <FreshnessNote freshness={topics.freshness} />
        </>
      }
    >
      {topics.whyNone ? (
        <Notice sentence={topics.whyNone} remedy={topics.freshness.failure?.remedy} />
      ) : (
        <>
          {topics.whyNoEnds ? (
            <Notice sentence={topics.whyNoEnds} remedy={topics.freshness.failure?.remedy} />
          ) : null}
          <ScrollBox label="Table of topics">
            <table className="data-table mt-1">
              <caption className="sr-only">Topics, those of tables first</caption>
              <thead>
                <tr>
                  <th scope="col">Topic</th>
                  <th scope="col">For</th>
                  <th scope="col" className="numeric">
                    Partitions
                  </th>
                  <th scope="col" className="numeric" title="Sum over the partitions">
                    End offset
                  </th>
                  <th scope="col" className="numeric">
                    Rate
                  </th>
                  <th scope="col" className="numeric">
                    Last grew
                  </th>
                </tr>
              </thead>
              <tbody>
                {topics.topics.map((topic) => (
                  <Line key={topic.topic} topic={topic} />
                ))}
              </tbody>
            </table>
          </ScrollBox>
        </>
      )}
    </Card>
  );
}
