/** Times over which a replay window can be looked at. Apart from its schema: browsers need no zod for it. */
export const windowRanges = ["1h", "24h", "7d"] as const;
export type WindowRange = (typeof windowRanges)[number];
