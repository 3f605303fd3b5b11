import { DecodeInputError, whatWouldDo } from "./decode-input-error";
import { JsonTooDeepError, type JsonValue, parseJson } from "./json";

/** One JSON value of a pasted text; `where` names it in an error: `Line 3`. */
export interface PastedValue {
  value: JsonValue;
  where: string;
}

/** Parses JSON; the error tells the place of its fault. @throws DecodeInputError */
export function parseAt(text: string, place: (position: number) => string): JsonValue {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof JsonTooDeepError)
      throw new DecodeInputError("The JSON is nested too deeply to be an offset or a record.");
    const message = error instanceof Error ? error.message : "";
    const position = Number(/ at position (\d+)/.exec(message)?.[1] ?? text.length);
    const what = message.replace(/ at position \d+$/, "").replace(/ in JSON$/, "");
    throw new DecodeInputError(
      `Not JSON at ${place(position)}: ${shortened(what) || "cannot be read"}. ${whatWouldDo}`,
    );
  }
}

/** A parser's message can quote a key of any length. */
const shortened = (text: string) => (text.length > 160 ? `${text.slice(0, 157)}...` : text);

/** Line and column, both from 1. */
export function lineAndColumn(text: string, position: number): string {
  const before = text.slice(0, position).split("\n");
  return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
}

/** Where the list or map that begins at `from` ends; -1 when it does not end. */
function endOfFirst(text: string, from = 0): number {
  let depth = 0;
  let inText = false;
  for (let i = from; i < text.length; i++) {
    const character = text[i];
    if (inText) {
      if (character === "\\") i++;
      else if (character === '"') inText = false;
    } else if (character === '"') inText = true;
    else if (character === "[" || character === "{") depth++;
    else if ((character === "]" || character === "}") && --depth === 0) return i;
  }
  return -1;
}

/** A key and what follows it after a tab, or after spaces where the key is a list, as kcat prints them; null for other lines. */
function splitRecord(line: string): { key: string; value: string } | null {
  const tab = line.indexOf("\t");
  if (!line.startsWith("[")) {
    const key = line.slice(0, Math.max(0, tab)).trim();
    return tab >= 0 && isWhole(key) ? { key, value: line.slice(tab + 1).trim() } : null;
  }
  const end = tab > 0 && line[tab - 1] === "]" ? tab - 1 : endOfFirst(line);
  const [key, value] = [line.slice(0, end + 1), line.slice(end + 1).trim()];
  const isValue = (value.startsWith("{") && value.endsWith("}")) || value.toLowerCase() === "null";
  return end > 0 && (end === tab - 1 || isValue) ? { key, value } : null;
}

/** Whether a text is the whole of a key: a map, a quoted text, or none. A tab can stand between the tokens of JSON, too. */
function isWhole(key: string): boolean {
  if (isNull(key)) return true;
  return (key.startsWith("{") && key.endsWith("}")) || /^"(?:[^"\\]|\\.)*"$/.test(key);
}

const isNull = (text: string) => text === "" || text.toUpperCase() === "NULL";

function readLine(line: string, number: number): PastedValue {
  const where = `Line ${number}`;
  const place = (position: number) => `line ${number}, column ${position + 1}`;
  const record = splitRecord(line);
  if (!record) return { value: parseAt(line, place), where };
  const key = isNull(record.key) ? null : parseAt(record.key, place);
  const inValue = (p: number) => place(line.length - record.value.length + p);
  return { value: { key, value: isNull(record.value) ? null : parseAt(record.value, inValue) }, where };
}

/** Whether the first line can be read by itself: then a fault of the whole is a fault of one of its lines. */
function isLines(text: string): boolean {
  const first = text.trim().split("\n")[0]?.trim() ?? "";
  if (splitRecord(first)) return true;
  try {
    parseJson(first);
    return true;
  } catch {
    return false;
  }
}

/**
 * The JSON values of a text: one, a line each, or several one after the other, over as many lines as they take (so a
 * schema history is printed). What kcat prints as key and value becomes a record. A list is one value.
 * @throws DecodeInputError for an empty text, and where it is not JSON
 */
export function pastedValues(text: string): PastedValue[] {
  const clean = text.replace(/^\uFEFF/, "");
  if (clean.trim() === "") throw new DecodeInputError(`The input is empty. ${whatWouldDo}`);
  try {
    return readWholeOrLines(clean);
  } catch (error) {
    const values = error instanceof DecodeInputError ? consecutiveValues(clean) : null;
    if (values === null) throw error;
    return values;
  }
}

function readWholeOrLines(text: string): PastedValue[] {
  const whole = readWhole(text);
  if (whole !== null) return [{ value: whole.value, where: "The input" }];
  const lines = text.split("\n").map((line, i) => ({ line: line.trim(), number: i + 1 }));
  return lines.filter(({ line }) => line !== "").map(({ line, number }) => readLine(line, number));
}

/** The text as one JSON value; null when it is lines of JSON instead. */
function readWhole(text: string): { value: JsonValue } | null {
  try {
    return { value: parseAt(text, (position) => lineAndColumn(text, position)) };
  } catch (error) {
    if (isLines(text)) return null;
    throw error;
  }
}

/** Maps and lists with only space between them; a tab without a line break parts a key from its value. Null for other texts. */
function consecutiveValues(text: string): PastedValue[] | null {
  const values: PastedValue[] = [];
  let key: JsonValue | undefined;
  for (let from = nextToken(text, 0); from < text.length; ) {
    const end = endOfFirst(text, from);
    const value = end < from ? undefined : parsed(text.slice(from, end + 1));
    if (value === undefined) return null;
    from = nextToken(text, end + 1);
    const between = text.slice(end + 1, from);
    if (key === undefined && between.includes("\t") && !between.includes("\n") && from < text.length) {
      key = value;
      continue;
    }
    const where = `Value ${values.length + 1}`;
    values.push(key === undefined ? { value, where } : { value: { key, value }, where });
    key = undefined;
  }
  return values.length < 2 ? null : values;
}

function nextToken(text: string, from: number): number {
  let i = from;
  while (i < text.length && /\s/.test(text.charAt(i))) i++;
  return i;
}

function parsed(text: string): JsonValue | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
