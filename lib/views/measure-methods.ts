import type { Measurement } from "@/lib/observed/duplicates";

/** Apart from the schema: browsers need no zod for it. */
export const measureMethods = ["bisect", "scan"] as const satisfies readonly Measurement["method"][];

/** What each method costs and finds. */
export const methodWords: Readonly<
  Record<Measurement["method"], { name: string; costs: string; finds: string }>
> = {
  bisect: {
    name: "Bisection",
    costs: "Reads very little, often under 1\u00a0% of the topic: seconds, even for one of a terabyte.",
    finds:
      "Finds each replay exactly, with its first and last offset. Complete where records carry run ids (Debezium 3.4 and later).",
  },
  scan: {
    name: "Scan",
    costs: "Reads every record of that time, within a byte budget: minutes to hours. It keeps hashes only.",
    finds:
      "Finds duplicates of any origin as a rate with its interval, rows that snapshots read again, and changes of one key out of order; not where they lie.",
  },
};
