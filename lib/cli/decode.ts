import { open } from "node:fs/promises";
import { parseArgs } from "node:util";
import { connectorTypes, isConnectorType } from "../debezium/connector-type";
import { type DecodeOptions, decodeText, readConfig } from "../debezium/decode-input";
import { DecodeInputError } from "../debezium/decode-input-error";
import { argumentFault } from "./arguments";
import { jsonText, printable, reportText } from "./decode-text";

export interface CommandStreams {
  stdin: NodeJS.ReadableStream;
  stdout: NodeJS.WritableStream;
  stderr: NodeJS.WritableStream;
}

/** Input over this size, in bytes, is refused. */
const maxBytes = 16 * 1024 * 1024;

const usage = `Usage: tidemark decode [--type TYPE] [--config FILE] [--json] [FILE]

Explains stored source offsets and topic records of Debezium connectors, from FILE or standard input.

  --type TYPE    ${connectorTypes.filter((type) => type !== "unknown").join(", ")}
                 (default: by the configuration, else by what the input tells)
  --config FILE  the connector's configuration as JSON: tells which partition a start would read
  --json         for programs: one report, or a list of them when the input holds several connectors
`;

class UsageError extends Error {}

/** The report could not be written. */
class OutputError extends Error {}

interface Arguments extends DecodeOptions {
  file: string | undefined;
  json: boolean;
  help: boolean;
  configFile: string | undefined;
}

function readArguments(argv: string[]): Arguments {
  const { values, positionals } = parse(argv);
  if (positionals.length > 1) throw new UsageError(`one FILE is read, but ${positionals.length} are given.`);
  const { type } = values;
  if (type !== undefined && !isConnectorType(type))
    throw new UsageError(`there is no type "${type}"; one of ${connectorTypes.join(", ")} would be right.`);
  return {
    ...(type === undefined ? {} : { type }),
    file: values.file ?? positionals[0],
    json: values.json ?? false,
    help: values.help ?? false,
    configFile: values.config,
  };
}

function parse(argv: string[]) {
  try {
    return parseArgs({
      args: argv,
      allowPositionals: true,
      options: {
        type: { type: "string" },
        config: { type: "string" },
        file: { type: "string" },
        json: { type: "boolean" },
        help: { type: "boolean", short: "h" },
      },
    });
  } catch (error) {
    throw new UsageError(argumentFault(error));
  }
}

async function readAll(stream: AsyncIterable<string | Buffer>, name: string): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    const bytes = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
    size += bytes.length;
    if (size > maxBytes)
      throw new DecodeInputError(
        `${name} is over ${maxBytes / 1024 / 1024} MiB, which is too much to decode.`,
      );
    chunks.push(bytes);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}

async function readFileText(path: string): Promise<string> {
  try {
    const file = await open(path);
    return await readAll(file.createReadStream(), path);
  } catch (error) {
    if (error instanceof DecodeInputError) throw error;
    const code = error instanceof Error && "code" in error ? error.code : null;
    if (code === "ENOENT") throw new DecodeInputError(`There is no file ${path}.`);
    throw new DecodeInputError(`${path} cannot be read (${String(code ?? error)}).`);
  }
}

const outputFaults: Readonly<Record<string, string>> = {
  ENOSPC: "no space is left where it goes",
  EPIPE: "its reader has gone",
};

/** Writes all of the text. A file fails at once, a pipe later and with an event as well. */
async function write(stream: NodeJS.WritableStream, text: string): Promise<void> {
  // The callback tells the same as the event, which must not end the process before it.
  stream.removeAllListeners("error");
  stream.on("error", () => undefined);
  try {
    await new Promise<void>((resolve, reject) => {
      stream.write(text, (error) => (error ? reject(error) : resolve()));
    });
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
    const cause = outputFaults[code];
    throw new OutputError(`The output cannot be written${cause ? `: ${cause}` : ""} (${code}).`);
  }
}

/**
 * `tidemark decode [--type TYPE] [--config FILE] [--json] [FILE]`.
 * @returns the exit code: 0, or 2 for input that cannot be read, with one sentence on stderr.
 */
export async function decodeCommand(argv: string[], io: CommandStreams): Promise<number> {
  try {
    const args = readArguments(argv);
    if (args.help) {
      await write(io.stdout, usage);
      return 0;
    }
    const config =
      args.configFile === undefined ? undefined : readConfig(await readFileText(args.configFile));
    const fromStdin = args.file === undefined || args.file === "-";
    const text = fromStdin ? await readAll(io.stdin, "The input") : await readFileText(args.file ?? "-");
    const options = { ...(args.type ? { type: args.type } : {}), ...(config ? { config } : {}) };
    const reports = decodeText(text, options);
    await write(
      io.stdout,
      args.json ? jsonText(reports) : reports.map((r) => reportText(r, options)).join("\n"),
    );
    return 0;
  } catch (error) {
    const known = [DecodeInputError, UsageError, OutputError].some((kind) => error instanceof kind);
    if (!known || !(error instanceof Error)) throw error;
    const hint = error instanceof UsageError ? " See tidemark decode --help." : "";
    io.stderr.write(`tidemark decode: ${printable(error.message)}${hint}\n`);
    return 2;
  }
}
