import { type Failure, observe } from "@/lib/observed/observation";
import type { Database } from "@/lib/store/database";
import { type ClusterWatch, changeConnectors, takeParts } from "./cluster-watch";
import { inTurn } from "./in-turn";
import { sameOffsets } from "./same-offsets";
import { sharedFailure } from "./shared-failure";

/** With exactly-once on, each answer costs the worker a read of its whole offset topic: few at a time. */
const AT_ONCE = 2;

/** Reads the stored offsets of those change connectors of one cluster whose offset topic is not followed. */
export async function lookAtOffsets(watch: ClusterWatch, db: Database): Promise<Failure | null> {
  const away = watch.cluster.connect?.failure ?? null;
  const unfollowed = changeConnectors(watch).filter((c) => !watch.followed.has(c.connector));
  if (unfollowed.length === 0) return null;
  const failures = await inTurn(unfollowed, AT_ONCE, async ({ connector }) => {
    const look = away ? { failure: away } : await watch.probe.readOffsets(connector);
    // Followed since: what the topic says is newer.
    if (watch.followed.has(connector)) return null;
    const before = watch.connectors.get(connector)?.offsets ?? null;
    await takeParts(watch, connector, { offsets: observe(before, look, new Date(), sameOffsets) }, db);
    return look.failure ?? null;
  });
  return away ?? sharedFailure(failures);
}
