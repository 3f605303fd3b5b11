/** The slug in words, for a check that this version does not know: `task-failed` → `Task failed`. */
export function checkTitle(slug: string): string {
  const words = slug.replaceAll("-", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
