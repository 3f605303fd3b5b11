import { asSentence } from "@/lib/views/format";
import type { Freshness } from "@/lib/views/freshness";
import { Age } from "./age";

/** `as of 4 s ago`, and why it is not newer when it should be; a reason that `told` has given above is not repeated. */
export function FreshnessNote({ freshness, told }: { freshness: Freshness; told?: Freshness }) {
  if (!freshness.asOf) return null;
  if (!freshness.stale)
    return (
      <>
        as of <Age at={freshness.asOf} suffix=" ago" />
      </>
    );
  if (freshness.failure && freshness.failure.sentence === told?.failure?.sentence) {
    return (
      <span className="font-medium text-unknown">
        stale: as of <Age at={freshness.asOf} suffix=" ago" />
      </span>
    );
  }
  return (
    <span className="font-medium text-unknown">
      stale: as of <Age at={freshness.asOf} suffix=" ago" />
      {freshness.failure ? <>. {asSentence(freshness.failure.sentence)}</> : ". No newer look was made."}
      {freshness.failure?.remedy ? <> {freshness.failure.remedy}</> : null}
    </span>
  );
}
