import { filesBetween, filesText } from "./binlog-file";
import { type BinlogPosition, compareCoordinates } from "./binlog-order";
import { plural } from "./field-kinds";
import type { GtidDialect } from "./gtid";
import type { Distance } from "./position";
import { moved, type Progress, type ProgressWarning, unchanged, unknownProgress } from "./progress-words";

type Step<S> = { from: BinlogPosition<S>; to: BinlogPosition<S> };

/** What a transaction's GTID event takes in the log before the transaction: less is no sign of transactions without GTID. */
const gtidEventBytes = 256n;
/** Where the first event of a binlog file begins. The head of a file, before any transaction, can be pages long. */
const fileStart = 4n;

function notComparable(text: string): ProgressWarning {
  return { slug: "offset-not-comparable", text };
}

const places = <S>({ from, to }: Step<S>) => `${from.file} : ${from.pos}, then ${to.file} : ${to.pos}`;

/** Whether both tell the server that wrote the last change, and it is not the same one. */
function otherServer<S>({ from, to }: Step<S>): boolean {
  return from.serverId !== null && to.serverId !== null && from.serverId !== to.serverId;
}

/** Says that file and position are those of another log; null when they go on from one to the next. */
function logChanged<S>(step: Step<S>): string | null {
  const { from, to } = step;
  const files = filesBetween(from.file, to.file);
  if (files === null)
    return `Binlogs changed from ${from.file} to ${to.file}: the connector reads a different server.`;
  if (files > 0n || (files === 0n && to.pos >= from.pos)) return null;
  return `Binlog numbering restarted (${places(step)}): a different server, or one that was restored or reset.`;
}

/** Within one log: bytes in the same file, else how many files later. */
function alongTheLog<S>({ from, to }: Step<S>): Distance {
  const files = filesBetween(from.file, to.file) ?? 0n;
  if (files !== 0n)
    return { amount: null, why: `${filesText(files)}; how long the files are is not in the offset.` };
  if (from.pos !== to.pos) return { amount: to.pos - from.pos, unit: "bytes in the same binlog file" };
  if (from.event !== to.event) return { amount: to.event - from.event, unit: "events of one transaction" };
  return { amount: to.row - from.row, unit: "rows of one event" };
}

/** The GTIDs stand still: file and position tell what moved, and whether they should have. */
function withSameGtids<S>(step: Step<S>, gtidMode: string): Progress {
  const { from, to } = step;
  // Connected by GTID, the server first names the file from its start; the position follows with the next transaction.
  if (from.file === to.file && to.pos <= fileStart) return unchanged();
  const changed = logChanged(step);
  if (changed !== null)
    return unknownProgress("The GTIDs are the same, and file and position are of another log.", [
      notComparable(`${changed} By GTID nothing was added since.`),
    ]);
  const distance = alongTheLog(step);
  const bytes = from.file === to.file ? to.pos - from.pos : 0n;
  if (bytes <= gtidEventBytes || from.pos <= fileStart)
    return moved(compareCoordinates(to, from) ?? 0n, distance);
  const frozen = `The GTID set has not changed while file and position moved on by ${plural(bytes, "byte")}: ${gtidMode} A restart may fail or replay, because it asks the server for everything after that set.`;
  return moved(1n, distance, [notComparable(frozen)]);
}

function byGtids<S>(dialect: GtidDialect<S>, step: Step<S>, gtidMode: string): Progress | null {
  const [a, b] = [step.from.gtids, step.to.gtids];
  if (a === null || b === null) return null;
  if (dialect.equal(a, b)) return withSameGtids(step, gtidMode);
  if (dialect.covers(b, a)) {
    const changed = logChanged(step);
    const distance = { amount: dialect.countBeyond(b, a), unit: "transactions" };
    const why = `${changed} File and position do not compare with those before; progress is counted by GTID.`;
    return moved(1n, distance, changed === null ? [] : [notComparable(why)]);
  }
  if (dialect.covers(a, b)) return moved(-1n, { amount: -dialect.countBeyond(a, b), unit: "transactions" });
  const parted = "Each offset has transactions that the other lacks: the servers' histories have parted.";
  return unknownProgress(parted, [
    notComparable(`${parted} The connector was led to a server that had not all of what it had read.`),
  ]);
}

/** Without GTIDs a lower position is a way back only if the source's time went back as well. */
function byCoordinates<S>(step: Step<S>): Progress {
  const { from, to } = step;
  if (otherServer(step)) {
    const servers = `Written by servers ${from.serverId} and ${to.serverId}: file and position belong to one server, and there is no GTID to compare.`;
    return unknownProgress(servers, [notComparable(servers)]);
  }
  const changed = logChanged(step);
  if (changed === null) return moved(compareCoordinates(to, from) ?? 0n, alongTheLog(step));
  const files = filesBetween(from.file, to.file);
  const times = from.seconds !== null && to.seconds !== null ? to.seconds - from.seconds : null;
  if (files !== null && (times === null ? files === 0n : times <= 0n)) return moved(-1n, alongTheLog(step));
  const or =
    files !== null && times === null ? " Or the offset was set back: it holds no time that would tell." : "";
  return unknownProgress("File and position are of another log, and there is no GTID to compare.", [
    notComparable(`${changed}${or}`),
  ]);
}

/**
 * How far a MySQL or MariaDB connector got between two stored offsets: by GTID where both have them, else by file and
 * position of one server. `gtidMode`: what it means that the GTIDs stand still, as a sentence.
 */
export function binlogProgress<S>(
  dialect: GtidDialect<S>,
  from: BinlogPosition<S>,
  to: BinlogPosition<S>,
  gtidMode: string,
): Progress {
  const step = { from, to };
  const byGtid = byGtids(dialect, step, gtidMode);
  if (byGtid !== null) return byGtid;
  if (from.gtids !== null) {
    const gone = "The offset no longer holds GTIDs, so it does not compare with the one before.";
    return unknownProgress(gone, [
      notComparable(`${gone} GTIDs were switched off at the source, or it is a different server.`),
    ]);
  }
  return byCoordinates(step);
}
