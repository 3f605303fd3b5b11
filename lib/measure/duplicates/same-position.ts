import type { ConnectorType } from "@/lib/debezium/connector-type";
import { deliveredOrder } from "@/lib/debezium/events/delivered-record";
import { fromState, type PositionState, toState } from "./position-state";

/** Where a change stands: whose it is, and its position. */
export interface Standing {
  lane: string;
  runId: string | null;
  position: unknown;
  type: ConnectorType;
}

/** A place where changes stand that may share an identity. */
interface Stand extends Pick<Standing, "lane" | "runId" | "position"> {
  /** How often each identity stood there, by its hash. */
  times: [identity: string, times: number][];
}

/** Runs that are followed at a time; of more the one that came first is let go. */
const mostStands = 16;

/**
 * Numbers changes that share an identity with others at the same position: rows without a key that one statement wrote.
 * A run that comes to the position again counts from the first.
 */
export class SamePosition {
  #stands: Stand[] = [];

  /** Whether it is to be told of changes that share their identity with none, by {@link pass}. */
  get waits(): boolean {
    return this.#stands.length > 0;
  }

  /** How many of this identity stood at the change's position before it. */
  before(change: Standing, identity: string): number {
    this.pass(change);
    const { lane, runId, position } = change;
    let stand = this.#stands.find((s) => s.lane === lane && s.runId === runId);
    if (!stand) {
      stand = { lane, runId, position, times: [] };
      this.#stands.push(stand);
      if (this.#stands.length > mostStands) this.#stands.shift();
    }
    const known = stand.times.find(([of]) => of === identity);
    if (!known) {
      stand.times.push([identity, 1]);
      return 0;
    }
    return known[1]++;
  }

  /** Another change of its run came: if it stands elsewhere, the run has moved on. */
  pass({ lane, runId, position, type }: Standing): void {
    const order = deliveredOrder(type);
    this.#stands = this.#stands.filter(
      (s) => s.lane !== lane || s.runId !== runId || order(s.position, position).order === "equal",
    );
  }

  toState(): string {
    return JSON.stringify(toState(this.#stands));
  }

  /** @throws SyntaxError, RangeError for what it did not write */
  read(state: string): void {
    this.#stands = fromState(JSON.parse(state) as PositionState) as Stand[];
  }
}
