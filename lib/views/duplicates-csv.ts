import type { ReplayLine } from "./duplicates-schema";

type Cell = string | number | null;

/**
 * A cell by RFC 4180. A text that a spreadsheet would take for a formula is led by an apostrophe: topics, positions and names
 * come from elsewhere (OWASP, CSV injection).
 */
export function csvCell(value: Cell): string {
  if (value === null) return "";
  if (typeof value === "number") return String(value);
  const safe = /^\s*[=+\-@\t\r\n]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

const columns: readonly [name: string, of: (replay: ReplayLine) => Cell][] = [
  ["cluster", (r) => r.cluster],
  ["connector", (r) => r.connector],
  ["topic", (r) => r.topic],
  ["topic_id", (r) => r.topicId],
  ["partition", (r) => r.partition],
  ["first_offset", (r) => r.firstOffset],
  ["last_offset", (r) => r.lastOffset],
  ["changes", (r) => r.count],
  ["bound", (r) => r.bound],
  ["first_copy_offset", (r) => r.firstCopyOf],
  ["last_copy_offset", (r) => r.lastCopyOf],
  ["first_position", (r) => r.firstPosition],
  ["last_position", (r) => r.lastPosition],
  ["at", (r) => r.at],
  ["until", (r) => r.until],
  ["cause", (r) => r.cause],
  ["cause_why", (r) => r.causeWhy],
  ["evidence", (r) => r.evidence],
  ["writer", (r) => r.writer],
  ["run_before", (r) => r.runBefore],
  ["run_after", (r) => r.runAfter],
  ["restart", (r) => r.restart],
  ["window_shown_before", (r) => r.restartWindow?.shown ?? null],
  ["id", (r) => r.id],
];

/** Replays as CSV (RFC 4180, UTF-8, a head line), for those who read the topics. */
export function replaysCsv(lines: readonly ReplayLine[]): string {
  const head = columns.map(([name]) => name).join(",");
  const rows = lines.map((line) => columns.map(([, of]) => csvCell(of(line))).join(","));
  return `${[head, ...rows].join("\r\n")}\r\n`;
}
