import { type ConnectorConfig, isReference, typeOf } from "../config";
import type { ConnectorType } from "../connector-type";

/** A field that a flattening transform puts into the row or the headers. */
export interface AddedField {
  /** Its name there. */
  name: string;
  /** The block of the event it is taken from; null for the envelope itself. */
  block: "source" | "transaction" | "updateDescription" | null;
  field: string;
}

export interface Flattening {
  fields: AddedField[];
  headers: AddedField[];
}

const flattener = /\.ExtractNew(Record|Document)State$/;

/** Fields of the envelope that are named without a block (AbstractExtractNewRecordState.FieldReference). */
const envelopeFields = ["op", "ts_ms", "ts_us", "ts_ns"];
const transactionFields = ["id", "total_order", "data_collection_order"];

/** What orders an event, and what makes it unique, by connector; the first of them it cannot do without. */
const positionFields: Readonly<Record<Exclude<ConnectorType, "unknown">, readonly string[]>> = {
  postgresql: ["lsn", "txId", "sequence"],
  mysql: ["file", "pos", "row", "gtid", "server_id"],
  mariadb: ["file", "pos", "row", "gtid", "server_id"],
  sqlserver: ["commit_lsn", "change_lsn", "event_serial_no"],
  oracle: ["commit_scn", "scn", "txId", "txSeq", "redo_thread"],
  mongodb: ["ord", "lsid", "txnNumber"],
  db2: ["commit_lsn", "change_lsn"],
  informix: ["commit_lsn", "change_lsn", "txId"],
  vitess: ["vgtid", "shard"],
  spanner: ["server_transaction_id", "sequence", "mod_number"],
  cockroachdb: ["ts_hlc"],
};

/** Source fields that a flattened event of this connector should carry, the one it cannot do without first. */
export function wantedFields(type: ConnectorType): readonly string[] {
  return type === "unknown" ? [] : positionFields[type];
}

/** Source fields without which there is no position; of any connector where the type is not known. */
export function neededFields(type: ConnectorType): readonly string[] {
  const types = type === "unknown" ? Object.values(positionFields) : [positionFields[type]];
  return types.flatMap((fields) => fields.slice(0, 1));
}

/** The setting that would make flattened events measurable. */
export function addFieldsHint(config: ConnectorConfig | null | undefined): string {
  const type = config ? typeOf(config) : "unknown";
  const fields = type === "unknown" ? ["lsn"] : wantedFields(type);
  const rest = type === "unknown" ? ",… (the source fields that hold its position)" : "";
  return `add.fields=op,${fields.join(",")},source.ts_ms${rest}`;
}

/** The transforms of a connector whose class matches, by the prefix of their settings. */
export function transformsOf(config: ConnectorConfig, className: RegExp): string[] {
  const names = (config.transforms ?? "").split(",").map((name) => name.trim());
  return names
    .filter((name) => className.test(config[`transforms.${name}.type`]?.trim() ?? ""))
    .map((name) => `transforms.${name}.`);
}

/** What the connector's flattening transforms add; null when it has none, or what they add is behind a reference. */
export function flatteningOf(config: ConnectorConfig): Flattening | null {
  const transforms = transformsOf(config, flattener);
  if (transforms.length === 0) return null;
  const list = (name: string) => transforms.flatMap((prefix) => addedFields(config, `${prefix}${name}`));
  const settings = transforms.flatMap((prefix) => [
    config[`${prefix}add.fields`],
    config[`${prefix}add.headers`],
  ]);
  if (settings.some((value) => value && isReference(value))) return null;
  return { fields: list("add.fields"), headers: list("add.headers") };
}

function addedFields(config: ConnectorConfig, setting: string): AddedField[] {
  const prefix = config[`${setting}.prefix`] ?? "__";
  const items = (config[setting] ?? "").split(",").map((item) => item.trim());
  return items.filter((item) => item !== "").map((item) => addedField(item, prefix));
}

/** `lsn`, `source.ts_ms`, `transaction.id:TX`: `__lsn`, `__source_ts_ms`, `__TX`. */
function addedField(item: string, prefix: string): AddedField {
  const [path = "", renamed] = item.split(":");
  const [first = "", second] = path.split(".");
  const field = second ?? first;
  const named = second === undefined ? first : `${first}_${second}`;
  const block = second === undefined ? blockOf(field) : first;
  return { name: `${prefix}${renamed ?? named}`, block: known(block), field };
}

function blockOf(field: string): string | null {
  if (envelopeFields.includes(field)) return null;
  if (transactionFields.includes(field)) return "transaction";
  return field === "updateDescription" ? "updateDescription" : "source";
}

function known(block: string | null): AddedField["block"] {
  return block === "source" || block === "transaction" || block === "updateDescription" ? block : null;
}

/** What a field of this name holds by Debezium's default names; null when it is not one. */
export function defaultField(name: string): AddedField | null {
  if (!name.startsWith("__")) return null;
  const rest = name.slice(2);
  const [, block, field] = /^(source|transaction)_(.+)$/.exec(rest) ?? [];
  if (field !== undefined) return { name, block: known(block ?? null), field };
  if (envelopeFields.includes(rest)) return { name, block: null, field: rest };
  if (transactionFields.includes(rest)) return { name, block: "transaction", field: rest };
  return sourceFields.has(rest) ? { name, block: "source", field: rest } : null;
}

const sourceFields = new Set([
  ...Object.values(positionFields).flat(),
  ...["connector", "name", "db", "schema", "table", "collection", "version", "snapshot", "xmin", "thread"],
]);
