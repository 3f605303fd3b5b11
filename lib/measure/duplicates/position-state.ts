import { z } from "zod";

/** A position as JSON: whole numbers beyond JSON's as `{"n":"…"}`, maps as `{"m":[[key, value]]}`, sets as `{"s":[…]}`, other objects as `{"o":{…}}`. */
export type PositionState =
  | string
  | number
  | boolean
  | null
  | PositionState[]
  | { [key: string]: PositionState };

export const positionStateSchema: z.ZodType<PositionState> = z.json() as z.ZodType<PositionState>;

/** Writes a position down; only the kind that made it can read what {@link fromState} gives back. */
export function toState(value: unknown): PositionState {
  if (typeof value === "bigint") return { n: value.toString() };
  if (value === null || value === undefined) return null;
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return value;
  if (Array.isArray(value)) return value.map(toState);
  if (value instanceof Map) return { m: [...value].map(([key, of]) => [toState(key), toState(of)]) };
  if (value instanceof Set) return { s: [...value].map(toState) };
  return { o: Object.fromEntries(Object.entries(value).map(([key, of]) => [key, toState(of)])) };
}

/** @throws RangeError for what {@link toState} never writes */
export function fromState(state: PositionState): unknown {
  if (state === null || typeof state !== "object") return state;
  if (Array.isArray(state)) return state.map(fromState);
  const { n, m, s, o } = state;
  if (typeof n === "string" && /^-?\d+$/.test(n)) return BigInt(n);
  if (Array.isArray(m)) return new Map(m.map((pair) => fromState(pair) as [unknown, unknown]));
  if (Array.isArray(s)) return new Set(s.map(fromState));
  if (o !== null && typeof o === "object" && !Array.isArray(o))
    return Object.fromEntries(Object.entries(o).map(([key, of]) => [key, fromState(of)]));
  throw new RangeError("no position was written down like this");
}
