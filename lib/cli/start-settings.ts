import { parseArgs } from "node:util";
import { loadSettings } from "@/lib/config/load";
import type { Settings } from "@/lib/config/settings";
import { SettingsError } from "@/lib/config/settings-error";

export interface ServiceArguments {
  config: string | undefined;
  port: string | undefined;
  host: string | undefined;
  dev: boolean;
  attached: boolean;
  help: boolean;
}

/** A command that cannot run as it was given. The message is for the person, the code for the shell. */
export class CommandFault extends Error {
  override name = "CommandFault";
  constructor(
    message: string,
    readonly exitCode: number,
  ) {
    super(message);
  }
}

/** The options that start, web, collect and migrate share. @throws CommandFault (2) */
export function serviceArguments(argv: string[], command: string): ServiceArguments {
  try {
    const { values } = parseArgs({
      args: argv,
      options: {
        config: { type: "string" },
        port: { type: "string" },
        host: { type: "string" },
        dev: { type: "boolean", default: false },
        attached: { type: "boolean", default: false },
        help: { type: "boolean", short: "h", default: false },
      },
    });
    return { ...values, config: values.config, port: values.port, host: values.host };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new CommandFault(`${why} See tidemark ${command} --help.`, 2);
  }
}

export interface ServiceSettings {
  settings: Settings;
  /** The settings file; null when there is none. */
  file: string | null;
}

/** Settings of the file and the environment, with the command line over both. @throws CommandFault (2) with every fault */
export function serviceSettings({ config, port, host }: ServiceArguments): ServiceSettings {
  const env = { ...process.env };
  if (port !== undefined) {
    env.PORT = port;
    delete env.PORT_FILE;
  }
  if (host !== undefined) {
    env.HOST = host;
    delete env.HOST_FILE;
  }
  try {
    return loadSettings({ file: config, env });
  } catch (error) {
    if (error instanceof SettingsError) throw new CommandFault(error.message, 2);
    throw error;
  }
}

/** The environment by which a child of ours finds the same settings, database and address. */
export function childEnvironment(
  { settings, file }: ServiceSettings,
  databaseUrl: string,
): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    DATABASE_URL: databaseUrl,
    HOST: settings.listen.host,
    PORT: String(settings.listen.port),
  };
  if (file) env.TIDEMARK_CONFIG = file;
  for (const name of ["DATABASE_URL_FILE", "HOST_FILE", "PORT_FILE"]) delete env[name];
  return env;
}

/** Whether an address can only be reached from this machine. */
function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127\.\d+\.\d+\.\d+$/.test(host);
}

/** Refuses to serve others: without access control everybody could read what the clusters hold. @throws CommandFault (2) */
export function needLoopback({ listen }: Settings): void {
  if (isLoopback(listen.host)) return;
  throw new CommandFault(
    `listen.host is ${listen.host}, which others can reach, and this version has no access control yet. Use 127.0.0.1, and a reverse proxy that authenticates, or an SSH tunnel, to reach it from elsewhere.`,
    2,
  );
}

/** The address for a browser. */
export function addressOf({ listen: { host, port } }: Settings): string {
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** Runs a command; a fault becomes a sentence and its exit code. */
export async function told(stderr: NodeJS.WritableStream, work: () => Promise<number>): Promise<number> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof CommandFault) {
      stderr.write(`${error.message}\n`);
      return error.exitCode;
    }
    if (error instanceof Error && expectedFaults.has(error.name)) {
      stderr.write(`${error.message}\n`);
      return 1;
    }
    throw error;
  }
}

/** Errors of the store whose message is written for a person. */
const expectedFaults = new Set([
  "DatabaseUnavailable",
  "DataDirInUse",
  "EmbeddedPostgresFault",
  "MigrationFault",
  "PostgresBinariesMissing",
]);
