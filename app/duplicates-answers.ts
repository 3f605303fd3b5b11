import { readClusters } from "@/lib/store/clusters";
import { readConnector } from "@/lib/store/connectors";
import { readReplay, readReplays } from "@/lib/store/replays";
import { readRestarts } from "@/lib/store/restarts";
import type { DuplicatesRequest } from "@/lib/views/duplicates-request";
import type { DuplicatesView } from "@/lib/views/duplicates-schema";
import { duplicatesView } from "@/lib/views/duplicates-view";
import type { AnswerError } from "@/lib/views/error-answer";
import type { Answer } from "./answer";
import { answer, unknownConnector } from "./answers";

/** Replays that one answer holds at most: a page can show no more, a file can. */
const listed = { json: 2_000, csv: 9_999 } as const;

/** A restart is noticed before the first record that came again by it, hours before at the most. */
const restartEarlierMs = 6 * 3_600_000;

function unknownReplay(id: string): AnswerError {
  return {
    kind: "not-found",
    sentence: `No replay “${id}” of this connector is known.`,
    remedy: "Replays are kept for 90 days, and those of a topic that was deleted go with it.",
  };
}

/** The replays of a connector in a time, or the one that is asked for. */
export function duplicatesAnswer(
  cluster: string,
  name: string,
  { from, to, replay: id, format }: DuplicatesRequest,
): Promise<Answer<DuplicatesView>> {
  if (/\0/.test(cluster + name))
    return Promise.resolve({ ok: false, error: unknownConnector(cluster, name) });
  return answer(async (db) => {
    const of = { cluster, connector: name };
    const limit = listed[format];
    const [connector, clusters, found] = await Promise.all([
      readConnector(db, cluster, name),
      readClusters(db),
      id === null
        ? readReplays(db, of, { from, to }, limit + 1)
        : readReplay(db, cluster, id).then((r) => (r?.connector === name ? [r] : [])),
    ]);
    if (!connector) return unknownConnector(cluster, name);
    if (id !== null && found.length === 0) return unknownReplay(id);
    const times = found.map((r) => Date.parse(r.at));
    const begin = times.reduce((least, at) => Math.min(least, at), to.getTime());
    const end = times.reduce((most, at) => Math.max(most, at), begin);
    const restarts = found.some((r) => r.restart !== null)
      ? await readRestarts(db, of, { from: new Date(begin - restartEarlierMs), to: new Date(end + 1) })
      : [];
    const replays = found.slice(0, limit);
    return duplicatesView({ connector, clusters, from, to, replays, more: found.length > limit, restarts });
  });
}
