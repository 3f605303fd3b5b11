import type { ScanResult, TopicDuplicates } from "@/lib/observed/duplicates";
import type { ConnectorCheck } from "../check";
import { wholeSentence } from "../known";
import { sayer } from "../say";
import type { Evidence, RemedyStep } from "../verdict";
import { percent, topicPartition } from "./duplicate-words";
import { knownDuplicates } from "./known-duplicates";
import { eventCount } from "./window-words";

const say = sayer("key-order-broken");
/** Violations told of one by one, over all topics. */
const SHOWN = 5;

type Scanned = TopicDuplicates & { scan: ScanResult };

export const keyOrderBroken: ConnectorCheck = {
  subject: "connector",
  slug: "key-order-broken",
  group: "replay",
  title: "Order of a key broken",
  looksAt:
    "Whether an older change of a key lies behind a newer one, outside of a replay: as whole scans of the topics found.",
  severity: "critical",
  judge(facts, _limits, now) {
    const known = knownDuplicates(say, facts, now);
    if ("outcome" in known) return known;
    const { topics } = known.duplicates;
    if (topics.length === 0) return say.unknown("Warming up: none of its topics was measured yet.");
    const scanned = topics.filter((topic): topic is Scanned => topic.scan !== null);
    const broken = scanned.filter(({ scan }) => scan.keyOrderViolations > 0);
    if (broken.length > 0) return tell(broken);
    // Scans read every record, and are off unless switched on: that is no fault to tell of.
    if (scanned.length === 0)
      return say.notApplicable(
        "Only a scan of the whole topic sees the order of each key, and none ran (scan.enabled, or tidemark duplicates --method scan).",
      );
    const blind = scanned.find(({ scan }) => scan.notMeasurable.length > 0);
    const [why] = blind?.scan.notMeasurable ?? [];
    if (blind && why)
      return say.unknown(
        `The order within topic ${blind.topic} cannot be told. ${wholeSentence(why.reason)}`,
        { remedy: why.remedy === null ? [] : [{ text: why.remedy, command: null }] },
      );
    const of = scanned.length === topics.length ? "" : ` (${scanned.length} of its ${topics.length} topics)`;
    return say.ok("in order", `In no key that was scanned lies an older change behind a newer one${of}.`);
  },
};

function tell(broken: readonly Scanned[]) {
  const count = broken.reduce((sum, { scan }) => sum + scan.keyOrderViolations, 0);
  const [first] = broken as [Scanned];
  const more = broken.length === 1 ? "" : ` and ${eventCount(broken.length - 1, "more topic")}`;
  return say.critical({
    short: eventCount(count, "change"),
    sentence: `In topic ${first.topic}${more} ${eventCount(count, "change")} ${count === 1 ? "lies" : "lie"} behind a newer one of the same key, and ${count === 1 ? "is" : "are"} no replay: a consumer that takes the last as the newest keeps an old row.`,
    evidence: [
      ...broken.map(
        ({ topic, scan }): Evidence => ({
          label: topic,
          value: eventCount(scan.keyOrderViolations, "change"),
          from: `scan of ${scan.from ?? "the first record"} to ${scan.to ?? "the last"}${scan.share < 1 ? `, a sample of ${percent(scan.share)} of the keys` : ""}`,
        }),
      ),
      ...broken
        .flatMap(({ topic, scan }) => scan.violations.map((one) => ({ ...one, topic })))
        .slice(0, SHOWN)
        .map(({ topic, partition, offset, after, position }) => ({
          label: topicPartition({ topic, partition }),
          value: `offset ${offset}${position === null ? "" : ` (${position})`} is older than offset ${after}`,
          from: "positions in the records",
        })),
    ],
    remedy: remedy(),
  });
}

function remedy(): RemedyStep[] {
  return [
    {
      text: "Look at both records of an example: `tidemark decode` tells position, run and writer of each. Two run ids by turns mean two tasks at once: a worker that was taken for dead, or two connectors with one slot or server name.",
      command: null,
    },
    {
      text: "See that no producer setting allows it: producer.override.max.in.flight.requests.per.connection over 1 needs enable.idempotence=true, in the connector and in the workers' producer.* settings (Connect itself sets 1).",
      command: null,
    },
    {
      text: "See that the topic's key is the table's key (message.key.columns, transforms that change the key), and whether partitions were added: a key then moves to another partition, where nothing orders it behind the old one.",
      command: null,
    },
    {
      text: "Consumers must keep the newest position of each key and leave older changes out; rows that were rewound are put right by reading the table again (an incremental snapshot).",
      command: null,
    },
  ];
}
