import { snapshotMode } from "@/lib/debezium/config";
import type { ConnectorType } from "@/lib/debezium/connector-type";
import { startAsNew } from "@/lib/debezium/no-position";
import { positionKinds } from "@/lib/debezium/positions/kinds";
import type { ConnectorCheck } from "../check";
import { sayer } from "../say";
import type { Evidence, RemedyStep, Verdict } from "../verdict";
import { type KnownSteps, knownSteps, partitionEvidence, placeOf, recentSteps, utc } from "./known-commits";
import { type Setback, type SetbackCause, setbackOf } from "./setback";

const say = sayer("offset-went-back");

export const offsetWentBack: ConnectorCheck = {
  subject: "connector",
  slug: "offset-went-back",
  group: "offsets",
  title: "Position went back",
  looksAt:
    "Whether a commit of the last 24 hours is lower than the one before it, among the newest that are at hand.",
  severity: "warning",
  judge(facts, _limits, now) {
    const found = knownSteps(say, facts, now);
    if ("outcome" in found) return found;
    const setbacks = found.partitions
      .flatMap(({ partition, steps }) =>
        recentSteps(steps, now).flatMap((step) => {
          const setback = setbackOf(found.type, step, steps);
          return setback ? [{ partition, setback }] : [];
        }),
      )
      .sort((a, b) => (a.setback.step.commit.at < b.setback.step.commit.at ? 1 : -1));
    const worst = setbacks.find(({ setback }) => setback.lower) ?? setbacks[0];
    if (!worst) return say.ok("onwards", "No commit at hand is lower than the one before it.");
    return verdictOn(worst.setback, worst.partition, found, setbacks.length);
  },
};

function verdictOn(setback: Setback, partition: string, found: KnownSteps, count: number): Verdict {
  const { step, lower } = setback;
  const evidence = [
    ...partitionEvidence(found.partitions, partition),
    ...setbackEvidence(found.type, setback),
    ...(count > 1 ? [{ label: "such commits", value: `${count} in 24 h`, from: "offset topic" }] : []),
  ];
  const fault = { short: shortOf(setback), sentence: sentenceOf(setback, found), evidence };
  if (!lower && !losesChanges(setback, found)) return say.info(fault);
  return say.warning({ ...fault, remedy: remedyOf(setback, step.commit.at) });
}

/** Begun anew without its offset and without a snapshot of the rows: what was written in between never comes. */
function losesChanges({ cause }: Setback, { type, config }: KnownSteps): boolean {
  const withoutRows = ["no_data", "never", "schema_only"].includes(snapshotMode(config));
  // PostgreSQL goes on from its replication slot.
  return cause.kind === "deleted" && withoutRows && type !== "postgresql";
}

function shortOf({ cause, lower }: Setback): string {
  if (!lower) return cause.kind === "deleted" ? "started as new" : "new snapshot";
  switch (cause.kind) {
    case "deleted":
      return "offsets deleted";
    case "snapshot":
      return "snapshot began again";
    case "restored":
      return "set to an earlier commit";
    case "other-server":
      return "other server";
    case "by-hand":
      return "set by hand";
  }
}

function sentenceOf(setback: Setback, { type, config }: KnownSteps): string {
  const { step, before, offset, lower, cause } = setback;
  const { headline } = positionKinds[type];
  const at = utc(step.commit.at);
  if (!lower && cause.kind === "deleted")
    return `The stored offset was deleted at ${utc(cause.tombstone.at)} (DELETE /offsets), and the connector started as new: ${startAsNew(config)}.`;
  if (!lower)
    return `A new snapshot began at ${at}: every row is emitted again, as a read (op r), and deletes made before it may never be.`;
  const [from, to] = [headline(before.offset).text, headline(offset).text];
  // A GTID set can fill a page; the evidence has it.
  const places = from.length + to.length > mostInSentence ? "" : `, from ${from} to ${to}`;
  return `The stored position went back at ${at}${places}: ${causeText(cause)}`;
}

/** Characters of two positions that a sentence bears. */
const mostInSentence = 100;

/** What it was, and what it means for consumers. */
function causeText(cause: SetbackCause): string {
  const again = "Changes between the two are produced again, as far as the source still has them.";
  switch (cause.kind) {
    case "deleted":
      return `the offset was deleted before (at ${utc(cause.tombstone.at)}), so the connector started as new. What it emits from there comes again.`;
    case "snapshot":
      return "a snapshot began there. Every row is emitted again, as a read (op r).";
    case "restored":
      return `a saved offset was put back by hand (PATCH /offsets), exactly the commit of ${utc(cause.from.at)}. ${again}`;
    case "other-server":
      return cause.servers
        ? `written by another server (server_id ${cause.servers[1]}, before ${cause.servers[0]}), as after a failover. Positions of the two do not compare, and changes may be missing or come twice.`
        : "yet what it covers was committed later at the source, so the source is another server, or was restored or reset (failover, backup, new timeline). Changes may be missing or come twice.";
    case "by-hand":
      return `the source's own time in it went back too, so it was set by hand (PATCH /offsets), or an earlier run of the task committed late. ${again}`;
  }
}

function setbackEvidence(type: ConnectorType, { step, before, offset, cause }: Setback): Evidence[] {
  const { headline } = positionKinds[type];
  const distance = step.progress?.distance;
  return [
    { label: "before", value: headline(before.offset).text, from: placeOf(before.commit) },
    ...(cause.kind === "deleted"
      ? [{ label: "deleted", value: "tombstone", from: placeOf(cause.tombstone) }]
      : []),
    { label: "then", value: headline(offset).text, from: placeOf(step.commit) },
    ...(distance && distance.amount !== null && step.progress
      ? [{ label: "distance", value: step.progress.text, from: "the two positions" }]
      : []),
    { label: "since", value: step.commit.at, from: "offset topic" },
  ];
}

function remedyOf({ cause }: Setback, at: string): RemedyStep[] {
  const step = (text: string): RemedyStep => ({ text, command: null });
  const expect = step(
    `Tell consumers to expect changes again from ${utc(at)} on: records of the same source position are the same change.`,
  );
  if (cause.kind === "other-server") {
    return [
      step(
        "Compare the tables with what was delivered: changes that only the old server had are not in the topics' future. Where rows differ, snapshot those tables again.",
      ),
      expect,
    ];
  }
  if (cause.kind === "snapshot") return [expect];
  return [
    step(
      "If nobody meant it, find who did it: Connect's access log has each PATCH and DELETE of /connectors/…/offsets.",
    ),
    expect,
  ];
}
