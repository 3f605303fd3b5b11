import { plural } from "./field-kinds";
import type { Distance } from "./position";

/** What a person must know of a step: each slug is that of the check that reports it. */
export interface ProgressWarning {
  slug: "offset-went-back" | "offset-not-comparable";
  /** One or two sentences: what happened, its likely cause, what it means for a restart. */
  text: string;
}

/** What lies between two successive offsets of one source partition. */
export interface Progress {
  /**
   * `unknown`: the two cannot be compared, or one cannot be read. Never taken for `unchanged`, which says that the
   * position is the same, though other keys of the offset may not be.
   */
  move: "forward" | "back" | "unchanged" | "unknown";
  /** How far, negative when back; amount null where that has no meaning or cannot be told, with why. */
  distance: Distance;
  /** One line for a person: `+45 transactions`, `unchanged`, `unknown: …`. */
  text: string;
  warnings: ProgressWarning[];
}

/** `+45 transactions`, `-1 transaction`, `+1 byte in the same binlog file`. */
function steps(amount: bigint, unit: string): string {
  const [, noun = unit, rest = ""] = /^(\S+)(.*)$/.exec(unit) ?? [];
  const size = amount < 0n ? -amount : amount;
  return `${amount < 0n ? "-" : "+"}${plural(size, noun.replace(/s$/, ""), noun)}${rest}`;
}

const clause = (sentence: string) => sentence.replace(/\.$/, "");

/** Two positions that do not compare, or of which one cannot be read; `why` is a sentence. */
export function unknownProgress(why: string, warnings: ProgressWarning[] = []): Progress {
  return { move: "unknown", distance: { amount: null, why }, text: `unknown: ${clause(why)}`, warnings };
}

/** The same position; `note` tells what else of the offset moved. */
export function unchanged(note: string | null = null): Progress {
  const text = note === null ? "unchanged" : `unchanged; ${note}`;
  return {
    move: "unchanged",
    distance: { amount: null, why: "The position is the same." },
    text,
    warnings: [],
  };
}

/** A step forward (direction above 0) or back. An amount that is 0 or points the other way is left out. */
export function moved(direction: bigint, distance: Distance, warnings: ProgressWarning[] = []): Progress {
  if (direction === 0n) return { ...unchanged(), warnings };
  const move = direction > 0n ? "forward" : "back";
  const { amount } = distance;
  if (amount !== null && (direction > 0n ? amount > 0n : amount < 0n))
    return { move, distance, text: steps(amount, distance.unit), warnings };
  const why =
    amount === null
      ? distance.why
      : `What lies between cannot be counted in ${distance.unit}: positions do not rise in step with the order of delivery.`;
  return { move, distance: { amount: null, why }, text: `${move}; ${clause(why)}`, warnings };
}
