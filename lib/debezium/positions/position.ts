import type { DecodeWarning, Phase } from "../decode-report";
import type { JsonObject, JsonValue } from "../json";

/** How one position stands to another: the first is `before`, `equal` to or `after` the second. */
export type Order =
  | { order: "before" | "equal" | "after"; why?: string }
  | { order: "unordered"; why: string };

/** How far it is from one position to another, negative when back; or why that cannot be told. */
export type Distance = { amount: bigint; unit: string } | { amount: null; why: string };

/** A key of an offset or source block that cannot be read. */
export interface Problem {
  key: string;
  /** One sentence: what is there and what would be right. */
  text: string;
}

/** A position, or null when what it needs is missing or malformed; either way with all that is wrong. */
export interface Reading<P> {
  position: P | null;
  problems: Problem[];
}

/** A value for a person, or why it cannot be read: "is not a whole number". */
export type FieldText = { text: string; problem?: undefined } | { text?: undefined; problem: string };

/** How one key of an offset is read and what it means. */
export interface FieldKind {
  meaning: string;
  /** `offset` is the whole map, for a text that depends on another key of it. */
  read(value: JsonValue, offset?: JsonObject): FieldText;
}

/** A change event as it lies in a topic: what its identity is made of. */
export interface ChangeRecord {
  topic: string;
  /** The key as one canonical text, or a hash of it; null when the table has none. */
  key: string | null;
  op: string;
  source: JsonObject;
  /** The event's `transaction` block, present with provide.transaction.metadata. */
  transaction?: JsonValue;
}

/** What makes two records the same change. */
export type Identity =
  | {
      id: string;
      /** Why two different changes may share this identity; null when none should. */
      caveat: string | null;
    }
  | { id: null; why: string };

interface Headline {
  text: string;
  meaning: string;
}

/**
 * What Tidemark knows of the positions of one connector type. `P` is opaque to callers that take the kind
 * from the table: a position goes back only to the kind that made it.
 */
export interface PositionKind<P> {
  /** Keys of the offset that are this connector's own, in the order in which they are shown. */
  readonly fields: Readonly<Record<string, FieldKind>>;
  decodeOffset(offset: JsonObject): Reading<P>;
  decodeSource(source: JsonObject): Reading<P>;
  /**
   * Orders two positions. Of an offset and an event: `before` means that the event is not covered by the
   * offset and would be sent again, `equal` or `after` that the offset covers it.
   */
  order(a: P, b: P): Order;
  distance(from: P, to: P): Distance;
  identity(record: ChangeRecord): Identity;
  headline(offset: JsonObject): Headline;
  /** What in this offset a person should know, beyond malformed fields and snapshots. */
  warnings(offset: JsonObject): DecodeWarning[];
  /** Microseconds since 1970 of the last change that the offset covers; null where it does not tell. */
  sourceTime(offset: JsonObject): bigint | null;
  /** How a key is read whose name is not fixed, such as one for each topic. */
  dynamicField?(key: string): FieldKind | null;
  /** The phase where this connector says it in its own way; null where the flags common to all connectors say it. */
  phase?(offset: JsonObject): { phase: Phase; phaseText: string } | null;
}
