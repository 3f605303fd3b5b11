import { z } from "zod";
import type { JudgedConnector } from "@/lib/checks/judged";
import { byOutcome } from "@/lib/checks/verdict";
import { schemaHistoryStore } from "@/lib/debezium/config";
import { connectorTypeName } from "./connector-type";
import { historySection, historySectionSchema } from "./history-section";
import { newestChange } from "./newest-change";
import { connectorPath } from "./paths";
import type { Surroundings } from "./surroundings";
import { watch, watchSchema } from "./watch";

const historyTopicViewSchema = historySectionSchema.extend({
  cluster: z.string(),
  connector: z.string(),
  /** The connector's page, at its schema history. */
  path: z.string(),
  type: z.string().nullable(),
});
export type HistoryTopicView = z.infer<typeof historyTopicViewSchema>;

export const schemaHistoryViewSchema = z.object({
  watch: watchSchema,
  changedAt: z.iso.datetime().nullable(),
  counts: z.object({ attention: z.number().int(), fine: z.number().int(), unknown: z.number().int() }),
  /** One entry a connector that keeps a schema history, worst first. */
  histories: z.array(historyTopicViewSchema),
  /** Connectors that keep none: how many, and the first of them by name. */
  without: z.object({
    count: z.number().int(),
    named: z.array(z.object({ connector: z.string(), path: z.string() })),
  }),
  /** Why the list is empty. */
  whyNone: z.string().nullable(),
});
export type SchemaHistoryView = z.infer<typeof schemaHistoryViewSchema>;

export interface SchemaHistoryInput extends Surroundings {
  connectors: readonly JudgedConnector[];
}

function keepsHistory(connector: JudgedConnector): boolean {
  if (connector.history !== null) return true;
  const config = connector.report.value?.config;
  if (config) return schemaHistoryStore(config).store !== "none";
  return connector.verdicts.some((v) => v.slug.startsWith("history-") && v.outcome !== "not-applicable");
}

function historyTopicView(connector: JudgedConnector, input: SchemaHistoryInput): HistoryTopicView {
  return {
    ...historySection(connector, input),
    cluster: connector.cluster,
    connector: connector.connector,
    path: `${connectorPath(connector.cluster, connector.connector)}#schema-history`,
    type: connectorTypeName(connector.report.value?.config?.["connector.class"]),
  };
}

/** So many connectors without a schema history are named. */
const namedWithout = 12;

function without(connectors: readonly JudgedConnector[]): SchemaHistoryView["without"] {
  const named = connectors
    .map(({ cluster, connector }) => ({ connector, path: connectorPath(cluster, connector) }))
    .sort((a, b) => a.connector.localeCompare(b.connector))
    .slice(0, namedWithout);
  return { count: connectors.length, named };
}

function whyNone(input: SchemaHistoryInput): string | null {
  if (input.clusters.length === 0) return "No cluster is known yet.";
  if (input.connectors.length === 0) return "No connector is known yet, so no schema history either.";
  return "None of the connectors seen keeps a schema history in Kafka.";
}

/** Every schema history, worst first, as its page and GET /api/v1/schema-history say it. */
export function schemaHistoryView(input: SchemaHistoryInput): SchemaHistoryView {
  const keepers = input.connectors.filter(keepsHistory);
  const histories = keepers
    .map((c) => historyTopicView(c, input))
    .sort(
      (a, b) =>
        byOutcome({ outcome: a.worst ?? "unknown" }, { outcome: b.worst ?? "unknown" }) ||
        a.connector.localeCompare(b.connector),
    );
  const of = (...outcomes: string[]) =>
    histories.filter((h) => outcomes.includes(h.worst ?? "unknown")).length;
  return {
    watch: watch(input),
    changedAt: newestChange(keepers.map((c) => c.history?.since)),
    counts: { attention: of("critical", "warning"), fine: of("ok", "info"), unknown: of("unknown") },
    histories,
    without: without(input.connectors.filter((c) => !keepsHistory(c))),
    whyNone: histories.length === 0 ? whyNone(input) : null,
  };
}
