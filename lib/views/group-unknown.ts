import type { Outcome } from "@/lib/checks/verdict";

/**
 * Puts together what is unknown for one and the same reason, so that one refused look is told once and not once a check.
 * Everything else stands alone. A group stands where its first member stood; order is kept.
 */
export function groupUnknown<T extends { outcome: Outcome }>(
  items: readonly T[],
  reasonOf: (item: T) => string,
): [first: T, ...others: T[]][] {
  const groups: [T, ...T[]][] = [];
  const byReason = new Map<string, [T, ...T[]]>();
  for (const item of items) {
    const group = item.outcome === "unknown" ? byReason.get(reasonOf(item)) : undefined;
    if (group) {
      group.push(item);
      continue;
    }
    const started: [T, ...T[]] = [item];
    groups.push(started);
    if (item.outcome === "unknown") byReason.set(reasonOf(item), started);
  }
  return groups;
}
