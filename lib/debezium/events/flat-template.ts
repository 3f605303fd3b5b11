import { afterScalar, afterString, bytesOf, standsAt } from "./json-bytes";

/** One member of a flat JSON object as it was last seen. */
export interface Member {
  /** `"key":`, with the comma before it unless it comes first. */
  key: string;
  /** Index among the wanted members, or -1. */
  slot: number;
  /** The value as it stands; null when it differs from event to event. */
  constant: string | null;
}

/**
 * What the bytes of an object are expected to be: runs of constant bytes, a value that varies after each but the last.
 * A run is kept as 32-bit words, its last one overlapping, because comparing words is four times as fast as bytes.
 */
export interface Template {
  words: Int32Array;
  runLengths: Int32Array;
  /** The slot of the value after each run but the last. */
  varying: Int32Array;
  /** Wanted members that lie inside runs, four numbers each: slot, run, and from and to within the run. */
  constants: Int32Array;
}

/** The most members of an object that is learned. Debezium's widest source block (Spanner) has 24. */
const mostMembers = 64;
const closing = 0x7d;

/** The members of the flat object that begins at `at`, by reading each; null when it is not flat or not plain. */
export function readMembers(
  bytes: Buffer,
  at: number,
  end: number,
  wanted: readonly Uint8Array[],
  nestedEnd: (slot: number, at: number) => number,
): { members: Member[]; closing: number; spans: [slot: number, from: number, to: number][] } | null {
  const members: Member[] = [];
  const spans: [number, number, number][] = [];
  for (let i = at; members.length < mostMembers; ) {
    const keyAt = members.length === 0 ? i : i + 1;
    const keyStop = bytes[keyAt] === 0x22 ? afterString(bytes, keyAt, end) : -1;
    if (keyStop < 0 || bytes[keyStop] !== 0x3a || keyStop - keyAt < 3) return null;
    const key = bytes.toString("latin1", i, keyStop + 1);
    if (key.includes("\\")) return null;
    const slot = wanted.findIndex((w) => w.length === keyStop - keyAt - 2 && standsAt(bytes, keyAt + 1, w));
    if (slot >= 0 && spans.some(([taken]) => taken === slot)) return null;
    const nested = nestedEnd(slot, keyStop + 1);
    const stop = nested >= 0 ? nested : afterScalar(bytes, keyStop + 1, end);
    if (stop < 0) return null;
    members.push({
      key,
      slot,
      constant: nested >= 0 ? null : constant(bytes.toString("latin1", keyStop + 1, stop)),
    });
    if (slot >= 0) spans.push([slot, keyStop + 1, stop]);
    i = stop;
    if (i < end && bytes[i] === closing) return { members, closing: i, spans };
    if (bytes[i] !== 0x2c) return null;
  }
  return null;
}

/** Numbers vary; texts and words do until they are seen to. */
function constant(value: string): string | null {
  return /^[-\d]/.test(value) ? null : value;
}

/** The same members with those values left constant that both have; the newer ones when the keys differ. */
export function commonMembers(older: readonly Member[], newer: readonly Member[]): Member[] {
  const sameKeys = older.length === newer.length && older.every((m, i) => m.key === newer[i]?.key);
  if (!sameKeys) return [...newer];
  return newer.map((m, i) => (m.constant === older[i]?.constant ? m : { ...m, constant: null }));
}

export function templateOf(members: readonly Member[]): Template {
  const runs: string[] = [];
  const varying: number[] = [];
  const constants: number[] = [];
  let run = "";
  for (const { key, slot, constant } of members) {
    run += key;
    if (constant === null) {
      runs.push(run);
      varying.push(slot);
      run = "";
    } else {
      if (slot >= 0) constants.push(slot, runs.length, run.length, run.length + constant.length);
      run += constant;
    }
  }
  runs.push(run);
  return {
    words: Int32Array.from(runs.flatMap(wordsOf)),
    runLengths: Int32Array.from(runs, (text) => text.length),
    varying: Int32Array.from(varying),
    constants: Int32Array.from(constants),
  };
}

/** Little-endian words; none for the empty run after a last value that varies. No other run is shorter than a word. */
function wordsOf(run: string): number[] {
  const bytes = Buffer.from(run, "latin1");
  const words: number[] = [];
  for (let i = 0; i < bytes.length; i += 4) words.push(bytes.readInt32LE(Math.min(i, bytes.length - 4)));
  return words;
}

/** The texts of wanted keys as bytes. */
export function wantedKeys(keys: readonly string[]): Uint8Array[] {
  return keys.map(bytesOf);
}
