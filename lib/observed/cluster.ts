import { z } from "zod";

/** `GET /` of Kafka Connect, and how many connectors the list held. */
export const connectClusterSchema = z.object({
  version: z.string(),
  commit: z.string().nullable(),
  kafkaClusterId: z.string().nullable(),
  /** Names in the last list, sorted. */
  connectors: z.array(z.string()),
});
export type ConnectCluster = z.infer<typeof connectClusterSchema>;

/** The brokers as one of them describes the cluster. */
export const kafkaClusterSchema = z.object({
  clusterId: z.string().nullable(),
  controller: z.number().int().nullable(),
  brokers: z.array(z.object({ id: z.number().int(), address: z.string() })),
});
export type KafkaCluster = z.infer<typeof kafkaClusterSchema>;
