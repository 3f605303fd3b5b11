import { z } from "zod";

/** What GET /api/v1/findings takes. */
export const findingsQuerySchema = z.strictObject({
  state: z.enum(["open", "recently-closed"]).default("open"),
  cluster: z.string().min(1).max(200).optional(),
  connector: z.string().min(1).max(1_000).optional(),
});
