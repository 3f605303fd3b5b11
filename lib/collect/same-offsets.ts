import type { StoredOffsets } from "@/lib/observed/connector";

/** Whether two looks saw the same offsets, be they from Connect or from its offset topic. */
export function sameOffsets(a: StoredOffsets, b: StoredOffsets): boolean {
  return textOf(a) === textOf(b);
}

const textOf = ({ offsets }: StoredOffsets) =>
  JSON.stringify(offsets.map((o) => [o.partition, o.offset]).sort(([a = ""], [b = ""]) => (a < b ? -1 : 1)));
