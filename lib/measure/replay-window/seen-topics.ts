import type { TopicLookFacts } from "./topic-look";

/** What earlier looks tell of a topic. Times in milliseconds since 1970, each of a look. */
export interface SeenTopic {
  /** By partition: since when its end has been what it is. */
  quietSince: ReadonlyMap<number, number>;
  /** When it was found deleted, or made again, and since when it had not grown by then; null: never. */
  lost: { at: number; quietSince: number | null } | null;
}

interface State {
  there: boolean;
  id: string | null;
  ends: Map<number, { end: number; since: number }>;
  lost: SeenTopic["lost"];
  /** Where the last collector left it: the sum of its ends, and when it saw that. */
  stored: { end: number; at: number } | null;
}

/** Remembers when topics last grew, and when they were lost: what was not produced since a commit is not missing from a count. */
export class SeenTopics {
  readonly #states = new Map<string, State>();

  /** @param stored the topics as the last window had them, and its time; null: none is stored */
  constructor(
    stored: {
      at: number;
      topics: readonly { topic: string; end: number | null; failure: { kind: string } | null }[];
    } | null,
  ) {
    for (const { topic, end, failure } of stored?.topics ?? []) {
      const at = stored?.at ?? 0;
      const state = newState();
      if (end !== null) this.#states.set(topic, { ...state, stored: { end, at } });
      else if (failure?.kind === "not-found")
        this.#states.set(topic, { ...state, there: false, lost: { at, quietSince: null } });
    }
  }

  /** Learns from one look at a topic that began before `now`. One that failed for a reason of its own teaches nothing. */
  add(topic: string, look: TopicLookFacts, now: number): SeenTopic {
    const state = this.#states.get(topic) ?? newState();
    this.#states.set(topic, state);
    if ("failure" in look) {
      if (look.failure.kind === "not-found" && state.there) lose(state, now);
    } else {
      const id = look.partitions[0]?.topicId ?? null;
      if (state.there && id !== null && state.id !== null && id !== state.id) lose(state, now);
      learn(state, look.partitions, now);
      state.there = true;
      state.id = id;
    }
    return {
      quietSince: new Map([...state.ends].map(([partition, { since }]) => [partition, since])),
      lost: state.lost,
    };
  }
}

const newState = (): State => ({ there: true, id: null, ends: new Map(), lost: null, stored: null });

function lose(state: State, now: number): void {
  const since = [...state.ends.values()].map((e) => e.since);
  state.lost = { at: now, quietSince: since.length === 0 ? null : Math.max(...since) };
  state.ends.clear();
  state.stored = null;
  state.there = false;
}

function learn(state: State, partitions: readonly { partition: number; end: number }[], now: number): void {
  const sum = partitions.reduce((all, p) => all + p.end, 0);
  const first = state.stored?.end === sum ? state.stored.at : now;
  for (const { partition, end } of partitions) {
    const last = state.ends.get(partition);
    if (last?.end !== end) state.ends.set(partition, { end, since: last ? now : first });
  }
  state.stored = null;
}
