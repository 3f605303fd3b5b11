import type { RunPart } from "@/lib/measure/duplicates/run-parts";

/**
 * Parts with those of a stretch that was read whole, in which runs that were not known to write there can take turns.
 * @param parts in order, each up to the next one; the one that holds `at` stays the same object
 * @param exact the parts from `at` to before `end`
 */
export function withTurns(
  parts: readonly RunPart[],
  at: number,
  end: number,
  exact: readonly RunPart[],
): RunPart[] {
  const before = parts.filter(({ first }) => first <= at);
  const [holding, crossing] = [before.at(-1), parts.findLast(({ first }) => first < end)];
  const [first, ...others] = exact;
  if (!holding || !crossing || !first || first.runId !== holding.runId) return [...parts];
  const rest = { first: end, end: crossing.end };
  const begun = [holding, ...others];
  cutAt(holding, first.end);
  const last = begun.at(-1) as RunPart;
  if (last.runId === crossing.runId) cutAt(last, Math.max(end, rest.end));
  else if (rest.end > end) begun.push({ ...crossing, ...rest, ends: undefined, endsAt: undefined });
  return [...before.slice(0, -1), ...begun, ...parts.filter((part) => part.first >= end)];
}

/** Lets a part end elsewhere: how far it got has to be looked for again. */
export function cutAt(part: RunPart, end: number): void {
  part.end = end;
  part.endsAt = undefined;
  part.ends = undefined;
}
