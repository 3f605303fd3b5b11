import type { ConnectorView } from "@/lib/views/connector";
import { countOf } from "@/lib/views/format";
import { Card } from "./card";
import { CommitNote } from "./commit-age";
import { DecodedPartitionView } from "./decoded-partition";
import { Disclosure } from "./disclosure";
import { FreshnessNote } from "./freshness-note";
import { Notice } from "./notice";

/** Where the connector is: each source partition decoded, left-over ones apart. */
export function ConnectorPosition({ view: { position, head } }: { view: ConnectorView }) {
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
          <DecodedPartitionView key={partition.partition} partition={partition} wide />
        ))}
      </div>
      {!position.whyNone && used.length === 0 ? (
        <Notice
          outcome="warning"
          sentence="No stored source partition fits the configuration: a start would be as new."
        />
      ) : null}
      {leftOver.length > 0 ? (
        <Disclosure
          summary={`Left over: ${countOf(leftOver.length, "source partition")} that a start would not read`}
        >
          <div className="-mx-4 -my-2">
            {leftOver.map((partition) => (
              <DecodedPartitionView key={partition.partition} partition={partition} wide />
            ))}
          </div>
        </Disclosure>
      ) : null}
    </Card>
  );
}
