import type { ConnectorConfig } from "./config";
import { type ConnectorType, connectorType } from "./connector-type";
import type { DecodedField, DecodedPartition, DecodeReport, DecodeWarning } from "./decode-report";
import { guessCommonType } from "./guess-type";
import { isJsonObject, type JsonObject, type JsonValue, stringifyJson } from "./json";
import { commonField, isCommonField } from "./positions/common-fields";
import { knownTime } from "./positions/field-kinds";
import { isDecoded, positionKinds } from "./positions/kinds";
import type { FieldKind } from "./positions/position";
import { phaseOf, snapshotState } from "./positions/snapshot-state";
import { canonicalPartition, type Usage, usedPartitions } from "./used-partition";

export interface DecodeRequest {
  /** Wins over the class. */
  type?: ConnectorType;
  /** When neither it nor a type nor `config["connector.class"]` is given, the keys of the offsets decide. */
  connectorClass?: string;
  config?: ConnectorConfig;
  offsets: readonly { partition: JsonValue; offset: JsonValue }[];
}

interface Resolved {
  type: ConnectorType;
  /** What the report says the connector is. */
  name: string;
}

function resolveType(request: DecodeRequest, offsets: readonly StoredMaps[]): Resolved {
  if (request.type && request.type !== "unknown") return { type: request.type, name: request.type };
  const className = (request.connectorClass ?? request.config?.["connector.class"])?.trim();
  if (className) {
    const type = connectorType(className);
    return { type, name: type === "unknown" ? className : type };
  }
  const guess = guessCommonType(offsets);
  return { type: guess.type, name: guess.unsure ?? guess.type };
}

interface StoredMaps {
  partition: JsonObject;
  offset: JsonObject;
}

/**
 * Explains stored source offsets: each field, the position, the phase, which partition a start would read, and what
 * is wrong with it. Never throws for what an offset holds: a field that cannot be read becomes a warning.
 */
export function decodeOffsets(request: DecodeRequest): DecodeReport {
  const maps = request.offsets.map(({ partition, offset }) => ({
    partition: isJsonObject(partition) ? partition : {},
    offset: isJsonObject(offset) ? offset : {},
  }));
  const { type, name } = resolveType(request, maps);
  const usages = usedPartitions(
    type,
    request.config,
    maps.map((m) => m.partition),
  );
  return {
    connector: name,
    partitions: maps.map((m, i) =>
      decodePartition(type, m, usages[i] ?? { used: false }, request.offsets[i]?.offset),
    ),
  };
}

function decodePartition(
  type: ConnectorType,
  { partition, offset }: StoredMaps,
  usage: Usage,
  stored: JsonValue | undefined,
): DecodedPartition {
  const kind = positionKinds[type];
  const ownPhase = isJsonObject(stored) ? (kind.phase?.(offset) ?? null) : null;
  const { phase, phaseText } = isDecoded(type)
    ? (ownPhase ?? phaseOf(offset))
    : { phase: "unknown" as const, phaseText: "offsets of this connector are not known to Tidemark" };
  // Where a connector stores an empty map on purpose, its kind has a phase for it.
  const empty = isJsonObject(stored) && Object.keys(offset).length === 0 && ownPhase === null;
  const problems = Object.keys(offset).length === 0 ? [] : kind.decodeOffset(offset).problems;
  const warnings: DecodeWarning[] = problems.map(({ text }) => malformed(text));
  if (!isJsonObject(stored)) warnings.push(malformed("The offset is not a JSON object."));
  if (empty) warnings.push(malformed("The offset is an empty map: it holds no position."));
  const keys = Object.keys(offset).length;
  if (keys > mostKeys)
    warnings.push(malformed(`The offset has ${keys} keys; the first ${mostKeys} are explained.`));
  warnings.push(...commonWarnings(type, offset), ...kind.warnings(offset));
  const micros = phase === "snapshot" ? null : kind.sourceTime(offset);
  return {
    partition: canonicalPartition(partition),
    ...usage,
    phase,
    phaseText,
    position: { ...kind.headline(offset), fields: decodeFields(type, offset) },
    sourceTime: knownTime(micros),
    warnings,
  };
}

function malformed(text: string): DecodeWarning {
  return { slug: "offset-malformed", text };
}

function commonWarnings(type: ConnectorType, offset: JsonObject): DecodeWarning[] {
  if (!isDecoded(type)) return [];
  const warnings: DecodeWarning[] = [];
  for (const key of shownOrder(type, offset)) {
    const value = offset[key] ?? null;
    if (Object.hasOwn(positionKinds[type].fields, key) || isDynamic(type, key)) continue;
    const problem = commonField(key)?.read(value).problem;
    if (problem !== undefined) warnings.push(malformed(`${key} ${problem}.`));
  }
  const state = snapshotState(offset);
  if (state === "initial-running" || state === "blocking-running")
    warnings.push({
      slug: "offset-snapshot-unfinished",
      text: "The offset says that a snapshot is running: a restart starts it again.",
    });
  return warnings;
}

/** All fields of the offset: the connector's own first, then those that any connector may store, then unknown ones. */
function decodeFields(type: ConnectorType, offset: JsonObject): DecodedField[] {
  return shownOrder(type, offset).map((key) => decodeField(type, key, offset));
}

/** Keys of one offset that are explained. Debezium stores a dozen, and one for each table of a running transaction. */
const mostKeys = 2_000;

function shownOrder(type: ConnectorType, offset: JsonObject): string[] {
  if (!isDecoded(type)) return Object.keys(offset).slice(0, mostKeys);
  const { fields } = positionKinds[type];
  const own = Object.keys(fields).filter((key) => Object.hasOwn(offset, key));
  const dynamic: string[] = [];
  const common: string[] = [];
  const unknown: string[] = [];
  for (const key of Object.keys(offset)) {
    if (Object.hasOwn(fields, key)) continue;
    const group = isDynamic(type, key) ? dynamic : isCommonField(key) ? common : unknown;
    if (group.length < mostKeys) group.push(key);
  }
  return [...own, ...dynamic, ...common, ...unknown].slice(0, mostKeys);
}

function decodeField(type: ConnectorType, key: string, offset: JsonObject): DecodedField {
  const value = offset[key] ?? null;
  const raw = stringifyJson(value);
  const kind = fieldKind(type, key);
  if (!kind) {
    const meaning = "Not known to Tidemark; shown as stored.";
    return { name: key, raw, text: typeof value === "string" ? value : raw, meaning };
  }
  const { text, problem } = kind.read(value, offset);
  return { name: key, raw, text: text ?? `not readable: ${problem}`, meaning: kind.meaning };
}

const isDynamic = (type: ConnectorType, key: string) =>
  (positionKinds[type].dynamicField?.(key) ?? null) !== null;

function fieldKind(type: ConnectorType, key: string): FieldKind | null {
  const { fields, dynamicField } = positionKinds[type];
  return Object.hasOwn(fields, key) ? (fields[key] ?? null) : (dynamicField?.(key) ?? commonField(key));
}
