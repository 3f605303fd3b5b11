import type { Finding } from "@/lib/checks/finding";
import type { JudgedConnector } from "@/lib/checks/judged";
import { byOutcome, type Outcome } from "@/lib/checks/verdict";
import { verdictSentence } from "@/lib/checks/verdict-sentence";

export interface Headline {
  outcome: Outcome;
  sentence: string;
}

/** The connector's page in one or two sentences, and how bad the worst of its open findings is. */
export function headline(connector: JudgedConnector, open: readonly Finding[]): Headline {
  if (connector.judgedAt === null) {
    return { outcome: "unknown", sentence: "Not judged yet: the first look is under way." };
  }
  const [worst] = open.map((f) => f.verdict).sort(byOutcome);
  const sentence = verdictSentence({ ...connector, fleet: [] }, connector.verdicts);
  return { outcome: worst?.outcome ?? "ok", sentence };
}
