import { isReference, schemaHistoryStore } from "@/lib/debezium/config";
import type { ConnectorCheck } from "../check";
import { knownReport, notOurs } from "../connector-report";
import { sayer } from "../say";
import { referencedStore } from "./needs-history-topic";

const say = sayer("history-not-kafka");

/** What to look at instead, by a part of the class name (the modules of debezium-storage). */
const instead: readonly (readonly [RegExp, string])[] = [
  [/Memory/, "It is kept in memory only and is gone with each restart of the worker: use it for tests only."],
  [
    /File/,
    "It is a file on one worker: check that the task always runs there, that the disk outlives the worker, and that the file is backed up.",
  ],
  [/Jdbc/, "It is a database table: check that it is backed up and that nothing cleans it up."],
  [
    /Redis/,
    "It is a Redis stream: check persistence (AOF), that maxmemory-policy evicts nothing, and that Debezium is not affected by dbz#2221 (records dropped after a corrupted entry, before 3.7).",
  ],
  [
    /S3|Azure|Blob|Gcs/,
    "It is an object in a bucket: check that no lifecycle rule deletes or archives it, and turn versions on.",
  ],
  [/RocketMQ|RocketMq/, "It is a RocketMQ topic: check its retention (fileReservedTime)."],
  [
    /ConfigMap/,
    "It is a Kubernetes ConfigMap: check that it stays under 1 MiB and that no deployment replaces it.",
  ],
];

export const historyNotKafka: ConnectorCheck = {
  subject: "connector",
  slug: "history-not-kafka",
  group: "schema-history",
  title: "Schema history not in Kafka",
  looksAt: "Whether the schema history is kept where Tidemark can see it.",
  severity: "unknown",
  judge(facts, _limits, now) {
    const report = knownReport(facts, now);
    if (report.why !== undefined) return say.unknown(report.why);
    const foreign = notOurs(report.value);
    if (foreign) return say.notApplicable(foreign);
    const { config } = report.value;
    if (!config) return say.unknown("Connect did not report the configuration.");
    const store = schemaHistoryStore(config);
    if (store.store === "none") return say.notApplicable("This connector needs no schema history.");
    if (store.store === "kafka") return say.ok("in Kafka", "The schema history is kept in a Kafka topic.");
    if (isReference(store.className)) return say.unknown(referencedStore(store.className));
    const advice = instead.find(([name]) => name.test(store.className.split(".").at(-1) ?? ""))?.[1];
    return say.unknown(
      `The schema history is not kept in Kafka but by ${store.className}, where Tidemark cannot look.`,
      {
        short: "elsewhere",
        evidence: [
          { label: "schema.history.internal", value: store.className, from: "connector configuration" },
        ],
        remedy: [
          {
            text: advice ?? "Check where it is kept, that nothing cleans it up, and that it is backed up.",
            command: null,
          },
        ],
      },
    );
  },
};
