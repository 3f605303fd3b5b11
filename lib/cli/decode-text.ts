import { connectorLabel, isConnectorType } from "../debezium/connector-type";
import type { DecodeOptions, NamedReport } from "../debezium/decode-input";
import type { DecodedField, DecodedPartition, DecodedRecord } from "../debezium/decode-report";
import { noPositionText } from "../debezium/no-position";

/** The reports as JSON: one, or a list of several. */
export function jsonText(reports: readonly NamedReport[]): string {
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
export function printable(text: string): string {
  return text.replace(unprintable, escaped);
}

/** A report for a person. */
export function reportText(report: NamedReport, { config }: DecodeOptions): string {
  const title = titleOf(report);
  const lines = [printable(title), ""];
  if (report.partitions.length === 0 && !report.records)
    lines.push(`  ${printable(noPositionText(config))}`, "");
  for (const partition of report.partitions) lines.push(...partitionLines(partition), "");
  for (const record of report.records ?? []) lines.push(...recordLines(record), "");
  return lines.join("\n");
}

function titleOf({ connector, name, records }: NamedReport): string {
  const label = isConnectorType(connector) ? connectorLabel(connector) : connector;
  if (!records) return name === null ? label : `${name} (${label})`;
  const count = records.length === 1 ? "1 record" : `${records.length} records`;
  if (connector === "unknown") return count;
  return connector === "several" ? `${count} of several connectors` : `${label}: ${count}`;
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
    ...pairLines(pairs),
    "",
    ...fieldLines(position.fields),
    ...warnings.map(({ slug, text }) => `  ! ${slug}: ${printable(text)}`),
  ];
}

function pairLines(pairs: readonly (readonly [string, string])[]): string[] {
  return pairs.map(([name, text]) => `  ${name.padEnd(13)}${printable(text)}`);
}

function recordLines(record: DecodedRecord): string[] {
  const { topic, partition, offset, timestamp, identity, run, position } = record;
  const place = [
    topic,
    partition === null ? null : `partition ${partition}`,
    offset === null ? null : `offset ${offset}`,
    timestamp,
  ].filter((part) => part !== null);
  const told = (name: string, text: string | null | undefined): [string, string][] =>
    text ? [[name, text]] : [];
  return [
    ...pairLines([
      ["record", `${kindName(record.kind)}: ${record.text}`],
      ...told("", record.remedy),
      ...told("read from", place.join(", ")),
      ...told("position", position && `${position.text}  ${position.meaning}`),
      ...told("source time", record.sourceTime),
      ...told("run", run && `${run.id}${run.startedAt ? `, begun ${run.startedAt}` : ""}`),
      ...told("identity", identity?.id ?? (identity && "none")),
      ...told("", identity?.why),
    ]),
    ...(record.fields.length > 0 ? ["", ...fieldLines(record.fields)] : []),
    ...record.warnings.map(({ slug, text }) => `  ! ${slug}: ${printable(text)}`),
  ];
}

function kindName(kind: DecodedRecord["kind"]): string {
  return kind === "unreadable" ? "not readable" : kind.replace("-", " ");
}

const widestName = 36;
const widestText = 44;

/** Three columns; what is too wide for its own stands on a line by itself. */
function fieldLines(fields: readonly DecodedField[]): string[] {
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
