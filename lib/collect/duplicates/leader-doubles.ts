import type { LogReader } from "@/lib/kafka/log/log-reader";
import type { FoundReplay } from "@/lib/observed/duplicates";
import { leaderChanges } from "./leader-changes";
import type { PartitionRequest } from "./measure-partition";
import { readWhole } from "./read-whole";

/** Records on either side of a leader's first batch that are read whole, and bytes of both together. */
const BESIDE = 2_000;
const BESIDE_BYTES = 4 * 1024 * 1024;

/** What was doubled beside changes of the partition's leader. */
export interface LeaderDoubles {
  replays: FoundReplay[];
  /** Leader changes beside which nothing was read: the bytes did not do. */
  left: number;
  bytes: number;
  reads: number;
}

/**
 * A broker that dies can have taken a batch and not have said so: the producer sends it again to the next leader. Within one
 * run no position falls by that for long, so what lies beside each change of the leader is read whole.
 * @param found replays that are explained by starts of runs
 * @throws LogReadError, RecordsGone
 */
export async function leaderDoubles(
  log: LogReader,
  request: PartitionRequest,
  from: number,
  to: number,
  found: readonly FoundReplay[],
): Promise<LeaderDoubles> {
  const { topic, partition, topicId, type, config, registry, signal, maxBytes } = request;
  const where = { topic, partition, topicId };
  // The leader may have changed right where the look before ended.
  const changes = await leaderChanges(log, where, Math.max(0, from - 1), to, signal);
  const doubles: LeaderDoubles = { replays: [], left: 0, bytes: 0, reads: 0 };
  for (const { offset } of changes.reverse()) {
    if (doubles.bytes + BESIDE_BYTES > maxBytes / 4) {
      doubles.left += 1;
      continue;
    }
    const whole = await readWhole(log, {
      ...where,
      from: Math.max(0, offset - BESIDE),
      to: Math.min(to, offset + BESIDE),
      countFrom: Math.max(from, offset - BESIDE),
      ...{ type, config, registry },
      maxBytes: BESIDE_BYTES,
      ...(signal ? { signal } : {}),
    });
    doubles.bytes += whole.bytesRead;
    doubles.reads += whole.reads;
    const known = [...found, ...doubles.replays];
    for (const replay of whole.replays)
      if (isDoubled(replay) && !known.some((other) => overlap(other, replay)))
        doubles.replays.push({ ...replay, evidence: "leader-epoch" });
  }
  return doubles;
}

/** Of one run, or of runs that bear no id. */
function isDoubled({ runBefore, runAfter, causeInLog }: FoundReplay): boolean {
  return causeInLog === "producer-retry" || (runBefore === null && runAfter === null);
}

function overlap(a: FoundReplay, b: FoundReplay): boolean {
  return a.firstOffset <= b.lastOffset && b.firstOffset <= a.lastOffset;
}
