import type { DeliveredRecord } from "@/lib/debezium/events/delivered-record";
import type { Sighting } from "@/lib/measure/duplicates/identity-walk";
import { Marks, type Reached } from "@/lib/measure/duplicates/marks";
import type { WalkedReplay } from "@/lib/measure/duplicates/open-replay";
import type { RunPart } from "@/lib/measure/duplicates/run-parts";
import type { LaneStart, Stretch } from "./lane-start";
import { LostCopies } from "./lost-copies";

/** So many changes that stand not above what was reached, one after the other, and none was delivered before: another history. */
const MOST_NEW_BELOW = 20_000;

/** One start of a run within an episode: how far what it produces again has got. */
export class EpisodeStart {
  /** Lanes in which it has not passed what was reached. */
  readonly #left: Set<string>;
  readonly #lost: LostCopies;
  #copies = 0;
  #newBelow = 0;
  #passed = false;
  #whole = false;
  #byPosition = false;
  #begun = false;

  constructor(
    readonly part: RunPart,
    private readonly lanes: readonly LaneStart[],
    /** Copies before this offset are not counted. */
    private readonly countFrom: number,
  ) {
    this.#left = new Set(lanes.map(({ lane }) => lane));
    this.#lost = new LostCopies(lanes);
  }

  /** What comes next may have been delivered before: it has not passed what was reached, or brought rows of a snapshot only. */
  get isOpen(): boolean {
    return this.#left.size > 0 || !this.#begun;
  }

  /** Whether a change of its run stands behind what was remembered for it: {@link rests} then tells what else to read. */
  lacks(record: DeliveredRecord): boolean {
    if (this.#whole) return false;
    const lane = this.lanes.find((one) => one.lane === record.lane);
    return !!lane?.upTo && lane.rests.length > 0 && new Marks([lane.upTo]).standing(record) !== "below";
  }

  /** Whether a change stands above all that was reached before this start, as far as its run began not above that. */
  isBelow(record: DeliveredRecord): boolean {
    const marks = this.lanes.find(({ lane }) => lane === record.lane)?.marks;
    return marks === undefined || marks.standing(record) === "above";
  }

  rests(): Stretch[] {
    this.#whole = true;
    return this.lanes.flatMap(({ rests }) => rests);
  }

  /** The rests are not remembered: what stands not above what was reached was delivered there. */
  countByPosition(): void {
    this.#byPosition = true;
    for (const lane of this.lanes) if (lane.rests.length > 0) lane.lostBelow = "all";
  }

  /** A change of its run. */
  look(record: DeliveredRecord, sighting: Sighting): void {
    this.#begun = true;
    if (sighting === "copy") this.#copies += 1;
    if (!this.#left.has(record.lane)) return;
    const { marks } = this.lanes.find(({ lane }) => lane === record.lane) as LaneStart;
    const standing = marks.standing(record);
    if (standing === "above") this.#passed = true;
    this.#newBelow = sighting === "new" ? this.#newBelow + 1 : 0;
    const over = standing === "above" || (standing === "unsure" && sighting === "new");
    if (over || (!this.#byPosition && this.#newBelow > MOST_NEW_BELOW)) this.#left.delete(record.lane);
    else if (sighting === "new" && record.offset >= this.countFrom) this.#lost.add(record);
  }

  /** The replays with those copies whose first ones are no longer there. */
  withLost(replays: readonly WalkedReplay[]): WalkedReplay[] {
    return this.#lost.joined(replays, this.part, this.#passed);
  }

  /**
   * Its first change, where that stands below what was reached and nothing came again; null where it is no fall.
   * @param ended another run began behind it
   */
  fall(ended: boolean): { record: DeliveredRecord; before: Reached } | null {
    const isOpen = this.isOpen && !ended;
    if (this.#copies > 0 || isOpen || (this.#passed && this.#lost.any)) return null;
    const start = this.lanes.find(({ first, marks }) => marks.isUnder(first));
    const before = start?.marks.reached.at(-1);
    return start && before ? { record: start.first, before } : null;
  }
}
