import { type JsonObject, type JsonValue, wholeNumber } from "../json";
import { booleanField, count, fieldProblems, isoTime, quoted, textField, wholeField } from "./field-kinds";
import { type MongoPosition, orderMongo } from "./mongodb-order";
import { snapshotRecord } from "./order-words";
import type { ChangeRecord, Distance, FieldKind, Identity, PositionKind, Problem, Reading } from "./position";
import { clusterTimeText, parseResumeToken, type ResumeToken, tokenText } from "./resume-token";
import { snapshotState } from "./snapshot-state";

const isRunning = (offset: JsonObject) => snapshotState(offset) === "initial-running";

function tokenOf(value: JsonValue | undefined): ResumeToken | null {
  return typeof value === "string" ? (parseResumeToken(value).token ?? null) : null;
}

/**
 * The two halves of a BsonTimestamp are stored as Java ints: from 2038 on seconds are negative. -1 stands for none;
 * null for what is no such number.
 */
function halfOf(value: JsonValue | undefined): bigint | "none" | null {
  if (value == null) return "none";
  const number = wholeNumber(value);
  if (number === null || number < -(2n ** 31n) || number >= 2n ** 32n) return null;
  if (number === -1n) return "none";
  return BigInt.asUintN(32, number);
}

/** The cluster time in `sec` and `ord`, which the resume token overrules; null when they hold none. */
function storedTime(offset: JsonObject): { seconds: bigint; increment: bigint } | null {
  const [seconds, increment] = [halfOf(offset.sec), halfOf(offset.ord)];
  if (typeof seconds !== "bigint" || seconds === 0n) return null;
  return { seconds, increment: typeof increment === "bigint" ? increment : 0n };
}

const noneText = "none (the resume token has the position)";

const secField: FieldKind = {
  meaning: "Cluster time of the last change, to the second; the resume token overrules it.",
  read(value, offset = {}) {
    const seconds = halfOf(value);
    if (seconds === null) return { problem: `is ${quoted(value)}, not a time as a whole number` };
    const token = tokenOf(offset.resume_token);
    if (seconds === "none" || seconds === 0n) return { text: token ? noneText : "none" };
    const text = `${isoTime(seconds * 1_000_000n)}`;
    if (!token || token.seconds === seconds) return { text };
    return { text: `${text} (${seconds < token.seconds ? "older" : "newer"}; token wins)` };
  },
};

const ordField: FieldKind = {
  meaning: "Counter of the cluster time within its second; the resume token overrules it.",
  read(value, offset = {}) {
    const increment = halfOf(value);
    if (increment === null) return { problem: `is ${quoted(value)}, not a whole number` };
    const token = tokenOf(offset.resume_token);
    const without = storedTime(offset) === null;
    if (increment === "none" || without) return { text: token ? noneText : "none" };
    return { text: !token || token.increment === increment ? `${increment}` : `${increment} (token wins)` };
  },
};

const fields = {
  resume_token: textField(
    "Where the change stream is resumed: after the change whose cluster time and counter the token holds.",
    (text) => {
      const { token, problem } = parseResumeToken(text);
      return problem === undefined ? { text: tokenText(token) } : { problem };
    },
  ),
  sec: secField,
  ord: ordField,
  lsid: textField("Session of the transaction that the last change belongs to."),
  txnNumber: wholeField("Number of that transaction in its session."),
  initsync: booleanField("Whether the initial snapshot is running; a restart then ignores the position."),
};

/** Session and number of the transaction as one text; null outside of one. */
function transactionOf({ lsid, txnNumber }: JsonObject): string | null {
  const number = count(txnNumber);
  return typeof lsid === "string" && lsid !== "" ? JSON.stringify([lsid, number?.toString() ?? null]) : null;
}

function decodeOffset(offset: JsonObject): Reading<MongoPosition> {
  const problems = fieldProblems(offset, fields);
  const token = tokenOf(offset.resume_token);
  const time = token ?? storedTime(offset);
  const running = isRunning(offset);
  if (time === null) {
    if (problems.length === 0 && !running)
      problems.push({
        key: "resume_token",
        text: "The offset has no resume_token, and no time in sec and ord.",
      });
    return { position: null, problems };
  }
  return {
    position: {
      of: "offset",
      seconds: time.seconds,
      increment: time.increment,
      token,
      wallMillis: null,
      transaction: transactionOf(offset),
      snapshot: running ? "initial" : null,
    },
    problems,
  };
}

/** `ts_ms`; null where it is 0, which stands for an unknown time (a snapshot that began from a token alone). */
function eventMillis({ ts_ms }: JsonObject): bigint | null {
  const millis = count(ts_ms);
  return millis === 0n ? null : millis;
}

function noTimeText(value: JsonValue | undefined): string {
  const zero = count(value) === 0n;
  return zero
    ? "ts_ms is 0, which stands for an unknown time."
    : `ts_ms is ${quoted(value)}, not a time as a whole number.`;
}

/** Whether `ts_ms` is the wall clock, not the seconds of the cluster time. */
function isWallClock({ wallTime }: JsonObject, millis: bigint): boolean {
  return millis % 1000n !== 0n || count(wallTime) === millis;
}

function decodeSource(source: JsonObject): Reading<MongoPosition> {
  const problems: Problem[] = [];
  const stored = source.resume_token;
  const reading = typeof stored === "string" && stored !== "" ? parseResumeToken(stored) : null;
  if (reading?.problem) problems.push({ key: "resume_token", text: `resume_token ${reading.problem}.` });
  const token = reading?.token ?? null;
  const [millis, increment] = [eventMillis(source), halfOf(source.ord)];
  if (!token) {
    if (millis === null) problems.push({ key: "ts_ms", text: noTimeText(source.ts_ms) });
    if (typeof increment !== "bigint")
      problems.push({ key: "ord", text: `ord is ${quoted(source.ord)}, not a whole number from 0.` });
    if (millis === null || typeof increment !== "bigint") return { position: null, problems };
  }
  const wallMillis = !token && millis !== null && isWallClock(source, millis) ? millis : null;
  return {
    position: {
      of: "event",
      seconds: token?.seconds ?? (millis ?? 0n) / 1000n,
      increment: token?.increment ?? (typeof increment === "bigint" ? increment : 0n),
      token,
      wallMillis,
      transaction: transactionOf(source),
      snapshot: snapshotRecord(source.snapshot),
    },
    problems,
  };
}

function distance(from: MongoPosition, to: MongoPosition): Distance {
  return { amount: to.seconds - from.seconds, unit: "seconds" };
}

/** The resume token where the block has it (3.7), else its time and counter with the transaction. */
function identity({ topic, key, op, source }: ChangeRecord): Identity {
  if (op === "r") return { id: null, why: "A record read by a snapshot is a re-read, not a change." };
  const token = tokenOf(source.resume_token);
  // Every member of the replica set has the same cluster times.
  const same = (id: string, caveat: string | null) => ({ id, caveat });
  if (token) return same(JSON.stringify([token.data, topic, key, op]), null);
  const [millis, increment] = [eventMillis(source), halfOf(source.ord)];
  if (millis === null || typeof increment !== "bigint")
    return { id: null, why: "The event has no cluster time: ts_ms or ord is missing." };
  const transaction = transactionOf(source);
  const id = JSON.stringify([millis.toString(), increment.toString(), transaction, topic, key, op]);
  const noKey =
    key === null ? "The record has no key: changes that share a cluster time cannot be told apart." : null;
  const twice = "A transaction can change one document twice, at one cluster time: only the document tells.";
  return same(id, noKey ?? (transaction === null ? null : twice));
}

function headlineMeaning(offset: JsonObject, token: ResumeToken | null): string {
  if (isRunning(offset)) return "Cluster time and counter at which the running snapshot began.";
  if (!token && offset.resume_token != null)
    return "Cluster time and counter stored beside a resume token that cannot be read: a restart resumes by the token.";
  if (!token)
    return "Cluster time and counter from which a restart reads, itself included: there is no resume token.";
  if (token.kind === "mark")
    return "Cluster time and counter up to which there is no more to send; a restart resumes there.";
  return "Cluster time and counter of the last change, from the resume token; a restart resumes after it.";
}

export const mongodb: PositionKind<MongoPosition> = {
  fields,
  decodeOffset,
  decodeSource,
  order: orderMongo,
  distance,
  identity,
  headline(offset) {
    const token = tokenOf(offset.resume_token);
    const time = token ?? storedTime(offset);
    if (time === null)
      return { text: "unknown", meaning: "The offset has no cluster time that can be read." };
    return { text: clusterTimeText(time.seconds, time.increment), meaning: headlineMeaning(offset, token) };
  },
  warnings: () => [],
  sourceTime(offset) {
    const time = tokenOf(offset.resume_token) ?? storedTime(offset);
    return time === null ? null : time.seconds * 1_000_000n;
  },
};
