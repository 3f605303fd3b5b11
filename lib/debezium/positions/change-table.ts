import type { JsonObject, JsonValue } from "../json";
import { type ChangeTablePosition, type ChangeTableRules, orderChangeTables } from "./change-table-order";
import { count, fieldProblems, quoted, textField, wholeField } from "./field-kinds";
import { type HexLsn, isNullLsn, parseHexLsn } from "./lsn-hex";
import { snapshotRecord } from "./order-words";
import type {
  ChangeRecord,
  Distance,
  FieldKind,
  FieldText,
  Identity,
  PositionKind,
  Problem,
  Reading,
} from "./position";
import { snapshotState } from "./snapshot-state";

/** What differs between the databases whose connector reads change tables. */
export interface ChangeTableDatabase extends ChangeTableRules {
  name: string;
  /** How many bytes an LSN has. */
  lsnBytes: readonly number[];
  /** The LSN for a person, with its parts where they are known. */
  describe(lsn: HexLsn): string;
  /** Why no amount lies between two commit LSNs. */
  gap(from: HexLsn | null, to: HexLsn | null): string;
}

/** An LSN, null for none, undefined for what is neither. */
function lsnOf({ lsnBytes }: ChangeTableDatabase, value: JsonValue | undefined): HexLsn | null | undefined {
  if (value == null) return null;
  if (typeof value !== "string") return undefined;
  return isNullLsn(value) ? null : (parseHexLsn(value, lsnBytes) ?? undefined);
}

function lsnFieldText(database: ChangeTableDatabase, text: string, none: string): FieldText {
  const lsn = lsnOf(database, text);
  if (lsn === undefined) return { problem: `is ${quoted(text)}, not an LSN of ${database.name}` };
  return { text: lsn === null ? none : database.describe(lsn) };
}

/** In a snapshot there is no change yet; afterwards `NULL` stands until the first one. */
function changeField(database: ChangeTableDatabase): FieldKind {
  const meaning = "LSN of the last change that was sent. It may lie below commit_lsn: changes come first.";
  return {
    meaning,
    read(value, offset = {}) {
      const none = snapshotState(offset) === "none" ? "none" : "none yet (snapshot)";
      if (value === null) return { text: none };
      return textField(meaning, (text) => lsnFieldText(database, text, none)).read(value, offset);
    },
  };
}

function changeTableFields(database: ChangeTableDatabase) {
  return {
    commit_lsn: textField(
      "LSN of the commit of the last transaction of which a change was sent; a restart reads from here.",
      (text) => lsnFieldText(database, text, "none yet"),
    ),
    change_lsn: changeField(database),
    event_serial_no: wholeField(
      "Rows with these two LSNs that are done; a restart skips them. An update counts as two.",
    ),
  };
}

function decodeOffset(
  database: ChangeTableDatabase,
  fields: Readonly<Record<string, FieldKind>>,
  offset: JsonObject,
): Reading<ChangeTablePosition> {
  const problems = fieldProblems(offset, fields);
  const [commit, change] = [lsnOf(database, offset.commit_lsn), lsnOf(database, offset.change_lsn)];
  if (offset.commit_lsn === undefined) {
    const text = `commit_lsn is missing; every ${database.name} offset has one.`;
    return { position: null, problems: [...problems, { key: "commit_lsn", text }] };
  }
  if (commit === undefined || change === undefined) return { position: null, problems };
  const state = snapshotState(offset);
  return {
    position: {
      of: "offset",
      commit,
      change,
      serial: count(offset.event_serial_no) ?? 0n,
      database: null,
      afterSnapshot: state === "done" && change === null,
      snapshot: state === "initial-running" || state === "blocking-running" ? "initial" : null,
    },
    problems,
  };
}

function decodeSource(database: ChangeTableDatabase, source: JsonObject): Reading<ChangeTablePosition> {
  const problems: Problem[] = [];
  const [commit, change] = [lsnOf(database, source.commit_lsn), lsnOf(database, source.change_lsn)];
  for (const [key, lsn] of [
    ["commit_lsn", commit],
    ["change_lsn", change],
  ] as const)
    if (lsn === undefined)
      problems.push({ key, text: `${key} is ${quoted(source[key])}, not an LSN of ${database.name}.` });
  if (commit === null) problems.push({ key: "commit_lsn", text: "The event has no commit_lsn." });
  if (commit == null || change === undefined) return { position: null, problems };
  return {
    position: {
      of: "event",
      commit,
      change,
      serial: count(source.event_serial_no),
      database: typeof source.db === "string" && source.db !== "" ? source.db : null,
      afterSnapshot: false,
      snapshot: snapshotRecord(source.snapshot),
    },
    problems,
  };
}

/** Commit LSN, change LSN and, where events have one, their number. */
function identity(database: ChangeTableDatabase, record: ChangeRecord): Identity {
  const { topic, key, op, source } = record;
  if (op === "r") return { id: null, why: "A record read by a snapshot is a re-read, not a change." };
  const [commit, change] = [lsnOf(database, source.commit_lsn), lsnOf(database, source.change_lsn)];
  if (commit == null || change == null)
    return { id: null, why: "The event has no commit_lsn and change_lsn that can be read." };
  const serial = count(source.event_serial_no);
  const db = typeof source.db === "string" ? source.db : null;
  const unnumbered = "rows that share these LSNs cannot be told apart.";
  const keyless = serial === null && key === null;
  const lost = database.eventsAreNumbered && serial === null;
  const caveat = lost
    ? `The event has no event_serial_no: ${unnumbered}`
    : keyless
      ? `The table has no key, and ${database.name}'s events have no event_serial_no: ${unnumbered}`
      : null;
  const id = JSON.stringify([db, commit, change, serial?.toString() ?? null, topic, key, op]);
  return { id, caveat };
}

function distance(
  database: ChangeTableDatabase,
  from: ChangeTablePosition,
  to: ChangeTablePosition,
): Distance {
  const order = orderChangeTables(database, from, to);
  if (order.order === "unordered") return { amount: null, why: order.why };
  return { amount: null, why: database.gap(from.commit, to.commit) };
}

function meaningOf(offset: JsonObject, position: ChangeTablePosition): string {
  if (position.snapshot === "initial")
    return "Commit LSN at which the running snapshot was taken; streaming goes on from there.";
  if (position.change === null)
    return "Commit LSN at which the snapshot was taken; no change was sent since.";
  const stored = offset.event_serial_no ?? 0;
  const number = count(stored) === null ? "its number cannot be read" : `number ${count(stored)} there`;
  return `Commit LSN of the transaction of the last change sent (change LSN ${position.change}, ${number}).`;
}

/** The kind of positions that SQL Server and Db2 share. LSNs carry no time, so an offset does not tell one. */
export function changeTableKind(database: ChangeTableDatabase): PositionKind<ChangeTablePosition> {
  const fields = changeTableFields(database);
  return {
    fields,
    decodeOffset: (offset) => decodeOffset(database, fields, offset),
    decodeSource: (source) => decodeSource(database, source),
    order: (a, b) => orderChangeTables(database, a, b),
    distance: (from, to) => distance(database, from, to),
    identity: (record) => identity(database, record),
    headline(offset) {
      const { position } = decodeOffset(database, fields, offset);
      if (!position) return { text: "unknown", meaning: "The LSNs of the offset cannot all be read." };
      if (position.commit === null) return { text: "none yet", meaning: "No transaction was read yet." };
      return { text: position.commit, meaning: meaningOf(offset, position) };
    },
    warnings: () => [],
    sourceTime: () => null,
  };
}
