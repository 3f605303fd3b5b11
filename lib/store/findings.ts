import { type Finding, type FindingChange, findingChanges } from "@/lib/checks/finding";
import { type Verdict, verdictSchema } from "@/lib/checks/verdict";
import type { Database, Statements } from "./database";
import type { Prisma, Finding as Row } from "./generated/client";
import { fitting } from "./observations";
import { saveVerdicts } from "./verdicts";

export interface FindingFilter {
  cluster?: string;
  /** A connector's name; null: the findings of clusters themselves; absent: all. */
  connector?: string | null;
  state: "open" | "recently-closed";
  /** For `recently-closed`: only those closed at or after this; absent: whenever. */
  closedAfter?: Date;
}

/** What all checks say of one subject. A null connector: of the cluster itself. */
export interface Judgement {
  connector: string | null;
  verdicts: readonly Verdict[];
}

/** Closed findings that one read returns at most, newest first. */
const mostClosed = 500;

/** Findings, newest first. @throws DatabaseUnavailable */
export function readFindings(db: Database, filter: FindingFilter): Promise<Finding[]> {
  const open = filter.state === "open";
  return db.run(async (statements) => {
    const rows = await statements.finding.findMany({
      where: {
        cluster: filter.cluster,
        connector: filter.connector === null ? "" : filter.connector,
        closedAt: open ? null : { not: null, gte: filter.closedAfter },
      },
      orderBy: [open ? { openedAt: "desc" } : { closedAt: "desc" }, { id: "asc" }],
      take: open ? undefined : mostClosed,
    });
    return rows.map(findingIn);
  });
}

function findingIn(row: Row): Finding {
  const connector = row.connector === "" ? null : row.connector;
  return { ...row, connector, verdict: fitting(row.verdict, verdictSchema, unreadable(row.slug)) };
}

function unreadable(slug: string): Verdict {
  return {
    slug,
    outcome: "unknown",
    sentence: "This finding was stored by another version of Tidemark; the next judgement replaces it.",
    short: "unreadable",
    evidence: [],
    remedy: [],
  };
}

/**
 * Stores the newest verdicts of one subject, and opens, confirms and closes its findings by them, all or nothing.
 * Two processes that do so at once open one finding. Nothing is written for a subject that is not stored.
 * @throws DatabaseUnavailable
 */
export function applyVerdicts(
  db: Database,
  cluster: string,
  connector: string | null,
  verdicts: readonly Verdict[],
  at: Date,
): Promise<void> {
  return applyJudgements(db, cluster, [{ connector, verdicts }], at);
}

/** {@link applyVerdicts} for many subjects of one cluster, in about ten statements for any number of them. */
export async function applyJudgements(
  db: Database,
  cluster: string,
  judgements: readonly Judgement[],
  at: Date,
): Promise<void> {
  if (judgements.length === 0) return;
  await db.transaction(async (statements) => {
    await statements.$executeRaw`SELECT pg_advisory_xact_lock(${findingsLock}::int, hashtext(${cluster}))`;
    const stored = await saveVerdicts(statements, cluster, judgements, at);
    const subjects = stored.map((j) => j.connector ?? "");
    const rows = await statements.finding.findMany({
      where: { cluster, connector: { in: subjects }, closedAt: null },
    });
    const open = bySubject(rows.map(findingIn));
    const changes = stored.flatMap(({ connector, verdicts }) =>
      findingChanges(open.get(connector) ?? [], verdicts).map((change) => ({ connector, change })),
    );
    await writeChanges(statements, cluster, changes, at);
  });
}

/** The first number of the advisory lock that findings are changed under; the second is the cluster's. */
const findingsLock = 7_433_001;

async function writeChanges(
  statements: Statements,
  cluster: string,
  changes: readonly { connector: string | null; change: FindingChange }[],
  at: Date,
) {
  const closed = changes.flatMap(({ change }) => (change.kind === "close" ? [change.id] : []));
  if (closed.length > 0) {
    await statements.finding.updateMany({ where: { id: { in: closed } }, data: { closedAt: at } });
  }
  const opened = changes.flatMap(({ connector, change }) =>
    change.kind === "open" ? [{ ...opening(change.verdict, at), cluster, connector: connector ?? "" }] : [],
  );
  if (opened.length > 0) await statements.finding.createMany({ data: opened, skipDuplicates: true });
  const kept = changes.flatMap(({ change }) => keeping(change));
  if (kept.length > 0) await writeKept(statements, kept, at);
}

function bySubject(findings: readonly Finding[]): Map<string | null, Finding[]> {
  const subjects = new Map<string | null, Finding[]>();
  for (const finding of findings) {
    const others = subjects.get(finding.connector);
    if (others) others.push(finding);
    else subjects.set(finding.connector, [finding]);
  }
  return subjects;
}

interface KeptFinding {
  id: string;
  /** JSON text of the verdict that confirms it; null: it could not be confirmed. */
  verdict: string | null;
  why: string | null;
}

function keeping(change: FindingChange): KeptFinding[] {
  if (change.kind === "confirm") {
    return [{ id: change.id, verdict: JSON.stringify(change.verdict), why: null }];
  }
  return change.kind === "unconfirm" ? [{ id: change.id, verdict: null, why: change.why }] : [];
}

function opening(verdict: Verdict, at: Date) {
  return { slug: verdict.slug, verdict, openedAt: at, confirmedAt: at };
}

/** Confirmed findings take the new verdict; unconfirmed ones keep theirs and say why. */
async function writeKept(statements: Statements, kept: readonly KeptFinding[], at: Date) {
  await statements.$executeRaw`
    UPDATE finding AS f
    SET verdict = coalesce(t.verdict::json, f.verdict), unconfirmed_why = t.why,
        confirmed_at = CASE WHEN t.verdict IS NULL THEN f.confirmed_at ELSE ${at} END
    FROM json_to_recordset(${JSON.stringify(kept)}::json) AS t(id uuid, verdict text, why text)
    WHERE f.id = t.id`;
}

/** Closes what is open of subjects that are about to be forgotten. For lib/store alone. */
export async function closeFindingsOf(
  statements: Statements,
  subjects: Pick<Prisma.FindingWhereInput, "cluster" | "connector">,
  at: Date,
): Promise<void> {
  await statements.finding.updateMany({ where: { ...subjects, closedAt: null }, data: { closedAt: at } });
}
