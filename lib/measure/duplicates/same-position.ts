import { type DeliveredRecord, deliveredOrder } from "@/lib/debezium/events/delivered-record";
import { fromState, type PositionState, toState } from "./position-state";

/** A place where changes stand that may share an identity. */
interface Stand {
  lane: string;
  runId: string | null;
  position: unknown;
  /** How often each identity stood there, by its hash. */
  times: [identity: string, times: number][];
}

/**
 * Numbers changes that share an identity with others at the same position: rows without a key that one statement wrote.
 * A run that comes to the position again counts from the first.
 */
export class SamePosition {
  #stand: Stand | null = null;

  /** How many of this identity stood at the record's position before it. */
  before(record: DeliveredRecord, identity: string): number {
    const { lane, runId, position, type } = record;
    const stand = this.#stand;
    const stays =
      stand !== null &&
      stand.lane === lane &&
      stand.runId === runId &&
      deliveredOrder(type)(stand.position, position).order === "equal";
    const here = stays ? stand : { lane, runId, position, times: [] };
    this.#stand = here;
    const known = here.times.find(([of]) => of === identity);
    if (!known) {
      here.times.push([identity, 1]);
      return 0;
    }
    return known[1]++;
  }

  toState(): string {
    return JSON.stringify(toState(this.#stand));
  }

  /** @throws SyntaxError, RangeError for what it did not write */
  read(state: string): void {
    this.#stand = fromState(JSON.parse(state) as PositionState) as Stand | null;
  }
}
