import type { ConnectorConfig } from "@/lib/debezium/config";
import type { ConnectorType } from "@/lib/debezium/connector-type";
import type { LogReader } from "@/lib/kafka/log/log-reader";
import type { InForce } from "@/lib/measure/replay-window/in-force";
import { countByPosition, type PositionRequest } from "../replay-window/count-by-position";
import type { Where } from "./partition-log";
import { isOfTheMoment } from "./record-facts";
import type { RestartSources } from "./restart-measure";

/** Most bytes that are read to recompute one window. */
const MAX_BYTES = 128 * 1024 * 1024;
/** Where the offset holds no source time: records before the place by time at which the search begins. */
const SEARCHED_BEFORE = 4_096;

/** The records that the runs before a restart left in one partition. */
export interface LeftBehind {
  where: Where;
  /** The first offset that is not theirs. */
  to: number;
}

/** What a recomputation brought. `mayHeal`: a broker did not answer, a later look may do better. */
type Recomputed = { events: number; why: null } | { events: null; why: string; mayHeal: boolean };

/**
 * The window as it was when a run died: from the commit in force then up to the last records it wrote. Or why that cannot be
 * told, one sentence.
 */
export async function recomputeWindow(
  { log, registry }: Pick<RestartSources, "log" | "registry">,
  of: { type: ConnectorType; config: ConnectorConfig; inForce: InForce },
  left: readonly LeftBehind[],
): Promise<Recomputed> {
  const { inForce } = of;
  if (inForce.kind !== "streaming")
    return { events: null, why: inForce.why ?? "What was committed then is not known.", mayHeal: false };
  const partitions = await rangesOf(log, inForce, left);
  if (partitions === null)
    return { events: null, why: "The brokers did not tell where a commit's time lies.", mayHeal: true };
  const wanted = partitions.filter(({ from, to }) => from < to);
  if (wanted.length === 0) return { events: 0, why: null };
  const request = {
    ...of,
    isolation: "read_committed",
    partitions: wanted,
    maxBytes: MAX_BYTES,
    registry,
  } as const;
  const look = await countByPosition(log, request);
  if (look.failure !== undefined)
    return { events: null, why: look.failure.sentence, mayHeal: isOfTheMoment(look.failure) };
  const { events, unread } = look.value.count;
  if (unread > 0)
    return {
      events: null,
      why: `More than ${MAX_BYTES / 1024 / 1024} MiB would have to be read.`,
      mayHeal: false,
    };
  return { events, why: null };
}

/** Where the search for the commit's place begins in each partition; null when a broker does not answer. */
async function rangesOf(
  log: LogReader,
  inForce: InForce,
  left: readonly LeftBehind[],
): Promise<PositionRequest["partitions"] | null> {
  const asked = left.map(({ where, to }) => {
    const { committedAt, sourceAt } = inForce.forTopic(where.topic);
    return { where, to, committedAt, sourceAt };
  });
  const [places, sinces] = await Promise.all([
    firstAt(
      log,
      asked.map((a) => ({ ...a, at: a.committedAt === null ? null : a.committedAt + 1 })),
    ),
    firstAt(
      log,
      asked.map((a) => ({ ...a, at: a.sourceAt })),
    ),
  ]);
  const ranges = asked.map(({ where, to }, i) => {
    const [place, since] = [places[i], sinces[i]];
    if (place === undefined || since === undefined) return null;
    const guess = Math.min(to, place ?? 0);
    const from = Math.min(to, since ?? Math.max(0, guess - SEARCHED_BEFORE));
    return { ...where, from, guess: Math.max(from, guess), to, trusted: since !== null };
  });
  return ranges.includes(null) ? null : ranges.filter((range) => range !== null);
}

/** For each the first offset at or after a time, at most `to`; null where no time is known; undefined: no answer. */
async function firstAt(
  log: LogReader,
  asked: readonly { where: Where; to: number; at: number | null }[],
): Promise<(number | null | undefined)[]> {
  const timed = asked.flatMap(({ where, at }, i) => (at === null ? [] : [{ ...where, timestamp: at, i }]));
  const answers = await log.offsetsForTime(timed);
  const found: (number | null | undefined)[] = asked.map(() => null);
  for (const [n, { i }] of timed.entries()) {
    const answer = answers[n];
    if (answer === null) found[i] = asked[i]?.to ?? null;
    else found[i] = answer && "offset" in answer ? answer.offset : undefined;
  }
  return found;
}
