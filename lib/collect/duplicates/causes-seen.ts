import { createHash } from "node:crypto";
import type { CauseFacts, SeenSpan, SeenState, StateChange } from "@/lib/measure/duplicates/cause-facts";
import type { ConnectorReport } from "@/lib/observed/connector";
import type { Failure } from "@/lib/observed/observation";
import type { Restart } from "@/lib/observed/window-series";
import type { ClusterWatch } from "../cluster-watch";

/** What is remembered at most: of each connector changes, of a cluster spans, workers and starts. The oldest go first. */
const MOST = { changes: 64, spans: 32, workers: 500, times: 8, starts: 512 };
/** Looks further apart than this leave a gap in what was watched, milliseconds: a machine that slept, a database that was away. */
const GAP_MS = 60_000;
/** Starts that lie so near to each other have one reason, milliseconds. */
const ALONGSIDE_MS = 10_000;

type Seen = Omit<CauseFacts, "restart" | "watchedSince" | "reportedAt" | "alongside">;

interface SeenConnector {
  watchedSince: number;
  reportedAt: number;
  states: Map<number | null, SeenState>;
  config: string | null;
  /** The database it reads, as far as its configuration tells. */
  source: string | null;
  changes: StateChange[];
  configs: { notBefore: number; at: number }[];
}

/**
 * Remembers what changed in one cluster: states and workers of tasks, configurations, and when Connect and the brokers did not
 * answer. Small and bounded; it begins anew with the collector, and what happened before that has no known cause.
 */
export class CausesSeen {
  readonly #connectors = new Map<string, SeenConnector>();
  readonly #workers = new Map<string, { from: number; to: number }[]>();
  #connectAway: SeenSpan[] = [];
  #rebalances: SeenSpan[] = [];
  #brokersAway: SeenSpan[] = [];
  #starts: { connector: string; at: number }[] = [];
  /** The newest look at which Connect answered, and at which brokers did, milliseconds since 1970. */
  #connectAt: number | null = null;
  #brokersAt: number | null = null;

  /** Takes what one poll of Connect brought. */
  take(watch: ClusterWatch, now: Date): void {
    const at = now.getTime();
    const failure = watch.cluster.connect?.failure ?? null;
    this.#connectAway = noted(this.#connectAway, isAway(failure), this.#connectAt, at);
    this.#rebalances = noted(this.#rebalances, failure?.kind === "rebalancing", this.#connectAt, at);
    if (failure !== null) return;
    this.#connectAt = at;
    for (const name of this.#connectors.keys())
      if (!watch.connectors.has(name)) this.#connectors.delete(name);
    for (const [name, { report }] of watch.connectors)
      if (report.value !== null && report.failure === null) this.#takeReport(name, report.value, at);
  }

  /** Takes whether the brokers answered. */
  takeBrokers(failure: Failure | null, now: Date): void {
    const at = now.getTime();
    this.#brokersAway = noted(this.#brokersAway, isAway(failure), this.#brokersAt, at);
    if (failure === null) this.#brokersAt = at;
  }

  /** Notes when a run of a connector began, by the workers' clock. */
  noteStart(connector: string, at: number): void {
    if (this.#starts.some((s) => s.connector === connector && s.at === at)) return;
    this.#starts = [...this.#starts, { connector, at }].slice(-MOST.starts);
  }

  /** What was seen around one start. */
  around(connector: string, start: number, restart: Restart | null): CauseFacts {
    const seen = this.#connectors.get(connector);
    const ofCluster: Seen = {
      states: seen?.changes ?? [],
      configs: seen?.configs ?? [],
      connectAway: this.#connectAway,
      rebalances: this.#rebalances,
      brokersAway: this.#brokersAway,
      workers: this.#workers,
    };
    return {
      ...ofCluster,
      watchedSince: seen?.watchedSince ?? null,
      reportedAt: seen?.reportedAt ?? null,
      restart,
      alongside: this.#alongside(connector, start),
    };
  }

  #takeReport(name: string, report: ConnectorReport, at: number): void {
    const states = statesOf(report);
    for (const { workerId } of report.tasks ?? []) if (workerId !== null) this.#takeWorker(workerId, at);
    const config = report.config && digestOf(report.config);
    const source = report.config && sourceOf(report.config);
    const before = this.#connectors.get(name);
    const away = this.#connectAway.at(-1);
    // While Connect was away nothing could be seen, but that it was away: this is no gap.
    const lastLook = Math.max(before?.reportedAt ?? 0, away?.to ?? 0);
    if (!before || at - lastLook > GAP_MS) {
      const fresh = { watchedSince: at, reportedAt: at, states, config, source, changes: [], configs: [] };
      this.#connectors.set(name, fresh);
      return;
    }
    const notBefore = before.reportedAt;
    for (const [task, is] of states) {
      const was = before.states.get(task);
      if (was && (was.state !== is.state || was.workerId !== is.workerId))
        before.changes.push({ task, notBefore, at, was, is });
    }
    if (before.config !== null && config !== null && config !== before.config)
      before.configs.push({ notBefore, at });
    before.changes = before.changes.slice(-MOST.changes);
    before.configs = before.configs.slice(-MOST.changes);
    before.states = states;
    before.config = config ?? before.config;
    before.source = source ?? before.source;
    before.reportedAt = at;
  }

  #takeWorker(worker: string, at: number): void {
    const times = this.#workers.get(worker) ?? [];
    const last = times.at(-1);
    if (last && at - last.to <= GAP_MS / 4) last.to = at;
    else times.push({ from: at, to: at });
    // The newest at the end: the first one is the one to forget.
    this.#workers.delete(worker);
    this.#workers.set(worker, times.slice(-MOST.times));
    if (this.#workers.size > MOST.workers)
      for (const oldest of this.#workers.keys()) {
        this.#workers.delete(oldest);
        break;
      }
  }

  /** Connectors of one database begin anew together where it was away: that says nothing of their worker. */
  #alongside(connector: string, start: number): string[] {
    const own = this.#connectors.get(connector);
    if (!own) return [];
    const ownWorkers = workersOf(own);
    const others = this.#starts.filter(
      (s) => s.connector !== connector && Math.abs(s.at - start) <= ALONGSIDE_MS,
    );
    const named = others.filter((other) => {
      const seen = this.#connectors.get(other.connector);
      if (!seen || seen.source === null || own.source === null || seen.source === own.source) return false;
      return [...workersOf(seen)].some((worker) => ownWorkers.has(worker));
    });
    return [...new Set(named.map((other) => other.connector))].sort();
  }
}

/** The spans after one more look: one begins, lasts or ends. */
function noted(spans: SeenSpan[], is: boolean, lastWell: number | null, at: number): SeenSpan[] {
  const last = spans.at(-1);
  const lasts = last !== undefined && last.to === null;
  if (is === lasts) return spans;
  if (last && lasts) return [...spans.slice(0, -1), { ...last, to: at }];
  return [...spans, { notBefore: lastWell, from: at, to: null }].slice(-MOST.spans);
}

const awayKinds: readonly Failure["kind"][] = ["unreachable", "timeout", "server-error", "not-connect"];

/** A refused login or a missing right says nothing of whether it runs. */
function isAway(failure: Failure | null): boolean {
  return failure !== null && awayKinds.includes(failure.kind);
}

function statesOf({ connector, tasks }: ConnectorReport): Map<number | null, SeenState> {
  const states = new Map<number | null, SeenState>();
  if (connector) states.set(null, { state: connector.state, workerId: connector.workerId });
  for (const { id, state, workerId } of tasks ?? []) states.set(id, { state, workerId });
  return states;
}

const workersOf = ({ states }: SeenConnector) =>
  new Set([...states].flatMap(([task, { workerId }]) => (task === null ? [] : (workerId ?? []))));

function digestOf(config: NonNullable<ConnectorReport["config"]>): string {
  const members = Object.entries(config).sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash("sha256").update(JSON.stringify(members)).digest("base64url");
}

/** Null where it is not known. */
function sourceOf(config: NonNullable<ConnectorReport["config"]>): string | null {
  const host = config["database.hostname"] ?? config["mongodb.connection.string"] ?? null;
  return host === null ? null : `${host}:${config["database.port"] ?? ""}`;
}
