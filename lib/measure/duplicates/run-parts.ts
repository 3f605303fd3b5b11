import type { ConnectorType } from "@/lib/debezium/connector-type";
import type { DeliveredRecord } from "@/lib/debezium/events/delivered-record";
import type { WriterState } from "./carried";
import { Marks, type Reached } from "./marks";
import { fromState, toState } from "./position-state";

/** A run's part of a partition, as one writer's records show it. */
export interface RunPart {
  runId: string | null;
  taskId: string | null;
  /** Offset of its first record, and its timestamp in milliseconds since 1970. */
  first: number;
  at: number;
  /** Where the next part begins, or as far as was looked. */
  end: number;
  /** By lane its last change before `endsAt`; both undefined: not looked for yet. */
  ends?: Map<string, Reached>;
  endsAt?: number;
  /** Its run may have begun before `first`: what lies before was not looked at. */
  cut?: boolean;
}

export function partFrom(record: DeliveredRecord, end: number): RunPart {
  const { runId, taskId, offset, timestamp } = record;
  return { runId, taskId, first: offset, at: timestamp, end };
}

/** How many parts are kept for a later look: each could have died in the middle of a replay. */
const MOST_KEPT = 12;

/**
 * The parts as JSON; the oldest one's marks take in those of the parts that are let go.
 * @param again offset of the start that is measured again: what lies behind is not put together with what lies before
 */
export function keptParts(all: readonly RunPart[], again: number | null): WriterState["runs"] {
  const isAgain = ({ first }: RunPart) => again !== null && first >= again;
  const parts = [...byRun(all.filter((part) => !isAgain(part))), ...byRun(all.filter(isAgain))];
  const kept = parts
    .slice(-MOST_KEPT)
    .map(({ ends, endsAt: _, ...part }) => ({ ...part, ends: new Map(ends) }));
  const [oldest] = kept;
  for (const { ends } of parts.slice(0, -MOST_KEPT))
    for (const [lane, end] of ends ?? []) {
      const known = oldest?.ends.get(lane);
      const [best] = new Marks(known ? [known] : []).with(end).reached;
      if (best) oldest?.ends.set(lane, best);
    }
  return kept.map(({ ends, ...part }) => ({
    ...part,
    lanes: [...ends].map(([lane, { type, position, offset }]) => ({
      lane,
      type: type as ConnectorType,
      position: toState(position),
      offset,
    })),
  }));
}

/** The turns of one run as one part: those of others lie within. */
function byRun(parts: readonly RunPart[]): RunPart[] {
  const joined = new Map<string | symbol, RunPart>();
  for (const part of parts) {
    const name = part.runId ?? Symbol("without a run id");
    const known = joined.get(name);
    if (!known) {
      joined.set(name, { ...part, ends: new Map(part.ends) });
      continue;
    }
    known.end = Math.max(known.end, part.end);
    for (const [lane, end] of part.ends ?? [])
      if (end.offset >= (known.ends?.get(lane)?.offset ?? 0)) known.ends?.set(lane, end);
  }
  return [...joined.values()];
}

export function restoredParts(runs: WriterState["runs"]): RunPart[] {
  return runs.map(({ lanes, ...part }) => ({
    ...part,
    endsAt: part.end,
    ends: new Map(
      lanes.map(({ lane, type, position, offset }) => [
        lane,
        { type, position: fromState(position), offset },
      ]),
    ),
  }));
}
