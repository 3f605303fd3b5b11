import type { JudgedConnector } from "@/lib/checks/judged";
import type { CommitHistory } from "@/lib/observed/commits";
import type { ByTime, ReplayWindow } from "@/lib/observed/replay-window";
import {
  end,
  historyConfig,
  historyTopic,
  mariadb,
  mariadbOffset,
  minute,
  postgres,
  postgresOffset,
  refused,
  report,
  second,
  seen,
  sqlserver,
  stored,
  withTopics,
} from "./scene-facts";
import { offsetCommits, seriesOf, type WindowSeries, type WindowState, windowStates } from "./scene-series";

const iso = (ms: number) => new Date(ms).toISOString();
const amount = (records: number) => ({ records, bytes: records * 654 });

const noTime: ByTime = {
  low: null,
  whyNoLow: "No commit is at hand",
  high: null,
  whyNoHigh: "No commit is at hand",
  committedAt: null,
  sourceAt: null,
  firstAt: null,
  notes: [],
};

/** A window in which nothing is special, at `events` of them. */
function plain(now: Date, events: number, committedAt: number, topic: string): ReplayWindow {
  const sourceAt = committedAt - 700;
  // A stopped one wrote for less than a flush interval since.
  const spanMs = events === 0 ? 0 : Math.min(59 * second, Math.max(0, now.getTime() - committedAt - 400));
  const low = Math.round(events * 0.95);
  const high = Math.round(events * 1.054);
  return {
    at: now.toISOString(),
    kind: "events",
    why: null,
    standsStill: null,
    events,
    by: "position",
    bound: "exact",
    bytes: amount(events).bytes,
    spanMs,
    byTime: {
      low: amount(low),
      whyNoLow: null,
      high: amount(high),
      whyNoHigh: null,
      committedAt: iso(committedAt),
      sourceAt: iso(sourceAt),
      firstAt: events > 0 ? iso(committedAt + 400) : null,
      notes: [],
    },
    byPosition: {
      at: now.toISOString(),
      events,
      tombstones: 0,
      reReads: 0,
      bytes: amount(events).bytes,
      spanMs,
      bound: "exact",
      unread: 0,
      partitions: 8,
      probes: 4,
      bytesRead: 311_296,
      notes: [],
    },
    whyNoPosition: null,
    ownTopics: amount(Math.round(events / 60)),
    commits: [{ partition: '{"server":"shop"}', committedAt: iso(committedAt), position: "1A/4F532A00" }],
    exactlyOnce: { asked: false, allowed: null, seen: false },
    flushInterval: { ms: 60_000, commits: 34, of: "connector", confidence: "sure", why: null },
    topics: [
      { topic, records: low, end: 51_902_126, failure: null },
      { topic: `${topic}_audit`, records: 0, end: 1_204_880, failure: null },
    ],
    recentWorst: { events: Math.round(events * 1.2), at: iso(now.getTime() - 190 * second) },
    grewAt: now.toISOString(),
  };
}

/** PostgreSQL may resume a little ahead of its offset. */
function slotAhead(window: ReplayWindow): ReplayWindow {
  if (!window.byPosition) return window;
  const notes = [
    {
      slug: "slot-may-be-ahead",
      text: "PostgreSQL may resume from its replication slot, a little ahead of the offset: then fewer come again",
    },
  ];
  return { ...window, bound: "at-most", byPosition: { ...window.byPosition, bound: "at-most", notes } };
}

function byTimeOnly(window: ReplayWindow): ReplayWindow {
  const events = window.byTime.high?.records ?? 0;
  return {
    ...window,
    events,
    bytes: amount(events).bytes,
    by: "time",
    bound: "at-most",
    byPosition: null,
    whyNoPosition: null,
    byTime: {
      ...window.byTime,
      notes: [
        {
          slug: "oldest-commit",
          text: "Its three databases commit each for itself, and the oldest commit is taken for all: the figure is an upper bound",
        },
      ],
    },
  };
}

function exactlyOnce(now: Date, window: ReplayWindow): ReplayWindow {
  return {
    ...window,
    events: 0,
    kind: "exactly-once",
    by: "exactly-once",
    bound: "exact",
    bytes: 0,
    spanMs: 0,
    byTime: { ...noTime, low: amount(0), whyNoLow: null, committedAt: iso(now.getTime() - 210) },
    byPosition: null,
    ownTopics: amount(0),
    exactlyOnce: { asked: true, allowed: null, seen: true },
    flushInterval: {
      ms: null,
      commits: 0,
      of: "connector",
      confidence: null,
      why: "with exactly-once each transaction commits its own offset, so there is no interval to infer",
    },
  };
}

function snapshot(now: Date, window: ReplayWindow): ReplayWindow {
  const committedAt = iso(now.getTime() - 22 * second);
  return {
    ...window,
    kind: "snapshot",
    by: "snapshot",
    bound: "at-most",
    spanMs: null,
    byPosition: null,
    whyNoPosition: "A snapshot has no positions to compare",
    byTime: { ...noTime, committedAt },
    commits: window.commits.map((commit) => ({ ...commit, committedAt })),
  };
}

function unknown(now: Date, window: ReplayWindow): ReplayWindow {
  return {
    ...window,
    at: now.toISOString(),
    kind: "unknown",
    why: "The brokers refuse the end offsets of shop.public.orders: Describe on the topic is not granted",
    events: null,
    by: null,
    bound: null,
    bytes: null,
    spanMs: null,
    byTime: noTime,
    byPosition: null,
    whyNoPosition: null,
    ownTopics: null,
    topics: [
      {
        topic: "shop.public.orders",
        records: null,
        end: null,
        failure: {
          kind: "forbidden",
          sentence: "The brokers refuse the end offsets of shop.public.orders: Describe is not granted",
          remedy: "Grant User:tidemark Describe on topic shop.public.orders.",
        },
      },
    ],
    recentWorst: null,
    grewAt: null,
  };
}

/** The window of a made-up connector in each state, as its series ends. */
export function windowOf(
  state: WindowState,
  now: Date,
  series: WindowSeries = seriesOf(state, now),
): ReplayWindow {
  const events = series.points.at(-1)?.events ?? 0;
  const committedAt = series.commits.at(-1)?.getTime() ?? now.getTime() - 3 * 86_400 * second;
  const window = plain(now, events, committedAt, "shop.public.orders");
  switch (state) {
    case "steady":
      return slotAhead(window);
    case "bursty":
      return window;
    case "several":
      return byTimeOnly(window);
    case "idle":
      return {
        ...window,
        flushInterval: { ...window.flushInterval, of: "cluster", commits: 212, confidence: "likely" },
        grewAt: null,
      };
    case "exactly-once":
      return exactlyOnce(now, window);
    case "snapshot":
      return snapshot(now, window);
    case "stopped":
      return { ...window, standsStill: "FAILED" };
    case "unknown":
      return unknown(now, window);
  }
}

const classes: Partial<Record<WindowState, string>> = { bursty: mariadb, several: sqlserver };

/** One connector in each state of the window, named for it, on the cluster `eu-1`. `began`: as {@link seriesOf} has it. */
export function windowConnectors(now: Date, began: Date = now): JudgedConnector[] {
  return windowStates.map((state) => {
    const name = `${state}-cdc`;
    const config: Record<string, string> = {
      "topic.prefix": "shop",
      "heartbeat.interval.ms": "5000",
      ...(state === "several" ? { "database.names": databases.join(",") } : {}),
      ...(classes[state] ? historyConfig(`${state}.history`) : {}),
    };
    const value = report(name, classes[state] ?? postgres, "3.6.1.Final", config);
    const failed = state === "stopped" ? { ...value, tasks: (value.tasks ?? []).map(fail) } : value;
    const series = seriesOf(state, now, { began });
    const connector = stored("eu-1", failed, now);
    const topics = [
      end("shop.public.orders", "table", 8, "51902126", now, state === "idle" ? 0 : 102.4),
      end("shop.public.orders_audit", "table", 1, "1204880", now, 0),
      end("__debezium-heartbeat.shop", "heartbeat", 1, "2280", now, 0.2),
    ];
    return {
      ...withTopics(connector, topics, now),
      history: classes[state] ? seen(historyTopic(`${state}.history`), now, 60 * minute, false) : null,
      offsets: seen(offsetsOf(state, now), now, 3 * second),
      commits: seen(commitHistory(state, series), now, 3 * second),
      window: seen(windowOf(state, now, series), now),
    };
  });
}

/** Where each is; the others are PostgreSQL's. */
function offsetsOf(state: WindowState, now: Date) {
  if (state === "bursty") return mariadbOffset("shop", now);
  if (state === "snapshot") {
    const offset = `{"last_snapshot_record":false,"lsn":113000000000,"txId":8841207,"ts_usec":${now.getTime()}000,"snapshot":"INITIAL"}`;
    return { offsets: [{ partition: '{"server":"shop"}', offset }] };
  }
  if (state !== "several") return postgresOffset("shop", 113_000_000_000n, now);
  const offset =
    '{"commit_lsn":"0000002c:000001a8:0003","change_lsn":"NULL","snapshot":null,"event_serial_no":1}';
  return { offsets: databases.map((database) => ({ partition: partitionOf(database), offset })) };
}

const databases = ["sales", "stock", "hr"];
const partitionOf = (database: string) => `{"server":"shop","database":"${database}"}`;

/** The newest commits, as the offset topic would hold them; only PostgreSQL's are made up. */
function commitHistory(state: WindowState, series: WindowSeries): CommitHistory {
  const partitions =
    state === "bursty" || state === "several"
      ? []
      : [{ partition: '{"server":"shop"}', commits: offsetCommits(state, series).slice(-12) }];
  return { topics: ["connect-offsets"], partitions };
}

function fail<T extends { state: string; trace: string | null }>(task: T): T {
  return {
    ...task,
    state: "FAILED",
    trace: 'org.apache.kafka.connect.errors.ConnectException: replication slot "shop" is active for PID 4411',
  };
}

/** A look at the window that was refused as a whole. */
export function refusedWindow(now: Date): NonNullable<JudgedConnector["window"]> {
  return refused(
    {
      kind: "unreachable",
      sentence: "The brokers at kafka-1.eu:9092 do not answer",
      remedy: "Start them, or correct kafka.brokers of this cluster.",
    },
    now,
  );
}
