import type { Kafka } from "kafkajs";
import type { Connection } from "mariadb";
import type pg from "pg";
import type { Right } from "./access";
import type { RestAnswer } from "./connect-rest";
import type { Deliveries } from "./deliveries";
import type { KafkaSettings, KafkaUser, LoginOptions } from "./login";
import type { Places } from "./places";
import type { LabPorts } from "./ports";
import type { Log } from "./progress";
import type { LabState, ProcessName } from "./state";
import type { WrittenTable } from "./tables";
import type { UpOptions } from "./up";

export interface WriteOptions {
  /** Changes a second, in each database. */
  rate?: number;
  /** Sessions that write at once in each database, their transactions interleaving. */
  writers?: number;
  /** Without it: until `signal`. */
  seconds?: number;
  signal?: AbortSignal;
  log?: Log;
}

/** An incremental one reads beside streaming, a blocking one stops it meanwhile. */
export type SnapshotKind = "incremental" | "blocking";

/** How a snapshot by signal ended. */
export interface SnapshotResult {
  /** Of the signal. */
  id: string;
  status: string;
  rows: number;
}

/** How many changes were committed. */
export type Written = Record<WrittenTable["database"], number>;

/** What a topic holds against what was committed, each number exact. */
export interface Truth {
  topic: string;
  /** Change records: inserts, updates and deletes; not snapshot reads, not tombstones. */
  records: number;
  /** Different (change number, op, key) among them. */
  distinct: number;
  /** `records` − `distinct`. */
  duplicates: number;
  /** Committed events of the ledger that are not in the topic. */
  missing: number;
  /** Records of snapshots (`op` = `r`). */
  reReads: number;
  tombstones: number;
  /** Events that the ledger says must be there. */
  committed: number;
}

/** A lab on this machine, up or not. Several programs may hold the same one. */
export interface Lab {
  readonly places: Places;
  /** What the lab remembers. @throws when it was never up */
  readonly state: LabState;
  readonly ports: LabPorts;
  /** Address of the first Connect worker's REST interface. */
  readonly connectUrl: string;
  /** Addresses of all its workers. */
  readonly connectUrls: string[];
  readonly brokers: string[];
  /** Address of the schema registry's Confluent API; null where the lab has none. */
  readonly registryUrl: string | null;
  /** How to reach the broker as this user (`tidemark`), in the form of Tidemark's settings. */
  kafkaSettings(user?: KafkaUser, options?: LoginOptions): KafkaSettings;
  /** A quiet kafkajs client, logged in as this user (`admin`) where the lab asks for a login. */
  kafka(user?: KafkaUser): Kafka;
  /** Gives the user `tidemark` rights, in a lab with access control. */
  grant(rights: readonly Right[]): Promise<void>;
  /** Takes rights of the user `tidemark` away. */
  revoke(rights: readonly Right[]): Promise<void>;
  /** Whether all of its processes live. */
  isUp(): boolean;
  /** Brings it up; until `detach` or `down` it ends with this process, however that ends. @throws LabFault */
  up(options?: UpOptions & { program?: boolean }): Promise<void>;
  /** Leaves the lab running when this process ends. */
  detach(): void;
  /** Ends all its processes; data stay. */
  down(): Promise<void>;
  /** Ends all its processes and throws its folder away. */
  reset(): Promise<void>;
  /** Ends an `up` that failed, or is still going on in this process: nothing more is started. */
  abandon(): Promise<void>;
  /** Kills a process with SIGKILL and starts it again, unless told to stay down. */
  crash(name: ProcessName, options?: { stayDown?: boolean; log?: Log }): Promise<void>;
  /** Starts a process that is down. */
  start(name: ProcessName, log?: Log): Promise<void>;
  /** Ends a process gracefully. */
  stop(name: ProcessName): Promise<void>;
  /** Ends a process gracefully and starts it again. */
  restart(name: ProcessName, log?: Log): Promise<void>;
  /** Stops a process where it stands (SIGSTOP) until it is thawed. @throws LabFault */
  freeze(name: ProcessName): Promise<void>;
  /** Lets a frozen process go on (SIGCONT). @throws LabFault */
  thaw(name: ProcessName): Promise<void>;
  /** Changes the workers' settings and restarts them gracefully, one after the other, if they run. */
  configure(change: { flushIntervalMs?: number; exactlyOnce?: boolean }, log?: Log): Promise<void>;
  /** Asks the first worker that can answer. */
  rest(method: string, path: string, body?: unknown): Promise<RestAnswer>;
  /** Waits until both connectors and their tasks are RUNNING. @throws LabFault */
  waitRunning(timeoutMs: number): Promise<void>;
  /** Writes changes steadily to both databases. */
  write(options?: WriteOptions): Promise<Written>;
  /** Writes this many changes to each database as fast as it can. */
  burst(changes: number, signal?: AbortSignal): Promise<Written>;
  /**
   * What a written table's topic holds against what was committed when it was asked. While the writer writes, the newest changes
   * are under way: with `waitMs` they are waited for before they are called missing.
   */
  truthOf(topic: string, waitMs?: number): Promise<Truth>;
  truthOfAll(waitMs?: number): Promise<Truth[]>;
  /** The truth by partition, of all written tables' topics or of these. Reads nothing yet. */
  deliveries(topics?: string[]): Deliveries;
  /** Has a table read again by a signal through Kafka, and waits until it is. @throws LabFault */
  snapshot(table: string, kind: SnapshotKind, timeoutMs?: number): Promise<SnapshotResult>;
  /** Waits until what was committed is in the topics or lost: something written after it has come. @throws LabFault */
  settled(timeoutMs: number): Promise<void>;
  /** Waits until all that was committed is in the topics. @throws LabFault with what is missing */
  caughtUp(timeoutMs: number): Promise<void>;
  /** A connection to the source PostgreSQL (database shop) as its owner; the caller ends it. */
  pg(): Promise<pg.Client>;
  /** A connection to the source MariaDB (database inventory) as its owner; the caller ends it. */
  mariadb(): Promise<Connection>;
}
