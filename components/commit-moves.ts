import type { CommitLine } from "@/lib/views/commit-lines";

const names: Readonly<Record<CommitLine["move"], string>> = {
  first: "first at hand",
  forward: "onwards",
  unchanged: "unchanged",
  back: "went back",
  unknown: "not comparable",
  deleted: "deleted",
};

/** What a commit did to the position, in a word or two. */
export function moveName({ move }: CommitLine): string {
  return names[move];
}
