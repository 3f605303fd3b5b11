import type { ConnectorView } from "@/lib/views/connector";
import { countOf } from "@/lib/views/format";
import type { PositionSection } from "@/lib/views/position-section";
import { Card } from "./card";
import { CommitNote } from "./commit-age";
import { DecodedPartitionView } from "./decoded-partition";
import { Disclosure } from "./disclosure";
import { FreshnessNote } from "./freshness-note";
import { Notice } from "./notice";
import { RecentCommits } from "./recent-commits";

function Partition({
  partition,
  recentCommits,
}: {
  partition: PositionSection["partitions"][number];
  recentCommits: PositionSection["recentCommits"];
}) {
  const { asOf } = recentCommits.freshness;
  return (
    <DecodedPartitionView partition={partition} wide>
      {partition.commits && asOf ? (
        <RecentCommits partition={partition.partition} commits={partition.commits} until={asOf} />
      ) : null}
    </DecodedPartitionView>
  );
}

/** Source partitions of which only commits are left, such as after their offset was deleted. */
function Others({
  recentCommits: { others, freshness },
}: {
  recentCommits: PositionSection["recentCommits"];
}) {
  const { asOf } = freshness;
  if (others.length === 0 || !asOf) return null;
  const list = others.map(({ partition, commits }) => (
    <div key={partition} className="border-t border-line px-4 py-3">
      <p className="mb-1.5 font-mono text-xs text-text-3 [overflow-wrap:anywhere]">{partition}</p>
      <RecentCommits partition={partition} commits={commits} until={asOf} />
    </div>
  ));
  if (others.length === 1) return list;
  return (
    <Disclosure summary={`Without a stored offset: ${countOf(others.length, "source partition")}`}>
      <div className="-mx-4 -my-2">{list}</div>
    </Disclosure>
  );
}

/** Where the connector is: each source partition decoded with its recent commits, left-over ones apart. */
export function ConnectorPosition({ view: { position, head } }: { view: ConnectorView }) {
  const { recentCommits } = position;
  const used = position.partitions.filter((p) => p.used);
  const leftOver = position.partitions.filter((p) => !p.used);
  return (
    <Card
      id="position"
      title="Position"
      stale={position.freshness.stale}
      note={
        <>
          <CommitNote commit={position.commit} />
          {position.commit ? " · " : ""}
          <FreshnessNote freshness={position.freshness} told={head.freshness} />
        </>
      }
    >
      {position.whyNone ? (
        <Notice
          outcome={position.noneIsFact ? "info" : "unknown"}
          sentence={position.whyNone}
          remedy={position.remedy}
        />
      ) : null}
      <div className="mt-1">
        {used.map((partition) => (
          <Partition key={partition.partition} partition={partition} recentCommits={recentCommits} />
        ))}
      </div>
      {!position.whyNone && used.length === 0 ? (
        <Notice
          outcome="warning"
          sentence="No stored source partition fits the configuration: a start would be as new."
        />
      ) : null}
      <Others recentCommits={recentCommits} />
      {recentCommits.whyNone ? (
        <div className="border-t border-line">
          <Notice
            sentence={<>Recent commits are not known. {recentCommits.whyNone}</>}
            remedy={recentCommits.remedy}
          />
        </div>
      ) : null}
      {!recentCommits.whyNone && recentCommits.freshness.stale ? (
        <p className="border-t border-line px-4 py-2 text-xs">
          Recent commits: <FreshnessNote freshness={recentCommits.freshness} />
        </p>
      ) : null}
      {leftOver.length > 0 ? (
        <Disclosure
          summary={`Left over: ${countOf(leftOver.length, "source partition")} that a start would not read`}
        >
          <div className="-mx-4 -my-2">
            {leftOver.map((partition) => (
              <Partition key={partition.partition} partition={partition} recentCommits={recentCommits} />
            ))}
          </div>
        </Disclosure>
      ) : null}
    </Card>
  );
}
