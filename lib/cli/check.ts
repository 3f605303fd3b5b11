import { parseArgs } from "node:util";
import type { Settings } from "@/lib/config/settings";
import { SettingsError } from "@/lib/config/settings-error";
import { argumentFault, settingsWith } from "./arguments";
import { CannotLookError } from "./cannot-look";
import { limitsOf, lookAtCluster } from "./check-look";
import { type ClusterPart, checkReport } from "./check-report";
import { checkText } from "./check-text";

const usage = `Usage: tidemark check --connect URL --brokers LIST [--connector NAME] [--json]
       tidemark check --config FILE [--connector NAME] [--json]

One look at Kafka Connect and its brokers, without a database, and what is wrong.

  --connect URL     Kafka Connect, as http(s)://host:port; several workers of one cluster as a comma list
  --brokers LIST    host:port,…; without them schema histories cannot be seen
  --connector NAME  only this connector
  --config FILE     settings as for tidemark start: TLS, logins, several clusters
  --json            for programs

Environment variables of docs/configuration.md are read too (KAFKA_SASL_PASSWORD, …).
Exit code: 0 all well, 1 a warning, 2 something critical, 3 not everything could be looked at.
`;

interface Streams {
  stdin: NodeJS.ReadStream;
  stdout: NodeJS.WriteStream;
  stderr: NodeJS.WriteStream;
}

/**
 * `tidemark check`: prints findings worst first, or with `--json` a report in the form of `checkReportSchema`.
 * @returns the exit code: 0 ok, 1 warning, 2 critical, 3 could not look (also for arguments that make no sense).
 */
export async function checkCommand(argv: string[], io: Streams): Promise<number> {
  try {
    const args = readArguments(argv);
    if (args.help) {
      io.stdout.write(usage);
      return 0;
    }
    const settings = readSettings(args);
    const at = new Date();
    const connector = args.connector ?? null;
    const clusters = await Promise.all(
      settings.clusters.map((c) => lookAtCluster(c, limitsOf(settings, c.name), connector, at)),
    );
    if (connector !== null) mustBeThere(connector, clusters);
    const report = checkReport(at, clusters);
    io.stdout.write(args.json ? `${JSON.stringify(report, null, 2)}\n` : checkText(report));
    return report.exitCode;
  } catch (error) {
    if (!(error instanceof CannotLookError) && !(error instanceof SettingsError)) throw error;
    io.stderr.write(`tidemark check: ${error.message}\n`);
    return 3;
  }
}

function readArguments(argv: string[]) {
  try {
    return parseArgs({
      args: argv,
      options: {
        connect: { type: "string" },
        brokers: { type: "string" },
        connector: { type: "string" },
        config: { type: "string" },
        json: { type: "boolean" },
        help: { type: "boolean", short: "h" },
      },
    }).values;
  } catch (error) {
    throw new CannotLookError(`${argumentFault(error)}. See tidemark check --help.`);
  }
}

function readSettings(args: { connect?: string; brokers?: string; config?: string }): Settings {
  const settings = settingsWith(args);
  if (settings.clusters.length === 0) {
    throw new CannotLookError(
      "no cluster is given: --connect URL, or --config FILE. See tidemark check --help.",
    );
  }
  return settings;
}

function mustBeThere(connector: string, clusters: readonly ClusterPart[]): void {
  if (clusters.some((c) => c.failure !== null || c.connectors.length > 0)) return;
  throw new CannotLookError(`there is no connector "${connector}".`);
}
