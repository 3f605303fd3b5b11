import { z } from "zod";
import type { Verdict } from "@/lib/checks/verdict";
import type { Statements } from "./database";
import { textAndDigest } from "./observations";

interface Judged {
  connector: string | null;
  verdicts: readonly Verdict[];
}

/** Writes the newest verdicts beside their subjects. @returns the judgements whose subject is stored */
export async function saveVerdicts<J extends Judged>(
  statements: Statements,
  cluster: string,
  judgements: readonly J[],
  at: Date,
): Promise<J[]> {
  const stored: J[] = [];
  for (const judgement of judgements) {
    if (judgement.connector !== null) continue;
    const { text, digest } = textAndDigest(judgement.verdicts);
    const found = await statements.$executeRaw`
      UPDATE cluster SET judged_at = ${at}, verdicts = ${text}::json, verdicts_digest = ${digest}
      WHERE name = ${cluster}`;
    if (found > 0) stored.push(judgement);
  }
  const names = await saveConnectorVerdicts(statements, cluster, judgements, at);
  return [...stored, ...judgements.filter((j) => j.connector !== null && names.has(j.connector))];
}

/** Verdicts that are what they were are not sent again. @returns the names of the connectors that are stored */
async function saveConnectorVerdicts(
  statements: Statements,
  cluster: string,
  judgements: readonly Judged[],
  at: Date,
): Promise<Set<string>> {
  const rows = judgements.flatMap(({ connector, verdicts }) =>
    connector === null ? [] : [{ name: connector, ...textAndDigest(verdicts) }],
  );
  if (rows.length === 0) return new Set();
  const digests = rows.map(({ name, digest }) => ({ name, digest }));
  const touched = namesSchema.parse(
    await statements.$queryRaw`
      UPDATE connector AS c SET judged_at = ${at}
      FROM json_to_recordset(${JSON.stringify(digests)}::json) AS t(name text, digest text)
      WHERE c.cluster = ${cluster} AND c.name = t.name AND c.verdicts_digest = t.digest
      RETURNING c.name`,
  );
  const done = new Set(touched.map((row) => row.name));
  const changed = rows.filter((row) => !done.has(row.name));
  if (changed.length === 0) return done;
  const written = namesSchema.parse(
    await statements.$queryRaw`
      UPDATE connector AS c SET judged_at = ${at}, verdicts = t.text::json, verdicts_digest = t.digest
      FROM json_to_recordset(${JSON.stringify(changed)}::json) AS t(name text, text text, digest text)
      WHERE c.cluster = ${cluster} AND c.name = t.name
      RETURNING c.name`,
  );
  return new Set([...done, ...written.map((row) => row.name)]);
}

const namesSchema = z.array(z.object({ name: z.string() }));
