import { figures } from "@/lib/checks/replay/window-words";
import { connectorLabel, isConnectorType } from "@/lib/debezium/connector-type";
import type { ReplayWindow } from "@/lib/observed/replay-window";
import { asSentence, formatAge, formatBytes, formatCount } from "@/lib/views/format";
import { exactlyOnceWords, flushIntervalWords, windowNotes } from "@/lib/views/window-notes";
import { printable } from "./decode-text";
import type { ReplayReport } from "./replay-report";

/** The report for a person: the answer first, then how it was got. */
export function replayText(report: ReplayReport, window: ReplayWindow): string {
  const rows = [
    ...commitRows(report),
    ["by position", byPosition(report)],
    ["by time", byTime(report)],
    ["own topics", ownTopics(report)],
    ["flush interval", flushIntervalWords(window.flushInterval)],
    ["exactly-once", exactlyOnce(window)],
    ...report.topics.flatMap(({ topic, events, failure }) =>
      failure
        ? [["not seen", `${topic}: ${failure.sentence}`]]
        : events
          ? [[topic, `${formatCount(events)} since the commit's time`]]
          : [],
    ),
  ] as const;
  // Each reason once: as a note only where no row has it.
  const told = [report.byTime.whyNoLow, report.byTime.whyNoHigh, report.whyNoPosition].flatMap((why) =>
    why !== null && rows.some(([, value]) => value?.includes(why)) ? asSentence(why) : [],
  );
  const width = Math.max(...rows.map(([label]) => (label ?? "").length));
  const type = isConnectorType(report.type) ? connectorLabel(report.type) : report.type;
  return plain(
    [
      `${report.connector} (${type}): ${report.sentence}`,
      "",
      ...rows.map(([label, value]) => `  ${(label ?? "").padEnd(width)}  ${value}`),
      ...windowNotes(window)
        .filter((note) => !told.includes(note))
        .map((note) => `  * ${note}`),
      "",
    ]
      .map(printable)
      .join("\n"),
  );
}

/** Pages keep a value and its unit together; a terminal has no use for that. */
const plain = (text: string) => text.replaceAll("\u00a0", " ");

function commitRows({ commits, at }: ReplayReport): string[][] {
  if (commits.length === 0) return [["commit", "none"]];
  return commits.map(({ partition, committedAt, position }) => {
    const when =
      committedAt === null
        ? "when is not known"
        : `${committedAt}, ${formatAge(Date.parse(at) - Date.parse(committedAt), " before")}`;
    return ["commit", `${position} (${when}) of ${partition}`];
  });
}

function byPosition(report: ReplayReport): string {
  const { byPosition: read, whyNoPosition, kind, events, bound } = report;
  if (!read && kind === "events" && events === 0 && bound === "exact") return "nothing to count";
  if (!read) return `not known: ${whyNoPosition ?? "it was not counted"}`;
  const { partitions, probes, bytesRead, exact } = read;
  const others = read.tombstones > 0 ? `, and ${formatCount(read.tombstones)} tombstones` : "";
  const how = `read ${formatBytes(bytesRead)} of ${formatCount(partitions)} partitions, ${formatCount(probes)} batches to find the places`;
  return `${figures(read)}${exact ? ", exact" : ""}${others} (${how})`;
}

function byTime({ byTime: { low, high, whyNoLow, whyNoHigh } }: ReplayReport): string {
  if (low && high)
    return low.events === high.events
      ? `${formatCount(low.events)} records`
      : `${formatCount(low.events)} to ${formatCount(high.events)} records`;
  if (low) return `at least ${formatCount(low.events)} records; no upper figure: ${whyNoHigh ?? "not known"}`;
  if (high) return `at most ${formatCount(high.events)} records; no lower figure: ${whyNoLow ?? "not known"}`;
  return `not known: ${whyNoLow ?? whyNoHigh ?? "it was not counted"}`;
}

function ownTopics({ ownTopics: own }: ReplayReport): string {
  return own === null ? "not known" : `${formatCount(own.events)} records, not among these events`;
}

function exactlyOnce(window: ReplayWindow): string {
  const { asked, allowed, seen } = exactlyOnceWords(window.exactlyOnce);
  return `asked for: ${asked}; allowed: ${allowed}; seen: ${seen}`;
}
