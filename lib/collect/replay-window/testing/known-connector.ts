import type { JudgedConnector } from "@/lib/checks/judged";
import type { Observation } from "@/lib/observed/observation";
import { eventText, runIdAt } from "./made-up-events";

export const CLUSTER = "eu-1";
/** When the commit in force was written, and when the source had made what it covers. */
export const T = Date.now() - 60_000;
const SOURCE_AT = T - 1_000;
export const COMMITTED_LSN = 1_000;
export const run = runIdAt(T - 3_600_000);

export function seen<T>(value: T): Observation<T> {
  const at = new Date(T);
  return { value, trueAt: at, since: at, notBefore: null, triedAt: at, failure: null };
}

/** A connector of PostgreSQL with one commit, at the moment {@link T}. */
export function connector(name: string, prefix: string, topics: string[]): JudgedConnector {
  const state = { state: "RUNNING", workerId: "w1:8083", version: "3.6.1.Final", trace: null };
  const offset = `{"lsn":${COMMITTED_LSN},"lsn_commit":${COMMITTED_LSN},"lsn_proc":${COMMITTED_LSN},"messageType":"COMMIT","ts_usec":${SOURCE_AT}000}`;
  const committed = { partition: `{"server":"${prefix}"}`, offset, committedAt: new Date(T).toISOString() };
  const config = {
    "connector.class": "io.debezium.connector.postgresql.PostgresConnector",
    "topic.prefix": prefix,
  };
  const tasks = [{ id: 0, ...state }];
  return {
    cluster: CLUSTER,
    connector: name,
    firstSeenAt: new Date(T),
    missingSince: null,
    report: seen({ name, type: "source", connector: state, tasks, config, plaintextSecrets: [] }),
    times: { connector: null, tasks: [] },
    offsets: seen({ offsets: [committed], from: "topic" as const }),
    commits: null,
    topics: seen({ from: "reported" as const, why: null, topics }),
    ends: null,
    history: null,
    judgedAt: null,
    verdicts: [],
  };
}

/** Events of PostgreSQL in one batch, each of a transaction of its own, a millisecond apart. */
export function events(prefix: string, firstLsn: number, count: number, at: number) {
  return Array.from({ length: count }, (_, i) => {
    const lsn = firstLsn + i * 10;
    const source = {
      sequence: `["${lsn}","${lsn}"]`,
      schema: "public",
      table: "a",
      txId: lsn,
      lsn,
      xmin: null,
    };
    const value = eventText("postgresql", prefix, { source, row: { id: lsn } });
    return { value, key: `{"id":${lsn}}`, run, timestamp: at + i };
  });
}
