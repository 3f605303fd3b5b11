import { type DeliveredRecord, deliveredOrder } from "@/lib/debezium/events/delivered-record";
import type { WalkedReplay } from "@/lib/measure/duplicates/open-replay";
import type { RunPart } from "@/lib/measure/duplicates/run-parts";
import { recordTime } from "@/lib/observed/record-time";
import type { LaneStart } from "./lane-start";

/**
 * Counts changes that must have been delivered before though their first copies are no longer there: retention removed them,
 * or they lie before all that was looked at. By position alone.
 */
export class LostCopies {
  #count = 0;
  #first: DeliveredRecord | null = null;
  #last: DeliveredRecord | null = null;

  constructor(private readonly starts: readonly LaneStart[]) {}

  get any(): boolean {
    return this.#count > 0;
  }

  /** A change that stands not above what was reached, and was not seen before in what is still there. */
  add(record: DeliveredRecord): void {
    const start = this.starts.find(({ lane }) => lane === record.lane);
    if (!start || start.lostBelow === null) return;
    const order = deliveredOrder(record.type);
    const lost = start.lostBelow === "all" || order(record.position, start.lostBelow).order === "before";
    if (!lost) return;
    this.#count += 1;
    this.#first ??= record;
    this.#last = record;
  }

  /**
   * The replays with these among them: the run's first one goes on with them.
   * @param passed the run got above all that was reached; if it did not, and nothing that is still there came again, they are
   * of another history (binary logs reset, a restored database) and no copies
   */
  joined(replays: readonly WalkedReplay[], part: RunPart, passed: boolean): WalkedReplay[] {
    const [first, last] = [this.#first, this.#last];
    if (!first || !last) return [...replays];
    const next = replays.find((one) => one.runAfter === part.runId && one.firstOffset > last.offset);
    const at = recordTime(first.timestamp);
    if (next) {
      const joined: WalkedReplay = {
        ...next,
        firstOffset: first.offset,
        firstPosition: first.positionText,
        firstCopyOf: null,
        count: next.count + this.#count,
        bound: "at-most",
        at,
      };
      return replays.map((one) => (one === next ? joined : one));
    }
    if (!passed) return [...replays];
    const alone: WalkedReplay = {
      partition: first.partition,
      firstOffset: first.offset,
      lastOffset: last.offset,
      count: this.#count,
      bound: "at-most",
      firstPosition: first.positionText,
      lastPosition: last.positionText,
      firstCopyOf: null,
      lastCopyOf: null,
      runBefore: null,
      runAfter: part.runId,
      writer: first.writer,
      at,
      until: recordTime(last.timestamp),
      causeInLog: null,
    };
    return [alone, ...replays].sort((a, b) => a.firstOffset - b.firstOffset);
  }
}
