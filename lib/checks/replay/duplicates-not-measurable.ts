import type { NotMeasurable } from "@/lib/observed/duplicates";
import type { ConnectorCheck } from "../check";
import { wholeSentence } from "../known";
import { sayer } from "../say";
import type { RemedyStep } from "../verdict";
import { knownDuplicates } from "./known-duplicates";
import { eventCount } from "./window-words";

const say = sayer("duplicates-not-measurable");

export const duplicatesNotMeasurable: ConnectorCheck = {
  subject: "connector",
  slug: "duplicates-not-measurable",
  group: "replay",
  title: "Duplicates not measurable",
  looksAt:
    "Whether the records tell what is needed to find duplicates: a source position, an order, an identity.",
  severity: "unknown",
  judge(facts, _limits, now) {
    const known = knownDuplicates(say, facts, now);
    if ("outcome" in known) return known;
    const { topics } = known.duplicates;
    const blind = topics.flatMap(({ topic, notMeasurable }) =>
      notMeasurable.map((one) => ({ ...one, topic })),
    );
    const [first] = blind;
    if (first) {
      const others = new Set(blind.map(({ topic }) => topic)).size - 1;
      return say.unknown(
        `What came twice in topic ${first.topic} cannot be told. ${wholeSentence(first.reason)}${others === 0 ? "" : ` The same or another reason holds for ${eventCount(others, "more topic")}.`}`,
        {
          short: "not measurable",
          evidence: blind.map(({ topic, reason, count }) => ({
            label: topic,
            value: `${reason.replace(/\.$/, "")}${count === null || startsWithCount(reason, count) ? "" : ` (${eventCount(count, "record")})`}`,
            from: "records of the topic",
          })),
          remedy: remedies(blind),
        },
      );
    }
    if (!topics.some(({ records }) => records !== null))
      return say.unknown("Warming up: none of its topics was measured yet.");
    return say.ok("measurable", "The records that were read tell what is needed to find duplicates.");
  },
};

/** Whether a reason tells the number itself: `12 records are …`. */
function startsWithCount(reason: string, count: number): boolean {
  return reason.startsWith(eventCount(count, "record"));
}

/** Each once: many topics share one. */
function remedies(blind: readonly (NotMeasurable & { topic: string })[]): RemedyStep[] {
  return [...new Set(blind.flatMap(({ remedy }) => (remedy === null ? [] : [remedy])))].map((text) => ({
    text,
    command: null,
  }));
}
