import {
  type NotMeasurable,
  type PartitionDuplicates,
  partitionDuplicatesSchema,
} from "@/lib/observed/duplicates";

/** What was found in one stretch of a partition. Its replays are stored by themselves. */
export const foundSchema = partitionDuplicatesSchema.omit({ replays: true });
export type FoundWithout = Omit<PartitionDuplicates, "replays">;

/** Examples that are kept of one partition. */
const MOST = { runs: 50, falls: 20, notes: 10 };

type Sure = PartitionDuplicates["sure"];

/** What was found in all of them, oldest first: of runs and falls the newest. */
export function foundTogether(parts: readonly FoundWithout[]): FoundWithout {
  const [first, ...others] = parts;
  if (!first) throw new Error("nothing was measured");
  return others.reduce(
    (sum, part) => ({
      ...part,
      from: sum.from,
      falls: distinct([...sum.falls, ...part.falls], (fall) => fall.offset).slice(-MOST.falls),
      runs: distinct([...sum.runs, ...part.runs], (run) => `${run.runId} ${run.firstOffset}`).slice(
        -MOST.runs,
      ),
      notMeasurable: notesTogether([...sum.notMeasurable, ...part.notMeasurable]),
      sure: leastSure(sum.sure, part.sure),
      spacing: eitherOr(sum.spacing, part.spacing, Math.max),
      uncommittedCopies: eitherOr(sum.uncommittedCopies, part.uncommittedCopies, (a, b) => a + b),
      bytesRead: sum.bytesRead + part.bytesRead,
      reads: sum.reads + part.reads,
    }),
    first,
  );
}

/** One of each slug: their records added up where each tells how many. */
export function notesTogether(notes: readonly NotMeasurable[]): NotMeasurable[] {
  const bySlug = new Map<string, NotMeasurable>();
  for (const note of notes) {
    const known = bySlug.get(note.slug);
    const added = known?.count == null || note.count === null ? null : known.count + note.count;
    bySlug.set(note.slug, { ...note, count: known ? added : note.count });
  }
  return [...bySlug.values()].slice(0, MOST.notes);
}

/** Where one part knows less, all of it does. Where every record was read, more is known than by run ids. */
export function leastSure(a: Sure, b: Sure): Sure {
  const order: readonly Sure[] = ["known-starts", "complete", "whole"];
  return order[Math.min(order.indexOf(a), order.indexOf(b))] ?? "known-starts";
}

/** What was found from an offset on. Counts without a place are those of what will be measured a second time. */
export function foundFrom(found: FoundWithout, from: number): FoundWithout {
  return {
    ...found,
    from,
    falls: found.falls.filter((fall) => fall.offset >= from),
    runs: found.runs.filter((run) => run.firstOffset >= from),
    notMeasurable: [],
    uncommittedCopies: null,
  };
}

function eitherOr(a: number | null, b: number | null, both: (a: number, b: number) => number): number | null {
  return a === null || b === null ? (a ?? b) : both(a, b);
}

function distinct<T>(members: readonly T[], keyOf: (member: T) => unknown): T[] {
  return [...new Map(members.map((member) => [keyOf(member), member] as const)).values()];
}
