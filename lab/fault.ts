import { existsSync, readFileSync } from "node:fs";

/** Something that a person can mend: the message is all they need, no stack. */
export class LabFault extends Error {
  override name = "LabFault";
}

/** The last lines of a log file. */
export function tailOf(file: string, lines = 15): string {
  if (!existsSync(file)) return "";
  return readFileSync(file, "utf8").trimEnd().split("\n").slice(-lines).join("\n");
}

/** A fault with the end of the log that explains it, and the log's path. */
export function faultWithLog(sentence: string, file: string): LabFault {
  const tail = tailOf(file);
  return new LabFault(tail ? `${sentence}\n${tail}\nThe whole log: ${file}` : `${sentence} Its log: ${file}`);
}

/** What was thrown, as one line. */
export function sayError(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
