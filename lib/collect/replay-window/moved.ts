/** A connector whose ends or commit are not what they were at its last count by position. */
export interface Moved {
  connector: string;
  /** Records of its bracket by time, the upper figure where there is one; null: not known. */
  bracket: number | null;
  /** Polls that it has waited for a count. */
  waited: number;
}

/** A connector that has waited so many polls comes before every larger one. */
const patientPolls = 6;

/** Whom to count first: those that waited long, the longest first; then the largest, an unknown size before all. */
export function countFirst(moved: readonly Moved[]): Moved[] {
  const patience = (m: Moved) => (m.waited >= patientPolls ? m.waited : 0);
  const size = (m: Moved) => m.bracket ?? Number.POSITIVE_INFINITY;
  return [...moved].sort(
    (a, b) => patience(b) - patience(a) || compare(size(b), size(a)) || compare(b.waited, a.waited),
  );
}

const compare = (a: number, b: number) => (a === b ? 0 : a < b ? -1 : 1);
