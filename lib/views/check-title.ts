import { checkBySlug } from "@/lib/checks/catalogue";

/** The title of a check; for one that this version does not know its slug in words: `task-lost` → `Task lost`. */
export function checkTitle(slug: string): string {
  const title = checkBySlug(slug)?.title;
  if (title !== undefined) return title;
  const words = slug.replaceAll("-", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
