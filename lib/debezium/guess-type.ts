import type { ConnectorType } from "./connector-type";
import { type JsonObject, plainText } from "./json";

/** The type that an offset's keys tell, or the name to show when two types store the same keys. */
export interface TypeGuess {
  type: ConnectorType;
  /** `MySQL or MariaDB` where the keys do not tell which; null where they do. */
  unsure: string | null;
}

const sure = (type: ConnectorType): TypeGuess => ({ type, unsure: null });

/** Guesses by the keys that only one connector stores. */
export function guessType(partition: JsonObject, offset: JsonObject): TypeGuess {
  const has = (key: string) => Object.hasOwn(offset, key);
  if (has("resume_token") || has("initsync") || (has("sec") && has("ord"))) return sure("mongodb");
  if (has("vgtid")) return sure("vitess");
  if (has("scn") || has("commit_scn") || has("lcr_position")) return sure("oracle");
  if (has("begin_lsn")) return sure("informix");
  if (has("commit_lsn")) return sqlServerOrDb2(offset);
  if (has("offset.cursor")) return sure("cockroachdb");
  if (Object.hasOwn(partition, "partitionToken") || has("queryStartedAt")) return sure("spanner");
  if (has("lsn") || has("lsn_proc") || has("lsn_commit")) return sure("postgresql");
  if (has("file") || has("pos")) return mySqlOrMariaDb(offset);
  return sure("unknown");
}

/** SQL Server's LSNs have 10 bytes, those of Db2 16. */
function sqlServerOrDb2(offset: JsonObject): TypeGuess {
  const text = plainText(offset.commit_lsn ?? "").replaceAll(":", "");
  return sure(text.length === 32 ? "db2" : "sqlserver");
}

function mySqlOrMariaDb(offset: JsonObject): TypeGuess {
  const ids = [offset.gtids, offset.transaction_id].filter((id) => typeof id === "string");
  if (ids.some((id) => /^\s*\d+-\d+-\d+\s*(,|$)/.test(id))) return sure("mariadb");
  if (ids.some((id) => /^\s*[0-9a-f]{8}-[0-9a-f]{4}-/i.test(id))) return sure("mysql");
  return { type: "mysql", unsure: "MySQL or MariaDB" };
}

/** The one type that all offsets allow; `unknown` when they tell different ones. */
export function guessCommonType(
  offsets: readonly { partition: JsonObject; offset: JsonObject }[],
): TypeGuess {
  const guesses = offsets.map(({ partition, offset }) => guessType(partition, offset));
  const certain = guesses.filter((g) => g.unsure === null && g.type !== "unknown");
  const types = new Set(certain.map((g) => g.type));
  if (types.size > 1) return sure("unknown");
  const [only] = types;
  const binlog = only === undefined || only === "mysql" || only === "mariadb";
  const unsure = guesses.find((g) => g.unsure !== null);
  if (only !== undefined) return unsure && !binlog ? sure("unknown") : sure(only);
  return unsure ?? sure("unknown");
}
