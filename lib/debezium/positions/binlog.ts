import type { JsonObject, JsonValue } from "../json";
import { filesBetween, filesText } from "./binlog-file";
import { type BinlogPosition, orderBinlog } from "./binlog-order";
import {
  count,
  fieldProblems,
  knownTime,
  plural,
  quoted,
  textField,
  timeField,
  wholeField,
} from "./field-kinds";
import type { GtidDialect } from "./gtid";
import type { ChangeRecord, Distance, Identity, PositionKind, Problem, Reading } from "./position";
import { snapshotState } from "./snapshot-state";

const positive = (value: JsonValue | undefined) => {
  const number = count(value);
  return number === 0n ? null : number;
};

function gtidField<S>(dialect: GtidDialect<S>) {
  return textField(
    "GTIDs of the transactions that are complete. A restart asks the server for all others.",
    (text) => {
      const parsed = dialect.parse(text);
      if (parsed.problem !== undefined) return { problem: `cannot be read: ${parsed.problem}` };
      return { text: parsed.set === null ? "none recorded" : dialect.describe(parsed.set) };
    },
  );
}

function binlogFields<S>(dialect: GtidDialect<S>) {
  const gtids = gtidField(dialect);
  return {
    file: textField("Binlog file in which a restart begins to read."),
    pos: wholeField("Byte in that file at which a restart begins to read: the start of a transaction."),
    gtids: {
      ...gtids,
      read: (value: JsonValue) => (value === null ? { text: "none recorded" } : gtids.read(value)),
    },
    event: wholeField(
      "Binlog events after the start of the transaction that are done; a restart skips them.",
      (n) => `${plural(n, "event")} to skip`,
    ),
    row: wholeField(
      "Rows of the next binlog event that are done; a restart skips them.",
      (n) => `${plural(n, "row")} to skip`,
    ),
    server_id: wholeField("Number of the server that wrote the last change (server_id)."),
    ts_sec: timeField("When the source made the last change, to the second.", 1_000_000n),
  };
}

function readGtids<S>(dialect: GtidDialect<S>, value: JsonValue | undefined): S | null {
  return typeof value === "string" ? (dialect.parse(value).set ?? null) : null;
}

function textOrNull(value: JsonValue | undefined): string | null {
  return typeof value === "string" && value.trim() !== "" ? value.trim() : null;
}

function coordinates(value: JsonObject, problems: Problem[]): { file: string; pos: bigint } | null {
  const file = textOrNull(value.file);
  const pos = count(value.pos);
  if (value.file == null || value.file === "")
    problems.push({ key: "file", text: "file is missing; Debezium cannot start without it." });
  if (value.pos == null) problems.push({ key: "pos", text: "pos is missing." });
  return file !== null && pos !== null ? { file, pos } : null;
}

function decodeSource<S>(source: JsonObject): Reading<BinlogPosition<S>> {
  const problems: Problem[] = [];
  const at = coordinates(source, problems);
  if (source.pos != null && count(source.pos) === null)
    problems.push({ key: "pos", text: `pos is ${quoted(source.pos)}, not a whole number from 0.` });
  if (!at) return { position: null, problems };
  const millis = count(source.ts_ms);
  const flag = source.snapshot;
  return {
    position: {
      of: "event",
      ...at,
      event: 0n,
      row: count(source.row) ?? 0n,
      gtids: null,
      gtid: textOrNull(source.gtid),
      serverId: positive(source.server_id),
      seconds: millis === null ? null : millis / 1000n,
      snapshot:
        flag === "incremental"
          ? "incremental"
          : flag == null || flag === "false" || flag === false
            ? null
            : "initial",
    },
    problems,
  };
}

/** GTID or server, then file, position and row: of one server. `GtidCopies` tells a copy across a failover. */
function identity({ topic, key, op, source }: ChangeRecord): Identity {
  if (op === "r") return { id: null, why: "A record read by a snapshot is a re-read, not a change." };
  const at = coordinates(source, []);
  if (!at) return { id: null, why: "The event has no file and position." };
  const gtid = textOrNull(source.gtid);
  const writer = gtid ?? count(source.server_id)?.toString() ?? null;
  const row = count(source.row) ?? 0n;
  return {
    id: JSON.stringify([writer, at.file, at.pos.toString(), row.toString(), topic, key, op]),
    caveat: key === null ? "The table has no key: in a compressed transaction rows share a position." : null,
  };
}

function distance<S>(dialect: GtidDialect<S>, from: BinlogPosition<S>, to: BinlogPosition<S>): Distance {
  if (from.gtids !== null && to.gtids !== null && !dialect.equal(from.gtids, to.gtids)) {
    if (dialect.covers(to.gtids, from.gtids))
      return { amount: dialect.countBeyond(to.gtids, from.gtids), unit: "transactions" };
    if (dialect.covers(from.gtids, to.gtids))
      return { amount: -dialect.countBeyond(from.gtids, to.gtids), unit: "transactions" };
    return { amount: null, why: "Each has transactions that the other lacks." };
  }
  if (from.serverId !== null && to.serverId !== null && from.serverId !== to.serverId)
    return {
      amount: null,
      why: `Written by servers ${from.serverId} and ${to.serverId}: positions do not compare.`,
    };
  const files = filesBetween(from.file, to.file);
  if (files === null)
    return { amount: null, why: `Binlogs ${from.file} and ${to.file} are of different series.` };
  if (files !== 0n)
    return { amount: null, why: `${filesText(files)}; how long the files are is not in the offset.` };
  return { amount: to.pos - from.pos, unit: "bytes in the same binlog file" };
}

function gtidHeadline(text: string, place: string | null, running: boolean) {
  const meaning = running
    ? "GTID at which the running snapshot was taken; streaming goes on from there."
    : `GTID of the last complete transaction; a restart reads on from ${place ?? "there"}.`;
  return { text, meaning };
}

/** One offset's GTIDs are read for its text, its problems and its position: parsed once, and let go afterwards. */
function rememberLast<S>(dialect: GtidDialect<S>): GtidDialect<S> {
  let last: WeakRef<{ text: string; parsed: ReturnType<GtidDialect<S>["parse"]> }> | null = null;
  return {
    ...dialect,
    parse(text) {
      const known = last?.deref();
      if (known?.text === text) return known.parsed;
      const parsed = dialect.parse(text);
      last = new WeakRef({ text, parsed });
      return parsed;
    },
  };
}

/** The kind of positions that MySQL and MariaDB share; `gtidFirst` puts the GTID in the headline. */
export function binlogKind<S>(own: GtidDialect<S>, gtidFirst: boolean): PositionKind<BinlogPosition<S>> {
  const dialect = rememberLast(own);
  const fields = binlogFields(dialect);
  return {
    fields,
    decodeOffset(offset) {
      const problems = fieldProblems(offset, fields);
      const at = coordinates(offset, problems);
      if (!at) return { position: null, problems };
      const state = snapshotState(offset);
      const running = state === "initial-running" || state === "blocking-running";
      return {
        position: {
          of: "offset",
          ...at,
          event: count(offset.event) ?? 0n,
          row: count(offset.row) ?? 0n,
          gtids: readGtids(dialect, offset.gtids),
          gtid: textOrNull(offset.transaction_id),
          serverId: positive(offset.server_id),
          seconds: positive(offset.ts_sec),
          snapshot: running ? "initial" : null,
        },
        problems,
      };
    },
    decodeSource,
    order: (a, b) => orderBinlog(dialect, a, b),
    distance: (from, to) => distance(dialect, from, to),
    identity,
    headline(offset) {
      const at = coordinates(offset, []);
      const place = at && `${at.file} : ${at.pos}`;
      const gtids = gtidFirst ? readGtids(dialect, offset.gtids) : null;
      const state = snapshotState(offset);
      const running = state === "initial-running" || state === "blocking-running";
      if (gtids !== null) return gtidHeadline(dialect.print(gtids), place, running);
      if (place === null)
        return { text: "unknown", meaning: "The offset has no file and position that can be read." };
      const meaning = running
        ? "Binlog file and byte at which the running snapshot was taken; streaming goes on from there."
        : "Binlog file and byte from which a restart reads on.";
      return { text: place, meaning };
    },
    warnings(offset) {
      const done = (count(offset.event) ?? 0n) + (count(offset.row) ?? 0n);
      if (done === 0n || snapshotState(offset) === "initial-running") return [];
      const text =
        "The offset is inside a transaction: a restart reads it again from its start and skips what is done.";
      return [{ slug: "mid-transaction", text }];
    },
    sourceTime(offset) {
      const micros = (count(offset.ts_sec) ?? 0n) * 1_000_000n;
      return knownTime(micros) === null ? null : micros;
    },
  };
}
