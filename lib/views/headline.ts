import type { Finding } from "@/lib/checks/finding";
import type { JudgedConnector } from "@/lib/checks/judged";
import { byOutcome, type Outcome } from "@/lib/checks/verdict";
import { verdictSentence } from "@/lib/checks/verdict-sentence";
import { dayFigure, duplicatesTopics } from "./duplicates-section";
import { countOf } from "./format";

export interface Headline {
  outcome: Outcome;
  sentence: string;
}

/** The connector's page in one or two sentences, and how bad the worst of its open findings is. */
export function headline(connector: JudgedConnector, open: readonly Finding[], now: Date): Headline {
  if (connector.judgedAt === null) {
    return { outcome: "unknown", sentence: "Not judged yet: the first look is under way." };
  }
  const [worst] = open.map((f) => f.verdict).sort(byOutcome);
  const sentence = verdictSentence({ ...connector, fleet: [] }, connector.verdicts);
  return { outcome: worst?.outcome ?? "ok", sentence: `${sentence}${cameTwice(connector, sentence, now)}` };
}

/** What consumers got twice in the last 24 hours; nothing where nothing did, or where the sentence says it already. */
function cameTwice(connector: JudgedConnector, said: string, now: Date): string {
  const value = connector.duplicates?.value;
  const judged = connector.verdicts.filter(
    ({ slug }) => slug === "duplicates-high" || slug === "replay-happened",
  );
  if (!value || judged.some((v) => said.includes(v.sentence))) return "";
  const { duplicates, replays, countWords } = dayFigure(duplicatesTopics(value), now);
  if (duplicates === 0) return "";
  const where = replays > 0 ? `, in ${countOf(replays, "replay")}` : "";
  return ` Consumers got ${countWords}\u00a0duplicate${duplicates === 1 ? "" : "s"} in the last 24 hours${where}.`;
}
