import type { ConnectorType } from "@/lib/debezium/connector-type";
import type { EventScanner } from "@/lib/debezium/events/event-scanner";

/** Where a scanned change lies, beside its `source`. */
interface Where {
  topic: string;
  key: string | null;
  op: string;
}

/**
 * The id of a scanned change without parsing its `source`: the same text as `kind.identity` gives. Null where the bytes do
 * not tell it.
 */
export type FastIdentity = (scanner: EventScanner, where: Where) => string | null;

/** Null for connectors whose ids take more than plain fields. @param fields as the scanner was given them */
export function fastIdentity(type: ConnectorType, fields: readonly string[]): FastIdentity | null {
  const at = (name: string) => fields.indexOf(name);
  if (type === "postgresql") {
    const [txId, lsn] = [at("txId"), at("lsn")];
    return (scanner, where) => postgresId(digits(scanner, txId), digits(scanner, lsn), where);
  }
  if (type !== "mysql" && type !== "mariadb") return null;
  const [gtid, server, file, pos, row] = [at("gtid"), at("server_id"), at("file"), at("pos"), at("row")];
  return (scanner, where) => {
    const writer = scanner.isNone(gtid) ? digits(scanner, server) : plainText(scanner, gtid);
    const place = [plainText(scanner, file), digits(scanner, pos)];
    return binlogId(writer, place, digits(scanner, row), where);
  };
}

function postgresId(txId: Told, lsn: Told, { topic, key, op }: Where): string | null {
  if (lsn === null || lsn === undefined || txId === undefined) return null;
  return JSON.stringify([txId, lsn, topic, key, op]);
}

function binlogId(writer: Told, place: readonly Told[], row: Told, { topic, key, op }: Where): string | null {
  if (writer === undefined || row === undefined || place.some((told) => told == null)) return null;
  return JSON.stringify([writer, ...place, row ?? "0", topic, key, op]);
}

/** Null: the field is absent or null. Undefined: it is something else than expected. */
type Told = string | null | undefined;

const mostDigits = 18;

/** A whole number from 0 as it is written. */
function digits(scanner: EventScanner, field: number): Told {
  if (scanner.isNone(field)) return null;
  const { bytes } = scanner;
  const [start, stop] = [scanner.startOf(field), scanner.stopOf(field)];
  if (stop - start > mostDigits || (bytes[start] === 0x30 && stop - start > 1)) return undefined;
  for (let i = start; i < stop; i++)
    if (!((bytes[i] as number) >= 0x30 && (bytes[i] as number) <= 0x39)) return undefined;
  return bytes.toString("latin1", start, stop);
}

/** A text of visible ASCII without escapes, which nothing has to be trimmed from. */
function plainText(scanner: EventScanner, field: number): Told {
  if (scanner.isNone(field)) return null;
  const { bytes } = scanner;
  const [start, stop] = [scanner.startOf(field) + 1, scanner.stopOf(field) - 1];
  if (bytes[start - 1] !== 0x22 || stop <= start) return undefined;
  for (let i = start; i < stop; i++) {
    const byte = bytes[i] as number;
    if (byte <= 0x20 || byte > 0x7e || byte === 0x5c) return undefined;
  }
  return bytes.toString("latin1", start, stop);
}
