import { parseArgs } from "node:util";
import { loadSettings } from "@/lib/config/load";
import type { ClusterSettings } from "@/lib/config/settings";
import { type ConnectorType, connectorTypes, isConnectorType } from "@/lib/debezium/connector-type";
import { argumentFault } from "./arguments";
import { momentOf } from "./duplicates-time";

/** Arguments that make no sense. */
export class UsageError extends Error {}

const typeNames = connectorTypes.filter((type) => type !== "unknown").join(", ");

export const duplicatesUsage = `Usage: tidemark duplicates --brokers LIST --topic T [--partition N] [--method bisect|scan]
                           [--from T] [--to T] [--type TYPE] [--json]
       tidemark duplicates --config FILE [--cluster NAME] --topic T …
       tidemark duplicates --file FILE|- [--topic T] [--partition N] [--type TYPE] [--json]

How many changes of a topic came twice, and where: one look, without a database. Nothing is written.

  --topic T         which one
  --partition N     only this partition
  --method METHOD   bisect (default): finds where runs of the task began and what of each had come before; reads little
                    scan: reads every record; duplicates by chance too, order of keys, re-reads of snapshots
  --from T, --to T  only this time: 2026-11-30T10:00Z, 2026-11-30 (UTC without a zone), or back from now: -2h, -30m
  --brokers LIST    host:port,…
  --connect URL     Kafka Connect: tells the configuration of the connector that writes the topic
  --config FILE     settings as for tidemark start: TLS, logins, schema registry, several clusters
  --cluster NAME    which cluster of the settings
  --file FILE       records as JSON lines instead, - for standard input, also with gzip: every record is looked at
  --type TYPE       ${typeNames}
                    (default: as the records tell)
  --json            for programs

Environment variables of docs/configuration.md are read too (KAFKA_SASL_PASSWORD, SCHEMA_REGISTRY_URL, …).
Exit code: 0 none found, 1 duplicates found, 2 wrong arguments or settings, 3 it could not be looked, or cannot be measured.
`;

/** What to look at, and how. Connect that only the settings name need not answer. Times in milliseconds since 1970. */
export interface DuplicatesArguments {
  source: { file: string } | { cluster: ClusterSettings; connect: "must" | "may" | "none" };
  topic: string | null;
  partition: number | null;
  method: "bisect" | "scan";
  from: number | null;
  to: number | null;
  type: ConnectorType | null;
  json: boolean;
}

/** Null: help is asked for. @throws UsageError, SettingsError */
export function readDuplicatesArguments(argv: string[], now: number): DuplicatesArguments | null {
  const values = parse(argv);
  if (values.help) return null;
  const { type = null, file, topic = null } = values;
  if (type !== null && !isConnectorType(type))
    throw new UsageError(`there is no type "${type}"; one of ${typeNames} would be right.`);
  const common = {
    topic,
    partition: partitionOf(values.partition),
    method: methodOf(values.method),
    from: moment(values.from, "--from", now),
    to: moment(values.to, "--to", now),
    type,
    json: values.json ?? false,
  };
  if (common.from !== null && common.to !== null && common.from >= common.to)
    throw new UsageError("--from is not before --to.");
  if (file !== undefined) {
    const [other] = (["brokers", "connect", "config", "cluster", "method"] as const).filter(
      (name) => values[name] !== undefined,
    );
    if (other)
      throw new UsageError(`--file asks no broker, and has every record looked at: leave --${other} out.`);
    return { source: { file }, ...common };
  }
  if (topic === null || topic === "") throw new UsageError("which topic? --topic T, or --file FILE.");
  return { source: sourceOf(values), ...common };
}

type Values = NonNullable<ReturnType<typeof parse>>;

function parse(argv: string[]) {
  try {
    return parseArgs({
      args: withTimes(argv),
      options: {
        topic: { type: "string" },
        partition: { type: "string" },
        method: { type: "string" },
        from: { type: "string" },
        to: { type: "string" },
        brokers: { type: "string" },
        connect: { type: "string" },
        config: { type: "string" },
        cluster: { type: "string" },
        file: { type: "string" },
        type: { type: "string" },
        json: { type: "boolean" },
        help: { type: "boolean", short: "h" },
      },
    }).values;
  } catch (error) {
    throw new UsageError(`${argumentFault(error)}.`);
  }
}

/** `--from -2h` as `--from=-2h`: Node takes a value with a dash for the next option. */
function withTimes(argv: readonly string[]): string[] {
  return argv.flatMap((arg, i) => {
    const isTime = (name: string | undefined) => name === "--from" || name === "--to";
    const value = argv[i + 1];
    if (isTime(arg) && value !== undefined && /^-\d/.test(value)) return [`${arg}=${value}`];
    return isTime(argv[i - 1]) && /^-\d/.test(arg) ? [] : [arg];
  });
}

function partitionOf(text: string | undefined): number | null {
  if (text === undefined) return null;
  if (!/^\d{1,9}$/.test(text)) throw new UsageError(`--partition ${text} is not a whole number from 0 on.`);
  return Number(text);
}

function methodOf(text = "bisect"): "bisect" | "scan" {
  if (text !== "bisect" && text !== "scan")
    throw new UsageError(`there is no method "${text}"; bisect or scan would be right.`);
  return text;
}

function moment(text: string | undefined, name: string, now: number): number | null {
  if (text === undefined) return null;
  const at = momentOf(text, now);
  if (at === null)
    throw new UsageError(`${name} ${text} is no time; 2026-11-30T10:00Z or -2h would be right.`);
  return at;
}

/** The settings want to know of Kafka Connect, which this command need not ask. */
const NO_CONNECT = "http://connect.invalid";

function sourceOf({ brokers, connect, config, cluster }: Values): DuplicatesArguments["source"] {
  const alone = brokers !== undefined && config === undefined;
  const url = connect ?? process.env.CONNECT_URL;
  const env = {
    ...process.env,
    ...(brokers === undefined ? {} : { KAFKA_BROKERS: brokers }),
    ...(url ? { CONNECT_URL: url } : alone ? { CONNECT_URL: NO_CONNECT } : {}),
  };
  const { clusters } = loadSettings({ file: config ?? (alone ? null : undefined), env }).settings;
  const named = clusters.filter(({ name }) => cluster === undefined || name === cluster);
  const [one, another] = named;
  const names = clusters.map(({ name }) => name).join(", ");
  if (clusters.length === 0) throw new UsageError("no brokers are given: --brokers LIST, or --config FILE.");
  if (!one) throw new UsageError(`there is no cluster "${cluster}"; the settings name ${names}.`);
  if (another)
    throw new UsageError(`the settings name several clusters (${names}): say which with --cluster.`);
  if (!one.kafka)
    throw new UsageError("no brokers are given: --brokers LIST, or kafka.brokers of the cluster.");
  const isNamed = one.connect.urls[0] !== NO_CONNECT;
  return { cluster: one, connect: connect !== undefined ? "must" : isNamed ? "may" : "none" };
}
