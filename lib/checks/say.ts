import type { Evidence, Outcome, RemedyStep, Verdict } from "./verdict";

interface Fault {
  short: string;
  sentence: string;
  evidence?: Evidence[];
  remedy?: RemedyStep[];
}

/** The verdicts that a check can give, with its slug filled in. */
export function sayer(slug: string) {
  const verdict = (outcome: Outcome, fault: Fault): Verdict => ({
    slug,
    outcome,
    sentence: fault.sentence,
    short: fault.short,
    evidence: fault.evidence ?? [],
    remedy: fault.remedy ?? [],
  });
  return {
    critical: (fault: Fault) => verdict("critical", fault),
    warning: (fault: Fault) => verdict("warning", fault),
    info: (fault: Fault) => verdict("info", fault),
    ok: (short: string, sentence: string, evidence: Evidence[] = []) =>
      verdict("ok", { short, sentence, evidence }),
    unknown: (sentence: string, more: Partial<Fault> = {}) =>
      verdict("unknown", { short: "unknown", ...more, sentence }),
    notApplicable: (sentence: string) => verdict("not-applicable", { short: "not applicable", sentence }),
  };
}
