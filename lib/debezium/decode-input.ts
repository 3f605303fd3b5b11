import type { ConnectorConfig } from "./config";
import type { ConnectorType } from "./connector-type";
import { decodeOffsets } from "./decode";
import type { DecodeReport } from "./decode-report";
import { guessType } from "./guess-type";
import {
  isJsonObject,
  type JsonObject,
  JsonTooDeepError,
  type JsonValue,
  parseJson,
  plainText,
} from "./json";
import { canonicalPartition } from "./used-partition";

/** Input from which no offset can be read. The message says where and what would be right. */
export class DecodeInputError extends Error {
  override readonly name = "DecodeInputError";
}

/** Offsets that belong to one connector; its name is known only from records of an offset topic. */
export interface OffsetGroup {
  connector: string | null;
  /** An offset that is no map is kept, to be warned of beside the good ones. */
  offsets: { partition: JsonObject; offset: JsonValue }[];
}

/** More offsets than this are refused. A connector has one for each of its source partitions: a handful. */
const mostOffsets = 10_000;

interface Entry {
  connector: string | null;
  /** Null when none was given. */
  partition: JsonObject | null;
  /** Null deletes what was stored before. */
  offset: JsonValue;
}

const whatWouldDo =
  'Paste the answer of GET /connectors/<name>/offsets, one {"partition":…,"offset":…}, an offset such as {"lsn":…}, or records of the offset topic.';

function parseAt(text: string, place: (position: number) => string): JsonValue {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof JsonTooDeepError)
      throw new DecodeInputError("The JSON is nested too deeply to be an offset.");
    const message = error instanceof Error ? error.message : "";
    const position = Number(/ at position (\d+)/.exec(message)?.[1] ?? text.length);
    const what = message.replace(/ at position \d+$/, "").replace(/ in JSON$/, "");
    throw new DecodeInputError(
      `Not JSON at ${place(position)}: ${shortened(what) || "cannot be read"}. ${whatWouldDo}`,
    );
  }
}

/** A parser's message can quote a key of any length. */
const shortened = (text: string) => (text.length > 160 ? `${text.slice(0, 157)}...` : text);

/** Line and column, both from 1. */
function lineAndColumn(text: string, position: number): string {
  const before = text.slice(0, position).split("\n");
  return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
}

function isRecordKey(value: JsonValue | undefined): value is [string, JsonObject] {
  return Array.isArray(value) && value.length === 2 && typeof value[0] === "string" && isJsonObject(value[1]);
}

const offsetKeys =
  /^(lsn|lsn_\w+|file|pos|gtids|scn|commit_scn|lcr_position|commit_lsn|change_lsn|resume_token|sec|vgtid|offset\.cursor|snapshot|initsync|txId|ts_usec|ts_sec|transaction_id|kafka_offset|offset|startTime)$/;

function looksLikeOffset(value: JsonObject): boolean {
  return Object.keys(value).some((key) => offsetKeys.test(key));
}

/** The entries in one value, of whatever form; `where` names it in an error. */
function readEntry(value: JsonValue, where: string): Entry[] {
  if (isRecordKey(value)) throw new DecodeInputError(`${where} is a record's key without its value.`);
  if (!isJsonObject(value))
    throw new DecodeInputError(`${where} is not a JSON object, so it holds no offset. ${whatWouldDo}`);
  if (Array.isArray(value.offsets)) return readList(value.offsets, (i) => `offsets[${i}]`);
  if (isRecordKey(value.key)) {
    const [connector, partition] = value.key;
    return [{ connector, partition, offset: value.value ?? null }];
  }
  if (isJsonObject(value.offset) || ("offset" in value && "partition" in value))
    return [readPair(value, where)];
  if (value.error_code !== undefined)
    throw new DecodeInputError(
      `This is an error answer of Kafka Connect (${plainText(value.error_code)}: ${plainText(value.message ?? null)}), not offsets.`,
    );
  if (!looksLikeOffset(value))
    throw new DecodeInputError(
      `${where} is JSON, but there is no offset in it: none of its keys is one that Debezium stores. ${whatWouldDo}`,
    );
  return [{ connector: null, partition: null, offset: value }];
}

function readPair({ partition = null, offset = null }: JsonObject, where: string): Entry {
  if (partition !== null && !isJsonObject(partition))
    throw new DecodeInputError(`${where}: partition is not a JSON object; {"server":"…"} would be right.`);
  return { connector: null, partition, offset };
}

/** Entries of a list. One that cannot be read is kept as it is, if others can: it must not hide them. */
function readList(items: readonly JsonValue[], where: (index: number) => string): Entry[] {
  let firstError: DecodeInputError | null = null;
  const entries = items.flatMap((item, i) => {
    try {
      return readEntry(item, where(i));
    } catch (error) {
      if (!(error instanceof DecodeInputError)) throw error;
      firstError ??= error;
      return [{ connector: null, partition: null, offset: item }];
    }
  });
  const readable = entries.some((entry) => isReadable(entry) && looksLikeEntry(entry));
  if (firstError !== null && !readable) throw firstError;
  return entries;
}

/** A map, or null, which deletes. */
const isReadable = ({ offset }: Entry) => offset === null || isJsonObject(offset);

/** A bare value kept from a list counts as read only when it is an offset. */
const looksLikeEntry = ({ partition, offset }: Entry) =>
  partition !== null || (isJsonObject(offset) && looksLikeOffset(offset));

/** Where the list that opens the text ends; -1 when it does not end. */
function endOfList(text: string): number {
  let depth = 0;
  let inText = false;
  for (let i = 0; i < text.length; i++) {
    const character = text[i];
    if (inText) {
      if (character === "\\") i++;
      else if (character === '"') inText = false;
    } else if (character === '"') inText = true;
    else if (character === "[" || character === "{") depth++;
    else if ((character === "]" || character === "}") && --depth === 0) return i;
  }
  return -1;
}

/** A key of the offset topic and what follows it after a tab or spaces, as kcat prints them; null for other lines. */
function splitRecord(line: string): { key: string; value: string } | null {
  if (!line.startsWith("[")) return null;
  const tab = line.indexOf("\t");
  const end = tab > 0 && line[tab - 1] === "]" ? tab - 1 : endOfList(line);
  const [key, value] = [line.slice(0, end + 1), line.slice(end + 1).trim()];
  const isValue = (value.startsWith("{") && value.endsWith("}")) || value.toLowerCase() === "null";
  return end > 0 && (end === tab - 1 || isValue) ? { key, value } : null;
}

function readLine(line: string, number: number): Entry[] {
  const place = (position: number) => `line ${number}, column ${position + 1}`;
  const record = splitRecord(line);
  if (record) {
    const key = parseAt(record.key, place);
    if (isRecordKey(key)) {
      const [connector, partition] = key;
      const tombstone = record.value === "" || record.value.toUpperCase() === "NULL";
      const inValue = (p: number) => place(line.length - record.value.length + p);
      return [{ connector, partition, offset: tombstone ? null : parseAt(record.value, inValue) }];
    }
  }
  return readEntry(parseAt(line, place), `Line ${number}`);
}

/** Whether the first line can be read by itself: then a fault of the whole is a fault of one of its lines. */
function isLines(text: string): boolean {
  const first = text.trim().split("\n")[0]?.trim() ?? "";
  if (splitRecord(first)) return true;
  try {
    parseJson(first);
    return true;
  } catch {
    return false;
  }
}

function readEntries(text: string): Entry[] {
  const clean = text.replace(/^\uFEFF/, "");
  if (clean.trim() === "") throw new DecodeInputError(`The input is empty. ${whatWouldDo}`);
  const whole = readWhole(clean);
  if (whole === null) {
    const lines = clean.split("\n").map((line, i) => ({ line: line.trim(), number: i + 1 }));
    return lines.filter(({ line }) => line !== "").flatMap(({ line, number }) => readLine(line, number));
  }
  if (!Array.isArray(whole.value) || isRecordKey(whole.value)) return readEntry(whole.value, "The input");
  return readList(whole.value, (i) => `Entry ${i}`);
}

/** The text as one JSON value; null when it is lines of JSON instead. */
function readWhole(text: string): { value: JsonValue } | null {
  try {
    return { value: parseAt(text, (position) => lineAndColumn(text, position)) };
  } catch (error) {
    if (isLines(text)) return null;
    throw error;
  }
}

/** A later record of the same partition replaces the earlier one, and a null one deletes it, as in a compacted topic. */
function newestOnly(entries: readonly Entry[]): Entry[] {
  const byKey = new Map<string, Entry>();
  entries.forEach((entry, i) => {
    const named = entry.connector !== null && entry.partition !== null;
    const key = named ? `${entry.connector} ${canonicalPartition(entry.partition ?? {})}` : `entry ${i}`;
    byKey.delete(key);
    byKey.set(key, entry);
  });
  return [...byKey.values()].filter((entry) => entry.offset !== null);
}

/** The group of an entry: by connector; nameless ones are parted where their keys tell different types. */
function groupName({ connector, partition, offset }: Entry): string {
  if (connector !== null) return `named ${connector}`;
  const { type } = guessType(partition ?? {}, isJsonObject(offset) ? offset : {});
  return type === "mysql" || type === "mariadb" ? "binlog" : type;
}

/**
 * Reads offsets from text as people paste it: an answer of `GET /connectors/<name>/offsets`, one
 * `{"partition","offset"}`, a bare offset, a list of either, or records of an offset topic as JSON lines
 * (`{"key":["name",{…}],"value":{…}}`) or as kcat prints them (`["name",{…}]<TAB>{…}`).
 * An empty list of offsets gives one group without offsets.
 * @throws DecodeInputError when no offset can be read.
 */
export function readOffsets(text: string): OffsetGroup[] {
  const all = readEntries(text);
  if (all.length > mostOffsets)
    throw new DecodeInputError(
      `The input has ${all.length} offsets; at most ${mostOffsets} are explained in one go. Split it, or pick one connector's.`,
    );
  if (all.length > 0 && !all.some(isReadable))
    throw new DecodeInputError('The offset is not a JSON object; a map such as {"lsn":…} would be right.');
  const entries = newestOnly(all);
  const groups = new Map<string, OffsetGroup>();
  for (const entry of entries) {
    const name = groupName(entry);
    const group = groups.get(name) ?? { connector: entry.connector, offsets: [] };
    group.offsets.push({ partition: entry.partition ?? {}, offset: entry.offset });
    groups.set(name, group);
  }
  return groups.size === 0 ? [{ connector: null, offsets: [] }] : [...groups.values()];
}

/** What is known besides the text. */
export interface DecodeOptions {
  type?: ConnectorType;
  config?: ConnectorConfig;
}

/**
 * Reads and explains pasted text: one report for each connector in it, nearly always one.
 * @throws DecodeInputError when no offset can be read.
 */
export function decodeText(
  text: string,
  options: DecodeOptions = {},
): (DecodeReport & { name: string | null })[] {
  const groups = readOffsets(text);
  const known = options.type !== undefined || options.config?.["connector.class"] != null;
  const merged =
    known && groups.every((group) => group.connector === null)
      ? [{ connector: null, offsets: groups.flatMap((group) => group.offsets) }]
      : groups;
  return merged.map(({ connector, offsets }) => ({
    name: connector,
    ...decodeOffsets({ ...options, offsets }),
  }));
}

/**
 * Reads a connector's configuration: the bare map, or an answer of `GET /connectors/<name>` or `/config`.
 * @throws DecodeInputError when there is none in the text.
 */
export function readConfig(text: string): Record<string, string | null> {
  const clean = text.replace(/^\uFEFF/, "");
  const value = parseAt(clean, (position) => lineAndColumn(clean, position));
  const inner = isJsonObject(value) && isJsonObject(value.config) ? value.config : value;
  if (!isJsonObject(inner))
    throw new DecodeInputError(
      'The configuration is not a JSON object; {"connector.class":"…"} would be right.',
    );
  return Object.fromEntries(
    Object.entries(inner).map(([key, item]) => [key, item === null ? null : plainText(item)]),
  );
}
