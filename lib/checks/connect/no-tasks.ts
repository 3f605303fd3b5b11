import type { ConnectorCheck } from "../check";
import { inStateMs, knownReport, stateEvidence } from "../connector-report";
import { sayer } from "../say";
import { connectorRequest } from "../shell";

const say = sayer("no-tasks");
/** A connector that was just created or resumed gets its tasks in a moment. */
const START_MS = 30_000;

export const noTasks: ConnectorCheck = {
  subject: "connector",
  slug: "no-tasks",
  group: "connect",
  title: "Running without a task",
  looksAt: "Whether a connector that is RUNNING has any task.",
  severity: "critical",
  judge(facts, _limits, now) {
    const report = knownReport(facts, now);
    if (report.why !== undefined) return say.unknown(report.why);
    const { connector, tasks } = report.value;
    if (!connector || !tasks) return say.unknown("Connect did not report the state of connector and tasks.");
    if (connector.state !== "RUNNING") return say.notApplicable(`The connector is ${connector.state}.`);
    if (tasks.length > 0)
      return say.ok(
        `${tasks.length}`,
        `The connector has ${tasks.length === 1 ? "its task" : `${tasks.length} tasks`}.`,
      );
    const evidence = stateEvidence(report.value, facts);
    const ms = inStateMs(facts, "RUNNING", now);
    if (ms !== null && ms < START_MS) {
      return say.info({
        short: "starting",
        sentence: "The connector was just started and has no task yet.",
        evidence,
      });
    }
    return say.critical({
      short: "no task",
      sentence: "The connector says RUNNING but has no task: nothing is captured.",
      evidence,
      remedy: [
        { text: "Look in the workers' logs for why its tasks could not be made.", command: null },
        {
          text: "Ask for connector and tasks to be started again.",
          command: connectorRequest("POST", facts.connector, "/restart?includeTasks=true"),
        },
      ],
    });
  },
};
