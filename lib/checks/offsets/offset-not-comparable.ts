import type { ConnectorType } from "@/lib/debezium/connector-type";
import { isDecoded, positionKinds } from "@/lib/debezium/positions/kinds";
import { type Progress, progress } from "@/lib/debezium/positions/progress";
import type { ConnectorCheck } from "../check";
import { sayer } from "../say";
import type { Verdict } from "../verdict";
import type { CommitStep, KnownCommit } from "./commit-steps";
import { type KnownSteps, knownSteps, partitionEvidence, placeOf, recentSteps, utc } from "./known-commits";

const slug = "offset-not-comparable";
const say = sayer(slug);

export const offsetNotComparable: ConnectorCheck = {
  subject: "connector",
  slug,
  group: "offsets",
  title: "Positions do not compare",
  looksAt: "Whether the newest commit can be compared with those of the 24 hours before it that are at hand.",
  severity: "warning",
  judge(facts, _limits, now) {
    const found = knownSteps(say, facts, now);
    if ("outcome" in found) return found;
    if (!isDecoded(found.type)) return say.notApplicable("Positions of this connector are not decoded.");
    for (const { partition, steps } of found.partitions) {
      const broken = breakOf(found.type, recentSteps(steps, now));
      if (broken) return verdictOn(broken, partition, found);
    }
    return say.ok("comparable", "The newest commit compares with those before it.");
  },
};

/** Two successive or distant commits that do not compare. */
interface Break {
  from: KnownCommit;
  to: KnownCommit;
  /** Why, of `from` and the newest commit. */
  why: string;
  progress: Progress;
}

/** The newest break that still holds: the newest commit does not compare with one from before it. `recent`: newest first. */
function breakOf(type: ConnectorType, recent: readonly CommitStep[]): Break | null {
  const chain = recent.flatMap((s) => known(s) ?? []);
  const [newest] = chain;
  if (!newest) return null;
  for (const { commit, offset, before, progress: step } of recent) {
    if (!before || !offset || !step || whyBroken(step) === null) continue;
    const held = breakBetween(type, before, newest);
    if (held) return { ...held, to: { commit, offset } };
  }
  // What is too small to be seen from one commit to the next adds up.
  const oldest = chain.findLast((c) => c.commit.topic === newest.commit.topic);
  return oldest && oldest !== newest ? breakBetween(type, oldest, newest) : null;
}

function known({ commit, offset }: CommitStep): KnownCommit | null {
  return offset ? { commit, offset } : null;
}

function breakBetween(type: ConnectorType, from: KnownCommit, to: KnownCommit): Break | null {
  const between = progress(type, from.offset, to.offset);
  const why = whyBroken(between);
  return why === null ? null : { from, to, why, progress: between };
}

function whyBroken({ warnings }: Progress): string | null {
  return warnings.find((w) => w.slug === slug)?.text ?? null;
}

function verdictOn(
  { from, to, why, progress: between }: Break,
  partition: string,
  found: KnownSteps,
): Verdict {
  const { headline } = positionKinds[found.type];
  const moved = between.move === "unknown" ? "not known" : between.text;
  return say.warning({
    short: "not comparable",
    sentence: `${why} Seen with the commit of ${utc(to.commit.at)}.`,
    evidence: [
      ...partitionEvidence(found.partitions, partition),
      { label: "before", value: headline(from.offset).text, from: placeOf(from.commit) },
      { label: "then", value: headline(to.offset).text, from: placeOf(to.commit) },
      { label: "progress", value: moved, from: "the two positions" },
      { label: "since", value: to.commit.at, from: "offset topic" },
    ],
    remedy: [{ text: remedyText(found.type), command: null }],
  });
}

function remedyText(type: ConnectorType): string {
  const find =
    "Find out whether the connector reads another server than before (failover, restore, blue/green deployment)";
  if (type === "mysql")
    return `${find}, or whether its log was reset: \`SELECT @@server_uuid, @@server_id, @@gtid_mode\` on the one that it is told to read. With gtid_mode=ON positions compare across servers.`;
  if (type === "mariadb")
    return `${find}, or whether its log was reset: \`SELECT @@server_id, @@gtid_domain_id, @@gtid_current_pos\` on the one that it is told to read.`;
  return `${find}, and whether it has every change that the old one had.`;
}
