import type { Isolation } from "@/lib/kafka/log/log-reader";
import type { FleetQuestion, TopicQuestion } from "./fleet-look";

/** Times that one topic is asked for at most. A connector asks for two: more are asked only of topics that several share. */
const MOST_TIMES = 8;

/** All that connectors want to know of one topic. */
export class TopicWishes {
  readonly isolations = new Set<Isolation>();
  needsEarliest = false;
  /** The oldest time of a commit; null: none. */
  oldestCommit: number | null = null;
  private readonly times = new Set<number>();
  private fewer: number[] | null = null;

  constructor(readonly topic: string) {}

  add({ isolation, needsEarliest }: FleetQuestion, { after, since, before }: TopicQuestion): void {
    this.isolations.add(isolation);
    this.needsEarliest ||= needsEarliest;
    if (after !== null) {
      this.times.add(after + 1);
      this.oldestCommit = Math.min(this.oldestCommit ?? after, after);
    }
    if (since !== null) this.times.add(since);
    else if (before !== null) this.times.add(before + 1);
    this.fewer = null;
  }

  /**
   * The times to ask for, oldest first, so that requests do not grow with the connectors that share a topic: of too many only
   * some, spread evenly, the oldest among them.
   */
  timesAsked(): readonly number[] {
    if (this.fewer) return this.fewer;
    const sorted = [...this.times].sort((a, b) => a - b);
    this.fewer =
      sorted.length <= MOST_TIMES
        ? sorted
        : Array.from(
            { length: MOST_TIMES },
            (_, i) => sorted[Math.floor((i * sorted.length) / MOST_TIMES)] ?? 0,
          );
    return this.fewer;
  }

  /** The time that is asked in place of this one: itself, or the next older. Then more is counted, never less. */
  asked(time: number): number {
    return this.timesAsked().findLast((one) => one <= time) ?? time;
  }
}
