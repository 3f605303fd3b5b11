import { parseArgs } from "node:util";
import { openProbe } from "@/lib/collect/open-probe";
import { nearest } from "@/lib/config/nearest";
import type { ClusterSettings } from "@/lib/config/settings";
import { SettingsError } from "@/lib/config/settings-error";
import { isDebezium } from "@/lib/debezium/connector-type";
import type { ConnectorReport } from "@/lib/observed/connector";
import { argumentFault, settingsWith } from "./arguments";
import { CannotLookError } from "./cannot-look";
import { openProgress } from "./progress";
import { cannot, lookAtReplay, type MeasuredOnce } from "./replay-look";
import { replayReport } from "./replay-report";
import { replayText } from "./replay-text";

const usage = `Usage: tidemark replay --connect URL --brokers LIST --connector NAME [--json]
       tidemark replay --config FILE [--cluster NAME] --connector NAME [--json]

How much would be produced again if the connector's tasks died now: one look, without a database.
By time, from offsets alone, and by position, by reading what lies after the commit.

  --connector NAME  which one
  --connect URL     Kafka Connect, as http(s)://host:port; several workers of one cluster as a comma list
  --brokers LIST    host:port,…
  --config FILE     settings as for tidemark start: TLS, logins, several clusters, the offset topic
  --cluster NAME    which cluster of the settings, where several have a connector of this name
  --json            for programs

Environment variables of docs/configuration.md are read too (KAFKA_SASL_PASSWORD, OFFSET_TOPIC, …).
Exit code: 0 known, 2 wrong arguments or settings, 3 it could not be looked, or is not known.
`;

interface Streams {
  stdin: NodeJS.ReadStream;
  stdout: NodeJS.WriteStream;
  stderr: NodeJS.WriteStream;
}

class UsageError extends Error {}

interface Arguments {
  connect?: string;
  brokers?: string;
  connector?: string;
  cluster?: string;
  config?: string;
  json?: boolean;
  help?: boolean;
}

/**
 * `tidemark replay`: prints the replay window of one connector, or with `--json` a report in the form of `replayReportSchema`.
 * @returns the exit code: 0 known, 2 wrong arguments or settings, 3 could not look or not known.
 */
export async function replayCommand(argv: string[], io: Streams): Promise<number> {
  const progress = openProgress("tidemark replay", (line) => void io.stderr.write(line));
  try {
    const args = readArguments(argv);
    if (args.help) {
      io.stdout.write(usage);
      return 0;
    }
    if (!args.connector) throw new UsageError("which connector? --connector NAME.");
    const clusters = readClusters(args);
    const measured = await lookInto(clusters, args.connector, progress.stage);
    const report = replayReport(measured);
    io.stdout.write(args.json ? `${JSON.stringify(report, null, 2)}\n` : replayText(report, measured.window));
    return report.exitCode;
  } catch (error) {
    if (error instanceof CannotLookError) {
      io.stderr.write(`tidemark replay: ${error.message}\n`);
      return 3;
    }
    if (!(error instanceof UsageError) && !(error instanceof SettingsError)) throw error;
    const hint = error instanceof UsageError ? " See tidemark replay --help." : "";
    io.stderr.write(`tidemark replay: ${error.message}${hint}\n`);
    return 2;
  } finally {
    progress.end();
  }
}

function readArguments(argv: string[]): Arguments {
  try {
    return parseArgs({
      args: argv,
      options: {
        connect: { type: "string" },
        brokers: { type: "string" },
        connector: { type: "string" },
        cluster: { type: "string" },
        config: { type: "string" },
        json: { type: "boolean" },
        help: { type: "boolean", short: "h" },
      },
    }).values;
  } catch (error) {
    throw new UsageError(`${argumentFault(error)}.`);
  }
}

function readClusters(args: Arguments): ClusterSettings[] {
  const settings = settingsWith(args);
  if (settings.clusters.length === 0)
    throw new UsageError("no cluster is given: --connect URL and --brokers LIST, or --config FILE.");
  const clusters = settings.clusters.filter((c) => args.cluster === undefined || c.name === args.cluster);
  if (clusters.length === 0)
    throw new UsageError(
      `there is no cluster "${args.cluster}"; the settings name ${settings.clusters.map((c) => c.name).join(", ")}.`,
    );
  return clusters;
}

/** Finds the cluster that has the connector, and looks. Opens and closes its own connections. */
async function lookInto(
  clusters: readonly ClusterSettings[],
  connector: string,
  stage: (text: string) => void,
): Promise<MeasuredOnce> {
  const opened = clusters.map((settings) => ({ settings, probe: openProbe(settings) }));
  try {
    stage("asking Kafka Connect for its connectors");
    const listed = await Promise.all(
      opened.map(async (one) => ({ ...one, list: await one.probe.listConnectors() })),
    );
    const lists = listed.map(({ settings, list }) => ({ settings, list }));
    const found = listed.filter(({ list }) => list.value?.some((r) => r.name === connector));
    const [one, another] = found;
    if (!one) throw notFound(connector, lists);
    if (another)
      throw new UsageError(
        `clusters ${one.settings.name} and ${another.settings.name} both have a connector "${connector}": say which with --cluster.`,
      );
    const { settings, probe, list } = one;
    const reports = list.value ?? [];
    mustHaveWindow(connector, reports);
    if (!probe.brokers)
      throw new UsageError("no brokers are given: --brokers LIST, or kafka.brokers of the cluster.");
    const looker = {
      cluster: settings.name,
      offsetTopic: settings.offsetTopic ?? null,
      probe,
      brokers: probe.brokers,
      stage,
    };
    return await lookAtReplay(looker, connector, reports);
  } finally {
    await Promise.all(opened.map(({ probe }) => probe.close()));
  }
}

type Listed = {
  settings: ClusterSettings;
  list: Awaited<ReturnType<ReturnType<typeof openProbe>["listConnectors"]>>;
};

/** A cluster that could not be asked may have it. */
function notFound(connector: string, lists: readonly Listed[]): CannotLookError {
  const failure = lists.map(({ list }) => list.failure).find((f) => f !== undefined);
  if (failure) return cannot(failure);
  const names = lists.flatMap(({ list }) => (list.value ?? []).map((r) => r.name));
  const meant = nearest(connector, names);
  return new CannotLookError(
    `there is no connector "${connector}"${meant ? `; did you mean "${meant}"?` : "."}`,
  );
}

function mustHaveWindow(connector: string, reports: readonly ConnectorReport[]): void {
  const report = reports.find((r) => r.name === connector);
  if (report?.type === "sink")
    throw new CannotLookError(
      `"${connector}" is a sink connector: it has no source position and no replay window.`,
    );
  if (!report?.config)
    throw new CannotLookError(`Kafka Connect did not report the configuration of "${connector}".`);
  const className = report.config["connector.class"];
  if (!isDebezium(className))
    throw new CannotLookError(
      `"${connector}" is no Debezium source connector that Tidemark knows (${className ?? "no connector.class"}).`,
    );
}
