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
export function moveName(line: CommitLine): string {
  return isOdd(line) && line.move === "forward" ? names.unknown : names[line.move];
}

/** Whether a person should know of it: then it is named on the strip and marked in the table. */
export function isOdd({ move, warnings }: CommitLine): boolean {
  return move === "back" || move === "deleted" || move === "unknown" || warnings.length > 0;
}
