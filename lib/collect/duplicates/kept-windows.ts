import type { DeliveredRecord } from "@/lib/debezium/events/delivered-record";
import type { LogRecord } from "@/lib/kafka/log/record";

/** One batch with all records that a reader of committed records gets of it. */
export interface Window {
  from: number;
  to: number;
  bytes: number;
  /** Of one that is walked along once they are taken out at each call, so that few are held at a time. */
  records: () => LogRecord[];
  /** What was read of them so far; null where that is not kept. */
  read: (DeliveredRecord | undefined)[] | null;
  /** Its transaction was aborted: only who reads uncommitted data got the records. */
  aborted: boolean;
}

const KEPT_BYTES = 4 * 1024 * 1024;
const KEPT_BATCHES = 256;

/** Batches that were read, for the next steps of a bisection, which come back to them. */
export class KeptWindows {
  /** The last ones, of single searches. */
  readonly #recent: Window[] = [];
  /** What was read whole, in order and without a gap. */
  readonly #whole: Window[] = [];

  /** The one that holds an offset. */
  at(offset: number): Window | undefined {
    return this.#wholeAt(offset) ?? this.#recent.find(({ from, to }) => from <= offset && offset < to);
  }

  add(window: Window): void {
    if (window.bytes > KEPT_BYTES / 4) return;
    this.#recent.push(window);
    let bytes = this.#recent.reduce((sum, one) => sum + one.bytes, 0);
    while (this.#recent.length > KEPT_BATCHES || bytes > KEPT_BYTES)
      bytes -= this.#recent.shift()?.bytes ?? 0;
  }

  /** What follows on what was read whole before. */
  addWhole(window: Window): void {
    this.#whole.push(window);
  }

  /** The first offset behind what was read whole; undefined where nothing was. */
  get wholeTo(): number | undefined {
    return this.#whole.at(-1)?.to;
  }

  #wholeAt(offset: number): Window | undefined {
    let [low, high] = [0, this.#whole.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#whole[middle] as Window).to <= offset) low = middle + 1;
      else high = middle;
    }
    const window = this.#whole[low];
    return window && window.from <= offset ? window : undefined;
  }
}
