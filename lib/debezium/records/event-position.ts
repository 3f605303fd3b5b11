import type { ConnectorType } from "../connector-type";
import { type JsonObject, type JsonValue, plainText } from "../json";
import { count } from "../positions/field-kinds";
import { lsnText } from "../positions/lsn";
import { scnOf } from "../positions/oracle-scn";

export interface EventPosition {
  text: string;
  meaning: string;
}

/** Where an event stands in its source, in the short form of its connector; null when its block does not tell. */
export function eventPosition(type: ConnectorType, source: JsonObject): EventPosition | null {
  const has = (key: string) => told(source[key]);
  switch (type) {
    case "postgresql": {
      const lsn = count(source.lsn);
      return lsn === null ? null : { text: lsnText(lsn), meaning: "LSN of the event." };
    }
    case "mysql":
    case "mariadb": {
      const [file, pos, gtid] = [has("file"), count(source.pos), has("gtid")];
      const place = file && pos !== null ? `${file} : ${pos}` : null;
      if (gtid)
        return {
          text: gtid,
          meaning: `GTID of its transaction${place ? `; the event is at ${place}` : ""}.`,
        };
      return place ? { text: place, meaning: "Binlog file and byte of the event." } : null;
    }
    case "sqlserver":
    case "db2":
    case "informix": {
      const [commit, change] = [has("commit_lsn"), has("change_lsn")];
      if (!commit) return null;
      const serial = has("event_serial_no");
      const parts = [commit, ...(change ? [change] : []), ...(serial ? [`event ${serial}`] : [])];
      return { text: parts.join(" / "), meaning: "Commit LSN, then the change's own." };
    }
    case "oracle": {
      const [commit, scn] = [scnOf(source.commit_scn), scnOf(source.scn)];
      if (typeof commit === "bigint") return { text: `${commit}`, meaning: "SCN of the commit." };
      const text = typeof scn === "bigint" ? `${scn}` : has("lcr_position");
      return text ? { text, meaning: "Position of the change." } : null;
    }
    case "mongodb": {
      const [at, ord] = [count(source.ts_ms), count(source.ord)];
      return at && ord !== null
        ? { text: `${at} : ${ord}`, meaning: "Time of the change and its counter." }
        : null;
    }
    case "vitess":
      return has("vgtid") ? { text: has("vgtid") ?? "", meaning: "VGTID after the transaction." } : null;
    case "cockroachdb":
      return has("ts_hlc")
        ? { text: has("ts_hlc") ?? "", meaning: "Hybrid logical time of the change." }
        : null;
    case "spanner":
      return has("sequence")
        ? { text: has("sequence") ?? "", meaning: "Sequence of the record in its transaction." }
        : null;
    case "unknown":
      return null;
  }
}

/** A value as text; null for one that is missing, empty, or Debezium's text for none. */
function told(value: JsonValue | undefined): string | null {
  if (value === null || value === undefined) return null;
  const text = plainText(value);
  return text === "" || text === "NULL" ? null : text;
}

/** The table, collection or database that an event is of, as its source names it; null when it names none. */
export function tableOf(source: JsonObject): string | null {
  const name = told(source.table) ?? told(source.collection);
  if (name === null) return told(source.db);
  const inside = told(source.schema) ?? told(source.db) ?? told(source.keyspace);
  return inside === null ? name : `${inside}.${name}`;
}
