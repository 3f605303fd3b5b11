import { byOutcome, type Verdict } from "@/lib/checks/verdict";
import type { CheckReport } from "./check-report";

interface Line {
  where: string;
  verdict: Verdict;
}

const shown: ReadonlySet<Verdict["outcome"]> = new Set(["critical", "warning", "unknown", "info"]);

/** The report for a person: findings worst first, each with its evidence and what to do, then one line a connector. */
export function checkText(report: CheckReport): string {
  const findings = lines(report)
    .filter(({ verdict }) => shown.has(verdict.outcome))
    .sort((a, b) => byOutcome(a.verdict, b.verdict));
  return [...findings.map(findingText), connectorLines(report), summary(report), ""].join("\n");
}

function lines({ clusters }: CheckReport): Line[] {
  const many = clusters.length > 1;
  return clusters.flatMap((c) => [
    ...c.verdicts.map((verdict) => ({ where: c.cluster, verdict })),
    ...c.connectors.flatMap((x) =>
      x.verdicts.map((verdict) => ({ where: many ? `${c.cluster} / ${x.connector}` : x.connector, verdict })),
    ),
  ]);
}

function findingText({ where, verdict }: Line): string {
  const rows = [
    `${verdict.outcome.toUpperCase()}  ${printable(where)}  ${verdict.slug}`,
    `  ${printable(verdict.sentence)}`,
  ];
  for (const { label, value, from } of verdict.evidence) {
    rows.push(`    ${printable(label)}: ${printable(value)}${from ? ` (${printable(from)})` : ""}`);
  }
  for (const { text, command } of verdict.remedy) {
    rows.push(`  > ${printable(text)}`);
    if (command) rows.push(`      ${printable(command)}`);
  }
  return `${rows.join("\n")}\n`;
}

function connectorLines({ clusters }: CheckReport): string {
  return clusters
    .flatMap((c) => c.connectors.map((x) => `${printable(x.connector)}: ${printable(x.sentence)}`))
    .join("\n");
}

function summary({ counts, clusters, leftOut }: CheckReport): string {
  const looked = clusters.reduce((sum, c) => sum + c.connectors.length, 0);
  const of = (outcome: Verdict["outcome"]) => `${counts[outcome] ?? 0} ${outcome}`;
  return `\n${of("critical")}, ${of("warning")}, ${of("unknown")}, ${of("info")}; ${looked} ${looked === 1 ? "connector" : "connectors"} looked at. One look cannot tell: ${leftOut.join(", ")}.`;
}

/** Names and traces come from elsewhere: no control character of theirs reaches the terminal. */
function printable(text: string): string {
  return text.replace(/\p{Cc}/gu, (c) => `\\u${(c.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`);
}
