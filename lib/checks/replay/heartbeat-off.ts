import { heartbeatIntervalMs, typeOf } from "@/lib/debezium/config";
import { type ConnectorType, connectorLabel } from "@/lib/debezium/connector-type";
import type { ConnectorCheck } from "../check";
import { knownReport, notOurs } from "../connector-report";
import { duration } from "../duration";
import { wholeSentence } from "../known";
import { meanwhile } from "../meanwhile";
import { sayer } from "../say";
import { patchConfig } from "../shell";
import type { RemedyStep, Verdict } from "../verdict";
import {
  type KnownWindow,
  knownWindow,
  newestCommit,
  uncounted,
  unseenTopic,
  whyUnknown,
} from "./known-window";

const say = sayer("heartbeat-off");

/** Connectors built on Debezium's Heartbeat, whose offset moves only with a record. Others take their progress otherwise. */
const withHeartbeats: ReadonlySet<ConnectorType> = new Set([
  "postgresql",
  "mysql",
  "mariadb",
  "sqlserver",
  "oracle",
  "mongodb",
  "db2",
  "informix",
  "vitess",
]);

export const heartbeatOff: ConnectorCheck = {
  subject: "connector",
  slug: "heartbeat-off",
  group: "replay",
  title: "No heartbeats on a quiet source",
  looksAt:
    "Whether a connector that has been idle for long has heartbeats, without which its stored position stands still.",
  severity: "info",
  judge(facts, limits, now) {
    const report = knownReport(facts, now);
    if (report.why !== undefined) return say.unknown(report.why);
    const foreign = notOurs(report.value);
    if (foreign) return say.notApplicable(foreign);
    const { config } = report.value;
    if (!config) return say.unknown("Connect did not report the configuration.");
    const type = typeOf(config);
    if (!withHeartbeats.has(type))
      return say.notApplicable(`${connectorLabel(type)} connectors have no such heartbeats.`);
    const every = heartbeatIntervalMs(config);
    if (every === null)
      return say.unknown(
        `Whether heartbeats are on: heartbeat.interval.ms is ${config["heartbeat.interval.ms"]}, no number.`,
      );
    if (every > 0) return say.ok(`every ${duration(every)}`, `Heartbeats come every ${duration(every)}.`);
    const known = knownWindow(say, facts, now);
    return "outcome" in known ? known : judgeIdle(facts.connector, known, type, limits.silentMs);
  },
};

function judgeIdle(connector: string, known: KnownWindow, type: ConnectorType, idleMs: number): Verdict {
  const { window, report } = known;
  if (window.standsStill !== null)
    return say.notApplicable(`It is ${window.standsStill}, so heartbeats would change nothing.`);
  const { grewAt, byTime } = window;
  const moved = [
    newestCommit(window),
    ...[grewAt, byTime.firstAt].map((at) => (at === null ? null : Date.parse(at))),
  ].filter((at) => at !== null);
  if (moved.length === 0)
    return say.unknown(
      "Heartbeats are off; whether it has been idle is not known: no time of a commit or a record is.",
    );
  const last = Math.max(...moved);
  const quietMs = Date.parse(window.at) - last;
  if (quietMs <= idleMs)
    return say.ok("off, not idle", "Heartbeats are off, and records come often enough to move the position.");
  if (window.kind === "unknown") return say.unknown(whyUnknown(window));
  const unseen = unseenTopic(window) ?? uncounted({ ...window, by: "time" });
  if (unseen !== null)
    return say.unknown(`Heartbeats are off; whether it is idle is not known. ${wholeSentence(unseen)}`);
  const cost = meanwhile(report, "idle");
  return say.info({
    short: `idle ${duration(quietMs)}`,
    sentence: `Heartbeats are off, and nothing came for ${duration(quietMs)}: the stored position stands still with it${cost ? `, and ${cost}` : ""}. A crash would still produce nothing more again.`,
    evidence: [
      {
        label: "heartbeat.interval.ms",
        value: known.config["heartbeat.interval.ms"] ?? "not set (0)",
        from: "configuration",
      },
      {
        label: "last record or commit",
        value: new Date(last).toISOString(),
        from: "topics and offset topic",
      },
    ],
    remedy: remedyOf(connector, type),
  });
}

function remedyOf(connector: string, type: ConnectorType): RemedyStep[] {
  const steps: RemedyStep[] = [
    {
      text: "Turn heartbeats on; this restarts the connector's tasks. Each heartbeat is a record in the topic __debezium-heartbeat.<topic.prefix>, with an offset that can be committed.",
      command: patchConfig(connector, { "heartbeat.interval.ms": "10000" }),
    },
  ];
  if (type === "postgresql")
    steps.push({
      text: "Where other databases of the same server write much and this one nothing, no heartbeat moves the slot: let heartbeat.action.query write to a small table of this database, one that the publication has.",
      command: null,
    });
  return steps;
}
