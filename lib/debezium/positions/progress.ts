import type { ConnectorType } from "../connector-type";
import { type JsonObject, stringifyJson } from "../json";
import { plural } from "./field-kinds";
import { positionKinds } from "./kinds";
import type { Distance } from "./position";

/** What a person must know of a step: each slug is that of the check that reports it. */
export interface ProgressWarning {
  slug: "offset-went-back" | "offset-not-comparable";
  /** One or two sentences: what happened, its likely cause, what it means for a restart. */
  text: string;
}

/** What lies between two successive offsets of one source partition. */
export interface Progress {
  /** `unknown`: the two cannot be compared, or one cannot be read. Never taken for `unchanged`. */
  move: "forward" | "back" | "unchanged" | "unknown";
  /** How far, negative when back; amount null where that has no meaning or cannot be told, with why. */
  distance: Distance;
  /** One line for a person: `+45 transactions`, `unchanged`, `not comparable: …`. */
  text: string;
  warnings: ProgressWarning[];
}

/** `+45 transactions`, `-1 transaction`. */
function steps({ amount, unit }: { amount: bigint; unit: string }): string {
  const size = amount < 0n ? -amount : amount;
  return `${amount < 0n ? "-" : "+"}${plural(size, unit.replace(/s$/, ""), unit)}`;
}

/**
 * How one source partition moved from one stored offset to the next one stored for it. Whatever the two hold, it
 * answers and never throws: an offset that cannot be read gives `unknown` with the reason.
 */
export function progress(type: ConnectorType, before: JsonObject, after: JsonObject): Progress {
  const kind = positionKinds[type];
  const unknown = (why: string): Progress => ({
    move: "unknown",
    distance: { amount: null, why },
    text: `unknown: ${why}`,
    warnings: [],
  });
  if (stringifyJson(before) === stringifyJson(after))
    return {
      move: "unchanged",
      distance: { amount: null, why: "The same." },
      text: "unchanged",
      warnings: [],
    };
  const [a, b] = [kind.decodeOffset(before).position, kind.decodeOffset(after).position];
  if (a === null || b === null) return unknown("a position cannot be read");
  const order = kind.order(a, b);
  if (order.order === "unordered") return unknown(order.why);
  const distance = kind.distance(a, b);
  const text =
    distance.amount === null ? distance.why : steps({ amount: distance.amount, unit: distance.unit });
  if (order.order === "equal") return { move: "unchanged", distance, text: "unchanged", warnings: [] };
  return { move: order.order === "before" ? "forward" : "back", distance, text, warnings: [] };
}
