import type { PositionKind } from "./position";

const why = "Positions of this connector are not known to Tidemark.";

/** Connectors that are not known: their offsets are shown as they are stored, and nothing is concluded from them. */
export const raw: PositionKind<never> = {
  fields: {},
  decodeOffset: () => ({ position: null, problems: [] }),
  decodeSource: () => ({ position: null, problems: [] }),
  order: () => ({ order: "unordered", why }),
  distance: () => ({ amount: null, why }),
  identity: () => ({ id: null, why }),
  headline: () => ({ text: "not decoded", meaning: "The stored fields are shown as they are." }),
  warnings: () => [],
  sourceTime: () => null,
};
