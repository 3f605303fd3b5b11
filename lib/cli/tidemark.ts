#!/usr/bin/env node
import { ownPackage } from "./package-root";

/** A command: its arguments and streams in, its exit code out. */
type Command = (
  argv: string[],
  io: { stdin: NodeJS.ReadStream; stdout: NodeJS.WriteStream; stderr: NodeJS.WriteStream },
) => Promise<number>;

/** Each is loaded only when it is asked for: `decode` must not wait for what `start` needs. */
const commands: Record<string, () => Promise<Command>> = {
  start: async () => (await import("./start")).startCommand,
  web: async () => (await import("./web")).webCommand,
  collect: async () => (await import("./collect")).collectCommand,
  migrate: async () => (await import("./migrate")).migrateCommand,
  decode: async () => (await import("./decode")).decodeCommand,
  check: async () => (await import("./check")).checkCommand,
  replay: async () => (await import("./replay")).replayCommand,
  duplicates: async () => (await import("./duplicates")).duplicatesCommand,
};

const usage = `Usage: tidemark COMMAND [options]

  start       everything on one machine: database, pages and collector
  web         the pages alone
  collect     the collector alone
  migrate     brings the database to this version
  check       one look at a cluster, no database
  replay      what a crash of one connector would produce again, one look, no database
  duplicates  what came twice in a topic, and where, one look, no database
  decode      explains stored source offsets

tidemark COMMAND --help tells more. tidemark --version tells the version.
`;

async function main([name, ...argv]: string[]): Promise<number> {
  if (name === undefined || name === "--help" || name === "-h" || name === "help") {
    (name === undefined ? process.stderr : process.stdout).write(usage);
    return name === undefined ? 2 : 0;
  }
  if (name === "--version" || name === "-v") {
    process.stdout.write(`${ownPackage().version}\n`);
    return 0;
  }
  const load = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!load) {
    process.stderr.write(
      `There is no command "${name}". There are ${Object.keys(commands).join(", ")}; tidemark --help tells what they do.\n`,
    );
    return 2;
  }
  const command = await load();
  return command(argv, process);
}

// A reader that has seen enough (`| head`) closes the pipe: no fault of ours.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit(0);
});

process.exitCode = await main(process.argv.slice(2));
// What a service still holds open (a pool, a timer of a library) must not keep it.
setTimeout(() => process.exit(), 1_000).unref();
