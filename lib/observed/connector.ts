import { z } from "zod";

/** States come verbatim from Connect; ones that we do not know pass through as they came. */
const runStateSchema = z.object({
  state: z.string(),
  workerId: z.string().nullable(),
  version: z.string().nullable(),
  /** Stack trace of a failure, secrets masked. */
  trace: z.string().nullable(),
});
export type RunState = z.infer<typeof runStateSchema>;

/** One connector in the answer of `GET /connectors?expand=status&expand=info`. A missing half is null: "not reported". */
export const connectorReportSchema = z.object({
  name: z.string(),
  /** `source`, `sink`, or as it came; null when not reported. */
  type: z.string().nullable(),
  connector: runStateSchema.nullable(),
  tasks: z.array(runStateSchema.extend({ id: z.number().int() })).nullable(),
  /** The configuration, every secret masked before it got here. */
  config: z.record(z.string(), z.string().nullable()).nullable(),
  /** Names of settings in which a secret stands in clear instead of a `${provider:…}` reference. */
  plaintextSecrets: z.array(z.string()),
});
export type ConnectorReport = z.infer<typeof connectorReportSchema>;

/** Since when connector and tasks have been in their state, as far as was seen. */
export const stateTimesSchema = z.object({
  connector: z.object({ state: z.string(), since: z.iso.datetime() }).nullable(),
  tasks: z.array(z.object({ id: z.number().int(), state: z.string(), since: z.iso.datetime() })),
});
export type StateTimes = z.infer<typeof stateTimesSchema>;

/** The offsets that Connect has stored: both maps as JSON text, so that no digit is lost on the way through the database. */
export const storedOffsetsSchema = z.object({
  offsets: z.array(
    z.object({
      partition: z.string(),
      offset: z.string(),
      /** When it was committed: the timestamp of its record in the offset topic. Null or absent: REST does not tell. */
      committedAt: z.iso.datetime().nullable().optional(),
    }),
  ),
  /** `topic`: read from the offset topic. `rest`, or absent: `GET /connectors/{name}/offsets`. */
  from: z.enum(["topic", "rest"]).optional(),
});
export type StoredOffsets = z.infer<typeof storedOffsetsSchema>;
