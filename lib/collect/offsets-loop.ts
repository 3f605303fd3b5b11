import { type Failure, observe } from "@/lib/observed/observation";
import type { Database } from "@/lib/store/database";
import { type ClusterWatch, changeConnectors, takeParts } from "./cluster-watch";
import { inTurn } from "./in-turn";
import { sharedFailure } from "./shared-failure";

/** With exactly-once on, each answer costs the worker a read of its whole offset topic: few at a time. */
const AT_ONCE = 2;

/** Reads the stored offsets of every change connector of one cluster. */
export async function lookAtOffsets(watch: ClusterWatch, db: Database): Promise<Failure | null> {
  const away = watch.cluster.connect?.failure ?? null;
  const failures = await inTurn(changeConnectors(watch), AT_ONCE, async ({ connector, offsets }) => {
    const look = away ? { failure: away } : await watch.probe.readOffsets(connector);
    await takeParts(watch, connector, { offsets: observe(offsets, look, new Date()) }, db);
    return look.failure ?? null;
  });
  return away ?? sharedFailure(failures);
}
