import type { PositionKind } from "../../positions/position";
import { Place, type PlaceKind } from "./place";

/** A place that is always read by the kind: its source block is parsed, the row is not. */
class AnyPlace<P> extends Place<P> {
  constructor(protected readonly kind: PositionKind<P>) {
    super();
  }

  protected readNumbers(): boolean {
    return false;
  }

  protected compareNumbers(): number | null {
    return null;
  }

  protected positionOfNumbers(): P {
    throw new Error("a place was asked for its position before it had read one");
  }

  protected copyNumbers(): void {}
}

export function anyPlaces<P>(kind: PositionKind<P>): PlaceKind<P> {
  return { fields: [], create: () => new AnyPlace(kind) };
}
