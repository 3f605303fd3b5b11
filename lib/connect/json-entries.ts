import { isJsonObject, type JsonValue, parseJson } from "@/lib/debezium/json";

/** The stream ended before the JSON did. */
export class UnfinishedJsonError extends Error {
  override name = "UnfinishedJsonError";
}

/** The stream is not one JSON object. `list`: it is a JSON array. */
export class NotAnObjectError extends Error {
  override name = "NotAnObjectError";
  constructor(readonly list: boolean) {
    super("not a JSON object");
  }
}

/** One entry is larger than it may be. */
export class EntryTooLargeError extends Error {
  override name = "EntryTooLargeError";
  constructor(readonly maxBytes: number) {
    super("one entry is too large");
  }
}

const byte = (character: string) => character.charCodeAt(0);
const [QUOTE, BACKSLASH, COMMA] = [byte('"'), byte("\\"), byte(",")];
const [OPEN, CLOSE, OPEN_LIST, CLOSE_LIST] = [byte("{"), byte("}"), byte("["), byte("]")];
const isSpace = (code: number) => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;

/**
 * Parses the entries of one JSON object one by one while it arrives, so that a long list of connectors never lies in
 * memory as a whole, and so that an answer that is none is given up at its first byte.
 * @param maxEntryBytes how much one entry may have
 * @param keepUnreadable gives an entry that is JSON, but nested too deep or ambiguous (a key twice), as null
 * @throws NotAnObjectError, UnfinishedJsonError, EntryTooLargeError, SyntaxError; RangeError when nested too deep
 */
export async function* jsonEntries(
  chunks: AsyncIterable<Uint8Array>,
  maxEntryBytes: number,
  keepUnreadable = false,
): AsyncGenerator<[string, JsonValue]> {
  const splitter = new EntrySplitter(maxEntryBytes);
  for await (const chunk of chunks) {
    for (const text of splitter.push(chunk)) yield* parseEntry(text, keepUnreadable);
  }
  splitter.end();
}

function* parseEntry(text: string, keepUnreadable: boolean): Generator<[string, JsonValue]> {
  if (text.trim() === "") return;
  let entry: JsonValue;
  try {
    entry = parseFast(`{${text}}`);
  } catch (error) {
    const name = keepUnreadable ? nameOfJson(text) : null;
    if (name === null) throw error;
    yield [name, null];
    return;
  }
  if (isJsonObject(entry)) yield* Object.entries(entry);
}

/** The name of an entry that only our own parser cannot read; null when the text is no JSON at all. */
function nameOfJson(text: string): string | null {
  try {
    JSON.parse(`{${text}}`);
  } catch (error) {
    if (!(error instanceof RangeError)) return null;
  }
  const name = /^\s*("(?:[^"\\]|\\.)*")\s*:/.exec(text)?.[1];
  return name === undefined ? null : String(JSON.parse(name));
}

/** Numbers that a double would round are rare in a list of connectors; without one the engine parses, much faster. */
function parseFast(json: string): JsonValue {
  return /[:[,]\s*-?\d{16}/.test(json) ? parseJson(json) : (JSON.parse(json) as JsonValue);
}

/** Cuts the bytes of one JSON object at the commas of its outermost level. UTF-8 has no such bytes inside characters. */
class EntrySplitter {
  private depth = 0;
  private inString = false;
  private escaped = false;
  private ended = false;
  private parts: Uint8Array[] = [];
  private bytes = 0;

  constructor(private readonly maxEntryBytes: number) {}

  *push(chunk: Uint8Array): Generator<string> {
    let start = 0;
    for (let i = 0; i < chunk.length; i++) {
      const code = chunk[i] ?? 0;
      if (this.inString) {
        if (this.escaped) this.escaped = false;
        else if (code === BACKSLASH) this.escaped = true;
        else if (code === QUOTE) this.inString = false;
      } else if (this.depth === 0) {
        this.outside(code);
        start = i + 1;
      } else if (this.inside(code)) {
        yield this.take(chunk.subarray(start, i));
        start = i + 1;
      }
    }
    if (this.depth > 0) this.keep(chunk.subarray(start));
  }

  end(): void {
    if (!this.ended) throw new UnfinishedJsonError("the JSON is not complete");
  }

  private outside(code: number): void {
    if (isSpace(code)) return;
    if (this.ended || code !== OPEN) throw new NotAnObjectError(!this.ended && code === OPEN_LIST);
    this.depth = 1;
  }

  /** Whether an entry ends here. */
  private inside(code: number): boolean {
    if (code === QUOTE) this.inString = true;
    else if (code === OPEN || code === OPEN_LIST) this.depth++;
    else if (code === CLOSE || code === CLOSE_LIST) this.depth--;
    this.ended = this.depth === 0;
    return this.ended || (code === COMMA && this.depth === 1);
  }

  private keep(part: Uint8Array): void {
    this.bytes += part.length;
    if (this.bytes > this.maxEntryBytes) throw new EntryTooLargeError(this.maxEntryBytes);
    if (part.length > 0) this.parts.push(part);
  }

  private take(last: Uint8Array): string {
    this.keep(last);
    const text = Buffer.concat(this.parts).toString("utf8");
    this.parts = [];
    this.bytes = 0;
    return text;
  }
}
