import type { Counted } from "@/lib/measure/replay-window/headline";
import type { InForce } from "@/lib/measure/replay-window/in-force";
import { ProducedCounter } from "@/lib/measure/replay-window/produced";
import { RecentWorst } from "@/lib/measure/replay-window/recent-worst";
import { SeenTopics } from "@/lib/measure/replay-window/seen-topics";
import type { CommitHistory } from "@/lib/observed/commits";
import type { ByPosition, FlushInterval, ReplayWindow } from "@/lib/observed/replay-window";
import type { WindowPoint } from "@/lib/observed/window-series";
import { LogStarts } from "./log-starts";

/** What a state of a connector is told by: its commits and the ends of its table topics. */
export interface CountedState {
  commits: string;
  topicIds: string;
  /** Summed over all partitions of its table topics. */
  end: number;
}

/** What is kept of one connector from one poll to the next. Bounded by its topics and by a few minutes of points. */
export interface WindowMemory {
  produced: ProducedCounter;
  seen: SeenTopics;
  logStarts: LogStarts;
  recentWorst: RecentWorst;
  /** When the ends of its table topics were last seen to grow, milliseconds since 1970, and what they were. */
  grewAt: number | null;
  end: number | null;
  /** The newest count by position, of which poll and state; and by `topic/partition` the end it reaches to. */
  counted: {
    poll: number;
    state: CountedState;
    ends: ReadonlyMap<string, number>;
    count: ByPosition;
    /** Log starts asked for since, or just before, showed that no record that counts had been deleted by then. */
    whole: boolean;
  } | null;
  /** The state that was last tried to be counted, and in which poll: a fault there is not run into at each poll. */
  tried: { poll: number; state: CountedState } | null;
  /** Why there is no count, or none that is newer. */
  whyNoPosition: string | null;
  /** The poll since which it has been waiting for a count; null: it is not. */
  waitingSince: number | null;
  /** Of the newest batches read: null, none was. */
  transactional: boolean | null;
  runIds: ReadonlyMap<string, string | null>;
  /** Of the task that wrote last, as far as was read. */
  runId: string | null;
  bytesPerRecord: number | null;
  /** When a newest batch was last asked for: in which poll, at which ends. */
  newestBatch: { poll: number; end: number } | null;
  /** The window as the last poll told it. */
  shown: ReplayWindow | null;
  /** Polls and the points between them: of the minute that is not rolled up yet, and as long before it as the dial looks back. */
  points: WindowPoint[];
  /** Start of the first minute that is not rolled up; null: none was begun. */
  minute: number | null;
  /** Start of the first hour that is not rolled up. */
  hour: number | null;
  /** Made of a history that is still the same: kept with it. */
  inForce: { history: CommitHistory | null; offsets: string; commits: string; value: InForce } | null;
  flush: { history: CommitHistory | null; exactlyOnce: boolean; at: number; value: FlushInterval } | null;
}

/** A memory of nothing, but of where the series stood when the collector last ran. */
export function newMemory(produced: number | null, stored: ReplayWindow | null): WindowMemory {
  return {
    produced: new ProducedCounter(produced === null ? null : { produced, ends: stored?.topics ?? [] }),
    seen: new SeenTopics(stored && { at: Date.parse(stored.at), topics: stored.topics }),
    logStarts: new LogStarts(),
    recentWorst: recentFrom(stored),
    grewAt: stored?.grewAt ? Date.parse(stored.grewAt) : null,
    end: null,
    counted: null,
    tried: null,
    whyNoPosition: null,
    waitingSince: null,
    transactional: stored?.exactlyOnce.seen ?? null,
    runIds: new Map(),
    runId: null,
    bytesPerRecord: null,
    newestBatch: null,
    shown: stored,
    points: [],
    minute: null,
    hour: null,
    inForce: null,
    flush: null,
  };
}

function recentFrom(stored: ReplayWindow | null): RecentWorst {
  const recent = new RecentWorst();
  if (stored?.recentWorst) recent.add(Date.parse(stored.recentWorst.at), stored.recentWorst.events);
  return recent;
}

export function sameState(a: CountedState, b: CountedState): boolean {
  return a.commits === b.commits && a.topicIds === b.topicIds && a.end === b.end;
}

/** How the newest count stands to a state: still of it, or of one with the same commits a poll ago. Null: there is none. */
export function countedAt(memory: WindowMemory, state: CountedState, poll: number): Counted | null {
  const { counted } = memory;
  if (!counted) return null;
  const { count } = counted;
  const same = counted.state.commits === state.commits && counted.state.topicIds === state.topicIds;
  const grown = state.end - counted.state.end;
  if (same && grown === 0) return { count, unchanged: true, since: null };
  const recent = same && grown > 0 && counted.poll === poll - 1;
  return { count, unchanged: false, since: recent ? grown : null };
}
