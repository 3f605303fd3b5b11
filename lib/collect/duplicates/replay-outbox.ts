import { type FoundReplay, type Replay, replayId } from "@/lib/observed/duplicates";

/** Causes of replays are told anew for so long after they were found, milliseconds: what explains them may be seen later. */
const TOLD_ANEW_MS = 180_000;
/** Replays that are told anew at most: the newest. */
const MOST_TOLD_ANEW = 2_000;

/** Where replays were looked for. `to` is not among the offsets. */
export interface Place {
  connector: string;
  topic: string;
  partition: number;
  from: number;
  to: number;
}

interface Recent {
  connector: string;
  found: FoundReplay;
  since: number;
  /** As it was last stored; null: not yet. */
  stored: string | null;
}

/** Replays on their way to the store, and those stored not long ago whose cause may be known better by now. */
export class ReplayOutbox {
  #replaced: Place[] = [];
  #waiting = new Map<string, { connector: string; found: FoundReplay }>();
  readonly #recent = new Map<string, Recent>();

  /**
   * Takes what was found in a place: it stands for all that was found there before.
   * @param now milliseconds since 1970
   */
  take(place: Place, replays: readonly FoundReplay[], now: number): void {
    this.#replaced.push(place);
    const isThere = ({ connector, found }: { connector: string; found: FoundReplay }) =>
      connector === place.connector &&
      found.topic === place.topic &&
      found.partition === place.partition &&
      found.firstOffset >= place.from &&
      found.firstOffset < place.to;
    for (const known of [this.#waiting, this.#recent])
      for (const [id, one] of known) if (isThere(one)) known.delete(id);
    for (const found of replays) {
      const id = replayId(found);
      this.#waiting.set(id, { connector: place.connector, found });
      this.#recent.set(id, { connector: place.connector, found, since: now, stored: null });
    }
    for (const id of this.#recent.keys()) {
      if (this.#recent.size <= MOST_TOLD_ANEW) break;
      this.#recent.delete(id);
    }
  }

  /** By connector, those to be told now: what waits, and what is recent. */
  toTell(now: number): Map<string, FoundReplay[]> {
    for (const [id, { since }] of this.#recent) if (now - since > TOLD_ANEW_MS) this.#recent.delete(id);
    const all = new Map<string, { connector: string; found: FoundReplay }>([
      ...this.#recent,
      ...this.#waiting,
    ]);
    const byConnector = new Map<string, FoundReplay[]>();
    for (const { connector, found } of all.values())
      byConnector.set(connector, [...(byConnector.get(connector) ?? []), found]);
    return byConnector;
  }

  /** Of those told, the ones to store: what waits, and what is told otherwise than it is stored. */
  toStore(told: readonly Replay[]): { replays: Replay[]; replaced: Place[] } {
    const replays = told.filter(
      (replay) =>
        this.#waiting.has(replay.id) || this.#recent.get(replay.id)?.stored !== JSON.stringify(replay),
    );
    return { replays, replaced: this.#replaced };
  }

  /** Notes that they were stored: nothing was taken in between. */
  wereStored(replays: readonly Replay[]): void {
    this.#replaced = [];
    this.#waiting = new Map();
    for (const replay of replays) {
      const recent = this.#recent.get(replay.id);
      if (recent) recent.stored = JSON.stringify(replay);
    }
  }

  /** Forgets what was found in a topic that is another one by now. */
  forget(topic: string): void {
    this.#replaced = this.#replaced.filter((place) => place.topic !== topic);
    for (const known of [this.#waiting, this.#recent])
      for (const [id, { found }] of known) if (found.topic === topic) known.delete(id);
  }
}
