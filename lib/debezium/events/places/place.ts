import type { PositionKind } from "../../positions/position";
import type { EventScanner } from "../event-scanner";

/**
 * Where a scanned event stands, kept apart from its bytes. Made once, then read into again and again: an event whose
 * numbers lie below 2^53 costs no allocation. Everything else goes through the connector's {@link PositionKind}, and
 * says the same.
 */
export abstract class Place<P> {
  /** Whether a snapshot read the event, so that the position is not one of its own. */
  snapshot: EventScanner["snapshot"] = null;
  /** Set where the numbers do not do: then it alone counts. */
  protected whole: P | null = null;
  protected abstract readonly kind: PositionKind<P>;

  /** Takes the place of the event that was just scanned as `change`; false when it has no position that can be read. */
  read(scanner: EventScanner): boolean {
    this.snapshot = scanner.snapshot;
    this.whole = null;
    if (this.readNumbers(scanner)) return true;
    this.whole = this.kind.decodeSource(scanner.source()).position;
    return this.whole !== null;
  }

  /**
   * Below 0 when this place comes before the other, above when after, 0 when they are equal; NaN when unordered. Both
   * must have been read, or copied from one that was.
   */
  compare(other: this): number {
    if (this.whole === null && other.whole === null) {
      const fast = this.compareNumbers(other);
      if (fast !== null) return fast;
    }
    const { order } = this.kind.order(this.position(), other.position());
    if (order === "unordered") return Number.NaN;
    return order === "before" ? -1 : order === "after" ? 1 : 0;
  }

  /** As the kind's functions take it: to compare with an offset, to say why it is unordered. Allocates. */
  position(): P {
    return this.whole ?? this.positionOfNumbers();
  }

  copyFrom(other: this): void {
    this.snapshot = other.snapshot;
    this.whole = other.whole;
    if (other.whole === null) this.copyNumbers(other);
  }

  /** False when the numbers do not tell all. */
  protected abstract readNumbers(scanner: EventScanner): boolean;
  /** Null when the numbers do not decide. */
  protected abstract compareNumbers(other: this): number | null;
  protected abstract positionOfNumbers(): P;
  protected abstract copyNumbers(other: this): void;
}

/** Places of one connector's events. */
export interface PlaceKind<P> {
  /** What the scanner has to look for: `new EventScanner(places.fields)`, these first. */
  readonly fields: readonly string[];
  create(): Place<P>;
}

/** A number that is not there. */
export const none = -1;

/** A field as number, {@link none} when it is absent or null, NaN when it is something else. */
export function numberOrNone(scanner: EventScanner, field: number): number {
  return scanner.isNone(field) ? none : scanner.number(field);
}

export function bigintOrNull(number: number): bigint | null {
  return number === none ? null : BigInt(number);
}
