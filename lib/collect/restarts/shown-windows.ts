import type { ReplayWindow } from "@/lib/observed/replay-window";
import type { Restart } from "@/lib/observed/window-series";

/** Polls that are remembered: the last before a death may lie some minutes back, until a new run has written. */
const most = 64;

/** What the page said at the last polls of one connector. */
export class ShownWindows {
  readonly #shown: NonNullable<Restart["shown"]>[] = [];

  add(window: ReplayWindow | null): void {
    if (window === null || this.#shown.at(-1)?.at === window.at) return;
    this.#shown.push({ events: window.events, at: window.at, by: window.by });
    if (this.#shown.length > most) this.#shown.shift();
  }

  /**
   * What was shown just before a run died: it lived at least until its last record. Where no poll that old is
   * remembered it had been quiet, so that any poll before the next run shows the same. Null: there was none.
   * @param lived timestamp of the run's last record, `next` when the next run began; milliseconds since 1970
   */
  before(lived: number, next: number): Restart["shown"] {
    const last = (at: number) => this.#shown.findLast((shown) => Date.parse(shown.at) <= at) ?? null;
    return last(lived) ?? last(next);
  }
}
