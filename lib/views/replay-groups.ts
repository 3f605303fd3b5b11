import type { FoundReplay, Replay } from "@/lib/observed/duplicates";
import type { ReplayLine } from "./duplicates-schema";
import { boundOfSum } from "./duplicates-words";

/** What came again at one time for one cause: one restart shows in many partitions. */
export interface ReplayGroup {
  /** Id of its first replay. */
  id: string;
  at: string;
  until: string;
  cause: Replay["cause"];
  causeName: string;
  causeWhy: string;
  count: number;
  bound: FoundReplay["bound"];
  restartWindow: ReplayLine["restartWindow"];
  /** Largest first. */
  replays: ReplayLine[];
}

function keyOf({ restart, runAfter, cause, id }: ReplayLine): string {
  if (restart !== null) return JSON.stringify(["restart", restart, cause]);
  return runAfter === null ? JSON.stringify(["one", id]) : JSON.stringify(["run", runAfter, cause]);
}

function groupOf(replays: readonly ReplayLine[]): ReplayGroup | null {
  const largest = [...replays].sort((a, b) => b.count - a.count || (a.id < b.id ? -1 : 1));
  const [first] = largest;
  if (!first) return null;
  const { id, cause, causeName, causeWhy } = first;
  return {
    id,
    cause,
    causeName,
    causeWhy,
    at: replays.map((r) => r.at).sort()[0] ?? first.at,
    until:
      replays
        .map((r) => r.until)
        .sort()
        .at(-1) ?? first.until,
    count: replays.reduce((sum, r) => sum + r.count, 0),
    bound: boundOfSum(replays),
    restartWindow: replays.find((r) => r.restartWindow !== null)?.restartWindow ?? null,
    replays: largest,
  };
}

/** Replays by what happened, newest first. */
export function replayGroups(lines: readonly ReplayLine[]): ReplayGroup[] {
  const groups = new Map<string, ReplayLine[]>();
  for (const line of lines) {
    const key = keyOf(line);
    const group = groups.get(key);
    if (group) group.push(line);
    else groups.set(key, [line]);
  }
  return [...groups.values()]
    .flatMap((replays) => groupOf(replays) ?? [])
    .sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0));
}
