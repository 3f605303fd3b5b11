import fc from "fast-check";
import { expect } from "vitest";
import type { Order, PositionKind } from "../position";

export const opposite: Record<Order["order"], Order["order"]> = {
  before: "after",
  after: "before",
  equal: "equal",
  unordered: "unordered",
};

/** Checks on random positions that order is antisymmetric and transitive, and never says "unordered". */
export function expectTotalOrder<P>(kind: Pick<PositionKind<P>, "order">, positions: fc.Arbitrary<P>): void {
  expectPartialOrder(kind, positions);
  fc.assert(
    fc.property(positions, positions, (a, b) => {
      expect(kind.order(a, b).order).not.toBe("unordered");
    }),
  );
}

/** Checks that order is antisymmetric, and transitive as far as it goes. */
export function expectPartialOrder<P>(
  kind: Pick<PositionKind<P>, "order">,
  positions: fc.Arbitrary<P>,
): void {
  fc.assert(
    fc.property(positions, positions, positions, (a, b, c) => {
      const order = (x: P, y: P) => kind.order(x, y).order;
      expect(order(a, a)).toBe("equal");
      expect(order(b, a)).toBe(opposite[order(a, b)]);
      const [ab, bc] = [order(a, b), order(b, c)];
      if (ab === "equal") expect(order(a, c)).toBe(bc);
      if (ab === "before" && bc === "before") expect(order(a, c)).toBe("before");
    }),
  );
}
