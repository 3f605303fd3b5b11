import { open } from "node:fs/promises";
import { parseArgs } from "node:util";
import { connectorLabel, connectorTypes, isConnectorType } from "../debezium/connector-type";
import { DecodeInputError, type DecodeOptions, decodeText, readConfig } from "../debezium/decode-input";
import type { DecodedPartition, DecodeReport } from "../debezium/decode-report";
import { noPositionText } from "../debezium/no-position";

export interface CommandStreams {
  stdin: NodeJS.ReadableStream;
  stdout: NodeJS.WritableStream;
  stderr: NodeJS.WritableStream;
}

/** Input over this size, in bytes, is refused. */
const maxBytes = 16 * 1024 * 1024;

const usage = `Usage: tidemark decode [--type TYPE] [--config FILE] [--json] [FILE]

Explains stored source offsets of Debezium connectors, from FILE or standard input.

  --type TYPE    ${connectorTypes.filter((type) => type !== "unknown").join(", ")}
                 (default: by the configuration, else by the offset's keys)
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
    const message = error instanceof Error ? error.message : String(error);
    throw new UsageError(message.split(". To specify")[0] ?? message);
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

type NamedReport = DecodeReport & { name: string | null };

function jsonText(reports: readonly NamedReport[]): string {
  const plain = reports.map(({ name, ...report }) => (name === null ? report : { ...report, name }));
  const json = JSON.stringify(plain.length === 1 ? plain[0] : plain, null, 2);
  // Only a text can hold them here, but for the line breaks between.
  return `${json.replace(unprintable, (c) => (c === "\n" ? c : escaped(c)))}\n`;
}

/** C0 and C1 control characters, line separators and what turns the direction of text around. */
const unprintable = /[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

function escaped(character: string): string {
  return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`;
}

/** Control characters of pasted input must not reach the terminal. */
function printable(text: string): string {
  return text.replace(unprintable, escaped);
}

function reportText(report: NamedReport, { config }: DecodeOptions): string {
  const label = isConnectorType(report.connector) ? connectorLabel(report.connector) : report.connector;
  const title = report.name === null ? label : `${report.name} (${label})`;
  const lines = [printable(title), ""];
  if (report.partitions.length === 0) lines.push(`  ${printable(noPositionText(config))}`, "");
  for (const partition of report.partitions) lines.push(...partitionLines(partition), "");
  return lines.join("\n");
}

function partitionLines(partition: DecodedPartition): string[] {
  const { position, sourceTime, warnings } = partition;
  const usedText = partition.used ? "used" : "not used";
  const pairs: [string, string][] = [
    ["position", position.text],
    ["", position.meaning],
    ["phase", partition.phaseText],
    ...(sourceTime === null ? [] : [["source time", sourceTime] satisfies [string, string]]),
    ["partition", `${partition.partition}, ${usedText}${partition.why ? `: ${partition.why}` : ""}`],
  ];
  return [
    ...pairs.map(([name, text]) => `  ${name.padEnd(13)}${printable(text)}`),
    "",
    ...fieldLines(position.fields),
    ...warnings.map(({ slug, text }) => `  ! ${slug}: ${printable(text)}`),
  ];
}

const widestName = 36;
const widestText = 44;

/** Three columns; what is too wide for its own stands on a line by itself. */
function fieldLines(fields: DecodedPartition["position"]["fields"]): string[] {
  const names = columnWidth(
    fields.map((f) => printable(f.name)),
    widestName,
  );
  const texts = columnWidth(
    fields.map((f) => printable(f.text)),
    widestText,
  );
  return fields.flatMap(({ name, text, meaning }) => {
    const [first, second] = [printable(name), printable(text)];
    const afterName = first.length > names ? `\n${" ".repeat(names + 4)}` : " ".repeat(names - first.length);
    const indent = names + texts + 6;
    const afterText = second.length > texts ? `\n${" ".repeat(indent)}` : " ".repeat(texts - second.length);
    return `    ${first}${afterName}  ${second}${afterText}  ${printable(meaning)}`.split("\n");
  });
}

/** The widest text that fits under the limit. */
function columnWidth(texts: readonly string[], limit: number): number {
  return texts.reduce((widest, { length }) => (length > limit ? widest : Math.max(widest, length)), 0);
}
