import { cassandraOffsetText } from "./cassandra-offset";
import type { ConnectorConfig } from "./config";
import { otherConnectAnswer } from "./connect-answers";
import { type ConnectorType, connectorType } from "./connector-type";
import { decodeOffsets } from "./decode";
import { DecodeInputError, whatWouldDo } from "./decode-input-error";
import type { DecodedRecord, DecodeReport } from "./decode-report";
import { guessType } from "./guess-type";
import { isJsonObject, type JsonObject, type JsonValue, plainText } from "./json";
import { lineAndColumn, parseAt, pastedValues } from "./pasted-text";
import { decodeRecord, type PastedRecord } from "./records/decode-record";
import { bareRecord, pastedRecord } from "./records/pasted-record";
import { canonicalPartition } from "./used-partition";

/** Offsets that belong to one connector; its name is known only from records of an offset topic. */
export interface OffsetGroup {
  connector: string | null;
  /** An offset that is no map is kept, to be warned of beside the good ones. */
  offsets: { partition: JsonObject; offset: JsonValue }[];
}

/** More offsets and records than this are refused. A connector has an offset for each of its source partitions: a handful. */
const mostEntries = 10_000;

interface OffsetEntry {
  connector: string | null;
  /** Null when none was given. */
  partition: JsonObject | null;
  /** Null deletes what was stored before. */
  offset: JsonValue;
  record?: undefined;
}

/** Any other record of a topic. */
interface RecordEntry {
  record: PastedRecord;
}

type Entry = OffsetEntry | RecordEntry;

function isRecordKey(value: JsonValue | undefined): value is [string, JsonObject] {
  return Array.isArray(value) && value.length === 2 && typeof value[0] === "string" && isJsonObject(value[1]);
}

const offsetKeys =
  /^(lsn|lsn_\w+|file|pos|gtids|scn|commit_scn|lcr_position|commit_lsn|change_lsn|resume_token|sec|vgtid|offset\.cursor|snapshot|initsync|txId|ts_usec|ts_sec|transaction_id|kafka_offset|offset|startTime)$/;

function looksLikeOffset(value: JsonObject, keys = Object.keys(value)): boolean {
  return keys.some((key) => offsetKeys.test(key));
}

/** A value of one of Debezium's topics without its record: an event, or what its own topics hold. */
function looksLikeValue(value: JsonObject, names: readonly string[]): boolean {
  const has = (...keys: string[]) => keys.every((key) => Object.hasOwn(value, key));
  const envelope = has("op") && (isJsonObject(value.source) || has("after") || has("before"));
  const schema = has("source") && (has("ddl") || has("tableChanges"));
  const withSchema = has("schema", "payload");
  const own = has("aggregate_type", "type") || has("status", "id", "event_count") || has("type", "data");
  const flattened = names.some((name) => name.startsWith("__"));
  return envelope || schema || withSchema || own || flattened;
}

/** The entries in one value, of whatever form; `where` names it in an error. */
function readEntry(value: JsonValue, where: string): Entry[] {
  if (isRecordKey(value)) throw new DecodeInputError(`${where} is a record's key without its value.`);
  if (!isJsonObject(value))
    throw new DecodeInputError(`${where} is not a JSON object, so it holds no offset. ${whatWouldDo}`);
  if (Array.isArray(value.offsets)) return readList(value.offsets, (i) => `offsets[${i}]`);
  const record = readRecordEntry(value);
  if (record) return [record];
  if (isJsonObject(value.offset) || ("offset" in value && "partition" in value))
    return [readPair(value, where)];
  if (value.error_code !== undefined)
    throw new DecodeInputError(
      `This is an error answer of Kafka Connect (${plainText(value.error_code)}: ${plainText(value.message ?? null)}), not offsets.`,
    );
  const other = otherConnectAnswer(value);
  if (other !== null)
    throw new DecodeInputError(
      `${where} is ${other}, and holds no offset: paste the answer of GET /connectors/<name>/offsets.`,
    );
  const keys = Object.keys(value);
  if (looksLikeValue(value, keys)) return [{ record: bareRecord(value) }];
  if (!looksLikeOffset(value, keys))
    throw new DecodeInputError(
      `${where} is JSON, but there is no offset in it, nor a record of Debezium: none of its keys is one that Debezium writes. ${whatWouldDo}`,
    );
  return [{ connector: null, partition: null, offset: value }];
}

function readRecordEntry(value: JsonObject): Entry | null {
  // A key alone is told from a tombstone by the topic.
  const pasted = pastedRecord(
    "value" in value || !isRecordKey(value.key) ? value : { ...value, value: null },
  );
  if (!pasted) return null;
  const { key, value: content } = pasted.record;
  const decodedKey = key !== null && !(key instanceof Uint8Array) ? key.decoded : undefined;
  if (!isRecordKey(decodedKey)) return { record: pasted };
  const [connector, partition] = decodedKey;
  if (content instanceof Uint8Array)
    return { connector, partition, offset: new TextDecoder().decode(content) };
  return { connector, partition, offset: content?.decoded ?? null };
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
  const readable = entries.some((entry) => entry.record || (isReadable(entry) && looksLikeEntry(entry)));
  if (firstError !== null && !readable) throw firstError;
  return entries;
}

/** A map, or null, which deletes. */
const isReadable = ({ offset }: OffsetEntry) => offset === null || isJsonObject(offset);

/** A bare value kept from a list counts as read only when it is an offset. */
const looksLikeEntry = ({ partition, offset }: OffsetEntry) =>
  partition !== null || (isJsonObject(offset) && looksLikeOffset(offset));

function readEntries(text: string): Entry[] {
  try {
    return entriesOf(text);
  } catch (error) {
    const foreign = error instanceof DecodeInputError ? cassandraOffsetText(text) : null;
    throw foreign === null ? error : new DecodeInputError(foreign);
  }
}

function entriesOf(text: string): Entry[] {
  const all = pastedValues(text).flatMap(({ value, where }) =>
    Array.isArray(value) && !isRecordKey(value)
      ? readList(value, (i) => `Entry ${i}`)
      : readEntry(value, where),
  );
  if (all.length > mostEntries)
    throw new DecodeInputError(
      `The input has ${all.length} ${all.some((entry) => entry.record) ? "records" : "offsets"}; at most ${mostEntries} are explained in one go. Split it, or pick one connector's.`,
    );
  return all;
}

/** A later record of the same partition replaces the earlier one, and a null one deletes it, as in a compacted topic. */
function newestOnly(entries: readonly OffsetEntry[]): OffsetEntry[] {
  const byKey = new Map<string, OffsetEntry>();
  entries.forEach((entry, i) => {
    const named = entry.connector !== null && entry.partition !== null;
    const key = named ? `${entry.connector} ${canonicalPartition(entry.partition ?? {})}` : `entry ${i}`;
    byKey.delete(key);
    byKey.set(key, entry);
  });
  return [...byKey.values()].filter((entry) => entry.offset !== null);
}

/** The group of an entry: by connector; nameless ones are parted where their keys tell different types. */
function groupName({ connector, partition, offset }: OffsetEntry): string {
  if (connector !== null) return `named ${connector}`;
  const { type } = guessType(partition ?? {}, isJsonObject(offset) ? offset : {});
  return type === "mysql" || type === "mariadb" ? "binlog" : type;
}

/**
 * Reads offsets from text as people paste it: an answer of `GET /connectors/<name>/offsets`, one
 * `{"partition","offset"}`, a bare offset, a list of either, or records of an offset topic as JSON lines
 * (`{"key":["name",{…}],"value":{…}}`) or as kcat prints them (`["name",{…}]<TAB>{…}`).
 * An empty list of offsets gives one group without offsets. Other records are left out.
 * @throws DecodeInputError when nothing can be read.
 */
export function readOffsets(text: string): OffsetGroup[] {
  return offsetGroups(readEntries(text).flatMap((entry) => (entry.record ? [] : [entry])));
}

function offsetGroups(all: readonly OffsetEntry[]): OffsetGroup[] {
  if (all.length > 0 && !all.some(isReadable))
    throw new DecodeInputError('The offset is not a JSON object; a map such as {"lsn":…} would be right.');
  const groups = new Map<string, OffsetGroup>();
  for (const entry of newestOnly(all)) {
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

export type NamedReport = DecodeReport & { name: string | null };

/**
 * Reads and explains pasted text: one report for each connector whose offsets are in it, nearly always one, and one
 * for all records that are no offsets.
 * @throws DecodeInputError when nothing can be read.
 */
export function decodeText(text: string, options: DecodeOptions = {}): NamedReport[] {
  const entries = readEntries(text);
  const offsets = entries.flatMap((entry) => (entry.record ? [] : [entry]));
  const records = entries.flatMap((entry) => (entry.record ? [entry.record] : []));
  const onlyRecords = offsets.length === 0 && records.length > 0;
  return [
    ...(onlyRecords ? [] : offsetReports(offsetGroups(offsets), options)),
    ...(records.length === 0 ? [] : [recordReport(records, options)]),
  ];
}

function offsetReports(groups: readonly OffsetGroup[], options: DecodeOptions): NamedReport[] {
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

function recordReport(pasted: readonly PastedRecord[], options: DecodeOptions): NamedReport {
  const records = pasted.map((record) => decodeRecord(record, options));
  return { name: null, connector: connectorOf(records, options), partitions: [], records };
}

/** The one connector that the records tell, `several`, or what is known besides them. */
function connectorOf(records: readonly DecodedRecord[], { type, config }: DecodeOptions): string {
  const told = new Set(records.flatMap((r) => r.connector ?? []));
  if (told.size > 1) return "several";
  const [only] = told;
  return only ?? type ?? connectorType(config?.["connector.class"]);
}

/** The text as JSON; an error says that it is the configuration which is meant. */
function parseConfig(text: string): JsonValue {
  try {
    return parseAt(text, (position) => lineAndColumn(text, position));
  } catch (error) {
    if (!(error instanceof DecodeInputError)) throw error;
    const fault = error.message.replace(` ${whatWouldDo}`, "");
    throw new DecodeInputError(
      `The configuration cannot be read: ${fault} {"connector.class":"…"} would be right.`,
    );
  }
}

/**
 * Reads a connector's configuration: the bare map, or an answer of `GET /connectors/<name>` or `/config`.
 * @throws DecodeInputError when there is none in the text.
 */
export function readConfig(text: string): Record<string, string | null> {
  const clean = text.replace(/^\uFEFF/, "");
  const value = parseConfig(clean);
  const inner = isJsonObject(value) && isJsonObject(value.config) ? value.config : value;
  if (!isJsonObject(inner))
    throw new DecodeInputError(
      'The configuration is not a JSON object; {"connector.class":"…"} would be right.',
    );
  return Object.fromEntries(
    Object.entries(inner).map(([key, item]) => [key, item === null ? null : plainText(item)]),
  );
}
