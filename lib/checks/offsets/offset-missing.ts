import { type ConnectorConfig, isReference, snapshotMode, typeOf } from "@/lib/debezium/config";
import type { ConnectorCheck } from "../check";
import { inStateMs, knownReport, notOurs } from "../connector-report";
import { duration } from "../duration";
import { known } from "../known";
import { sayer } from "../say";
import { storedPartitions } from "./stored-partitions";

const say = sayer("offset-missing");
/** The first commit comes after offset.flush.interval.ms, 60 s by default; twice that is late. */
const FIRST_COMMIT_MS = 120_000;

export const offsetMissing: ConnectorCheck = {
  subject: "connector",
  slug: "offset-missing",
  group: "offsets",
  title: "No position stored",
  looksAt: "Whether a running connector has a stored offset that a start would read.",
  severity: "warning",
  judge(facts, _limits, now) {
    const report = knownReport(facts, now);
    if (report.why !== undefined) return say.unknown(report.why);
    const foreign = notOurs(report.value);
    if (foreign) return say.notApplicable(foreign);
    const { config, connector } = report.value;
    if (!config || !connector)
      return say.unknown("Connect did not report the connector's state and configuration.");
    const offsets = known("the stored offsets", facts.offsets, now);
    if (offsets.why !== undefined) return say.unknown(offsets.why);
    const { used, undecided, leftover } = storedPartitions(config, offsets.value);
    if (used.length > 0) return say.ok("stored", "A position is stored.");
    if (undecided.length > 0)
      return say.unknown(`Offsets are stored, but whether a start would read them is ${undecided[0]?.why}.`);
    if (connector.state !== "RUNNING")
      return say.notApplicable(`No position is stored, and the connector is ${connector.state}.`);
    const ms = inStateMs(facts, "RUNNING", now);
    if (ms !== null && ms < FIRST_COMMIT_MS) {
      return say.unknown(
        "Warming up: no position is stored yet; the first commit comes after offset.flush.interval.ms, 60 s by default.",
      );
    }
    return say.warning({
      short: "none",
      sentence: `No position stored yet: if the task stops now it starts as new: ${consequence(config)}`,
      evidence: [
        {
          label: "stored offsets",
          value: leftover.length === 0 ? "none" : `none that fit, ${leftover.length} left over`,
          from: "Connect",
        },
        {
          label: "snapshot.mode",
          value: config["snapshot.mode"] ?? snapshotMode(config),
          from: config["snapshot.mode"] ? "connector configuration" : "Debezium's default",
        },
        ...(ms === null ? [] : [{ label: "running for", value: duration(ms), from: "Tidemark" }]),
      ],
      remedy: [
        {
          text: 'Look for a snapshot that runs, and for "Timed out waiting to flush offsets" in the worker\'s log. On a quiet source set heartbeat.interval.ms, so that there is something to commit.',
          command: null,
        },
      ],
    });
  },
};

/** What a start without an offset does, facts of io.debezium.snapshot.mode. */
function consequence(config: ConnectorConfig): string {
  const written = config["snapshot.mode"]?.trim() ?? "";
  if (isReference(written))
    return `what happens then is not known, for snapshot.mode is ${written}, a reference that only the worker resolves.`;
  const mode = snapshotMode(config);
  const named = `with snapshot.mode=${mode}`;
  switch (mode) {
    case "no_data":
    case "schema_only":
    case "never":
      return typeOf(config) === "postgresql"
        ? `${named} it goes on from its replication slot if that is still there; else the changes made in between are lost.`
        : `${named} the changes made in between are lost.`;
    case "recovery":
    case "schema_only_recovery":
      return `${named} it does not start at all.`;
    case "configuration_based":
    case "custom":
      return `what happens then depends on how ${mode} is set up.`;
    default:
      return `${named} it takes a whole new snapshot, and deletes made in between are never emitted.`;
  }
}
