import { z } from "zod";
import { connectorTypes } from "@/lib/debezium/connector-type";
import { decodeReportSchema } from "@/lib/debezium/decode-report";

/** A request body over this size is refused with 413, in bytes. */
export const decodeRequestBytes = 1_000_000;

/** What POST /api/v1/decode takes. */
export const decodeRequestSchema = z.strictObject({
  /** The connector type; absent: what the text tells. */
  type: z.enum(connectorTypes).optional(),
  /** An offset, a list of them, a whole answer of GET /connectors/{name}/offsets, or records of any topic. */
  text: z.string(),
});
export type DecodeRequest = z.infer<typeof decodeRequestSchema>;

/** What it answers: one report for each connector whose offsets are in the text, and one for all other records. */
export const decodeAnswerSchema = z.object({
  reports: z.array(decodeReportSchema.extend({ name: z.string().nullable() })),
});
export type DecodeAnswer = z.infer<typeof decodeAnswerSchema>;
