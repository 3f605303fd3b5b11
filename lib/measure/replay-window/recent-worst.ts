/** How far the worst window of late reaches back, milliseconds. */
const recentMs = 600_000;

/** The worst window of the last ten minutes, from one poll to the next: a commit makes it fall, this does not. */
export class RecentWorst {
  /** Falling in `events`: one that is not larger than a later one is never the worst again. */
  #falling: { at: number; events: number }[] = [];

  add(at: number, events: number): void {
    this.#falling = this.#falling.filter((p) => p.events > events && p.at < at);
    this.#falling.push({ at, events });
  }

  /** Null when no window was known within the ten minutes before `now`. */
  worst(now: number): { events: number; at: number } | null {
    this.#falling = this.#falling.filter((p) => p.at >= now - recentMs);
    return this.#falling[0] ?? null;
  }
}
