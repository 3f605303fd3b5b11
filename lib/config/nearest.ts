/** The name that was probably meant, or null: same letters in another dress (`data_dir`), or at most two edits away. */
export function nearest(given: string, names: readonly string[]): string | null {
  const bare = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, "");
  let best: { name: string; edits: number } | null = null;
  for (const name of names) {
    const edits = bare(name) === bare(given) ? 0 : editDistance(bare(given), bare(name));
    if (edits <= Math.min(2, name.length / 2) && (!best || edits < best.edits)) best = { name, edits };
  }
  return best?.name ?? null;
}

/** Levenshtein's distance. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
