import { causeWords } from "@/lib/checks/replay/duplicate-words";
import { asSentence, formatBytes, formatCount } from "@/lib/views/format";
import { printable } from "./decode-text";
import { type DuplicatesReport, shareText } from "./duplicates-report";

/** Replays and falls shown; `--json` has all. */
const SHOWN = 20;

const methods = {
  bisect: "bisect: where runs begin, and what of each had come before",
  scan: "scan: every record, by keyed hashes",
  whole: "every record of the file, by identity",
} as const;

const sures = {
  complete: "complete: run ids show every start of a task",
  "known-starts":
    "not complete: the records carry no run ids (Debezium before 3.4), and a replay smaller than the distance of the samples can be missed; --method scan misses none",
  whole: "complete: every record was read, since there are few",
} as const;

/** The report for a person: the answer first, then each replay, then how it was got. */
export function duplicatesText(report: DuplicatesReport): string {
  const rows = [...figures(report), ...cost(report)];
  const width = Math.max(...rows.map(([label]) => label.length));
  return plain(
    [
      report.sentence,
      ...replayLines(report),
      "",
      ...rows.map(([label, value]) => `  ${label.padEnd(width)}  ${value}`),
      ...notes(report).map((note) => `  * ${note}`),
      "",
    ]
      .map(printable)
      .join("\n"),
  );
}

/** Pages keep a value and its unit together; a terminal has no use for that. */
const plain = (text: string) => text.replaceAll("\u00a0", " ");

function replayLines({ replays }: DuplicatesReport): string[] {
  if (replays === null || replays.length === 0) return [];
  const cells = replays
    .slice(0, SHOWN)
    .map((replay) => [
      `${replay.topic}-${replay.partition}`,
      `${replay.firstOffset}–${replay.lastOffset}`,
      `${replay.bound === "exact" ? "" : `${replay.bound} `.replace("-", " ")}${formatCount(replay.count)}`,
      replay.at.slice(0, 19).replace("T", " "),
      replay.cause === "unknown" ? "" : causeWords[replay.cause],
    ]);
  const table = [["partition", "offsets", "changes", "began (UTC)", ""], ...cells];
  const widths = [0, 1, 2, 3].map((i) => Math.max(...table.map((row) => (row[i] ?? "").length)));
  const lines = table.map((row) =>
    `  ${row.map((cell, i) => (i === 2 ? cell.padStart(widths[i] ?? 0) : cell.padEnd(widths[i] ?? 0))).join("  ")}`.trimEnd(),
  );
  return ["", ...lines, ...more(replays.length - SHOWN, "replays")];
}

const more = (left: number, what: string) =>
  left > 0 ? [`  and ${formatCount(left)} more ${what}: --json tells all`] : [];

type Row = [label: string, value: string];

function figures(report: DuplicatesReport): Row[] {
  const { interval, share, reReads, snapshotOverlap, keyOrderViolations, uncommittedCopies } = report;
  const row = (label: string, value: string | null): Row[] => (value === null ? [] : [[label, value]]);
  const counted = (label: string, count: number | null, what: string) =>
    row(label, count === null ? null : `${formatCount(count)} ${what}`);
  return [
    ...row("range", range(report)),
    ...row(
      "interval",
      interval && share < 1
        ? `${shareText(interval[0])} to ${shareText(interval[1])} of the events (95 %), from ${shareText(share)} of the identities`
        : null,
    ),
    ...counted(
      "records",
      report.events === null ? null : report.records,
      "with tombstones and rows of snapshots",
    ),
    ...counted("re-reads", reReads, "rows that a snapshot read, no duplicates"),
    ...counted("snapshot overlap", snapshotOverlap, "rows that a snapshot and then the log told of"),
    ...counted("order of keys", keyOrderViolations, "changes behind a newer one of the same key"),
    ...counted("not committed", uncommittedCopies, "more copies for readers that do not wait for commits"),
  ];
}

function range({ range: { from, to, partitions } }: DuplicatesReport): string {
  const times =
    from === null && to === null ? "all of it" : `${from ?? "the first record"} to ${to ?? "now"}`;
  const offsets = partitions.reduce((sum, one) => sum + Number(one.to) - Number(one.from), 0);
  return `${times}: ${formatCount(offsets)} offsets in ${formatCount(partitions.length)} ${partitions.length === 1 ? "partition" : "partitions"}`;
}

function cost({ method, bytesRead, seconds }: DuplicatesReport): Row[] {
  return [["method", `${methods[method]}; read ${formatBytes(bytesRead)} in ${seconds.toFixed(1)} s`]];
}

function notes(report: DuplicatesReport): string[] {
  const { notMeasurable, falls, sure, violations, method, replays, interrupted } = report;
  const isKnown = report.duplicates > 0 || notMeasurable.length === 0;
  const sureness = sure === null || method !== "bisect" || !isKnown ? null : sures[sure];
  const began = replays?.some((replay) => beganBefore(report, replay)) ?? false;
  return [
    ...notMeasurable.map((one) => {
      const where = one.partitions === null ? "" : ` (partition ${one.partitions.join(", ")})`;
      const count = one.count === null ? "" : `${formatCount(one.count)} records: `;
      return `Not measurable${where}: ${count}${asSentence(one.reason)}${one.remedy === null ? "" : ` ${asSentence(one.remedy)}`}`;
    }),
    ...(interrupted ? [`Interrupted: measured are ${measured(report)}.`] : []),
    ...(began ? ["A replay that began before the range is told of whole."] : []),
    ...(method === "scan" && report.range.from !== null
      ? ["A change whose first copy lies before the range is not known to have come twice."]
      : []),
    ...(sureness === null ? [] : [asSentence(sureness.charAt(0).toUpperCase() + sureness.slice(1))]),
    ...(falls ?? [])
      .slice(0, SHOWN)
      .map(
        (fall) =>
          `No replay at ${fall.topic}-${fall.partition} offset ${fall.offset}: ${asSentence(fall.sentence)}`,
      ),
    ...(violations ?? [])
      .slice(0, SHOWN)
      .map(
        (one) =>
          `Order: offset ${one.offset} of partition ${one.partition} is older than offset ${one.after}.`,
      ),
    ...(replays === null && report.duplicates > 0
      ? ["Which of them is which replay: --method bisect tells."]
      : []),
  ];
}

function beganBefore(
  { range }: DuplicatesReport,
  { partition, firstOffset }: { partition: number; firstOffset: string },
): boolean {
  const of = range.partitions.find((one) => one.partition === partition);
  return of !== undefined && Number(firstOffset) < Number(of.from);
}

function measured({ range: { partitions } }: DuplicatesReport): string {
  const told = partitions
    .slice(0, SHOWN)
    .map(({ partition, from, to, measuredTo }) =>
      measuredTo === to
        ? `all of partition ${partition}`
        : Number(measuredTo) > Number(from)
          ? `offsets ${from} to before ${measuredTo} of partition ${partition} (of ${to})`
          : `nothing of partition ${partition}`,
    );
  const left = partitions.length - SHOWN;
  return `${told.join(", ")}${left > 0 ? ` and ${formatCount(left)} more partitions` : ""}`;
}
