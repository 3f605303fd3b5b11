import { SettingsError } from "@/lib/config/settings-error";
import { CannotLookError } from "./cannot-look";
import { printable } from "./decode-text";
import {
  type DuplicatesArguments,
  duplicatesUsage,
  readDuplicatesArguments,
  UsageError,
} from "./duplicates-arguments";
import { lookAtFile } from "./duplicates-file";
import { lookAtTopic } from "./duplicates-look";
import type { DuplicatesReport } from "./duplicates-report";
import { duplicatesText } from "./duplicates-text";
import { openInterrupt, type SignalSource } from "./interrupt";
import { openProgressBar, type ProgressBar } from "./progress-bar";

interface Streams {
  stdin: NodeJS.ReadStream;
  stdout: NodeJS.WriteStream;
  stderr: NodeJS.WriteStream;
}

/**
 * `tidemark duplicates`: prints what came twice in a topic or a file of records, or with `--json` a report in the form of
 * `duplicatesReportSchema`. Ctrl-C ends it with what is known so far.
 * @returns the exit code: 0 none found, 1 duplicates found, 2 wrong arguments or settings, 3 could not look or not measurable.
 */
export async function duplicatesCommand(
  argv: string[],
  io: Streams,
  signals: SignalSource = process,
): Promise<number> {
  const bar = openProgressBar("tidemark duplicates", io.stderr);
  const interrupt = openInterrupt(signals);
  try {
    const args = readDuplicatesArguments(argv, Date.now());
    if (args === null) {
      io.stdout.write(duplicatesUsage);
      return 0;
    }
    const report = await look(args, io, bar, interrupt.signal);
    bar.end();
    io.stdout.write(args.json ? `${JSON.stringify(report, null, 2)}\n` : duplicatesText(report));
    return report.exitCode;
  } catch (error) {
    bar.end();
    const code = error instanceof CannotLookError ? 3 : 2;
    if (code === 2 && !(error instanceof UsageError) && !(error instanceof SettingsError)) throw error;
    const { message } = error as Error;
    const hint = error instanceof UsageError ? " See tidemark duplicates --help." : "";
    io.stderr.write(`tidemark duplicates: ${message.split("\n").map(printable).join("\n")}${hint}\n`);
    return code;
  } finally {
    bar.end();
    interrupt.done();
  }
}

function look(
  args: DuplicatesArguments,
  { stdin }: Streams,
  bar: ProgressBar,
  signal: AbortSignal,
): Promise<DuplicatesReport> {
  const { source } = args;
  return "file" in source
    ? lookAtFile(source.file, args, { bar, signal, stdin })
    : lookAtTopic(source, args, { bar, signal });
}
