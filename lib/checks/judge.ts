import { catalogue } from "./catalogue";
import type { CheckLimits, ClusterFacts, ConnectorFacts } from "./check";
import type { Verdict } from "./verdict";

/** Every verdict on one connector, in the order of the catalogue. Never throws: a check that does is `unknown`. */
export function judgeConnector(facts: ConnectorFacts, limits: CheckLimits, now: Date): Verdict[] {
  return catalogue
    .filter((check) => check.subject === "connector")
    .map((check) => guarded(check.slug, () => check.judge(facts, limits, now)));
}

/** Every verdict on a cluster itself; see {@link judgeConnector}. */
export function judgeCluster(facts: ClusterFacts, limits: CheckLimits, now: Date): Verdict[] {
  return catalogue
    .filter((check) => check.subject === "cluster")
    .map((check) => guarded(check.slug, () => check.judge(facts, limits, now)));
}

/** Exported for its test. */
export function guarded(slug: string, judge: () => Verdict): Verdict {
  try {
    return judge();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return {
      slug,
      outcome: "unknown",
      sentence: `This check failed itself, which is a fault of Tidemark: ${why}`,
      short: "check failed",
      evidence: [],
      remedy: [],
    };
  }
}
