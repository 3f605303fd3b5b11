import { countOf } from "@/lib/views/format";
import type { Watch } from "@/lib/views/watch";
import { Age } from "./age";

/** `2 clusters · polled 4 s ago` */
export function Polled({ watch }: { watch: Watch }) {
  return (
    <span className="text-xs whitespace-nowrap text-text-3">
      {countOf(watch.clusters.length, "cluster")} ·{" "}
      {watch.polledAt ? (
        <>
          polled <Age at={watch.polledAt} suffix=" ago" />
        </>
      ) : (
        "not polled yet"
      )}
    </span>
  );
}
