import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { CannotLookError } from "./cannot-look";

/** A record of 50 MB is one line, its texts with escapes. */
const LONGEST_LINE = 256 * 1024 * 1024;

/** A line that is not empty, without its end; lines count from 1. */
export interface Line {
  number: number;
  /** Looked at no more once the next one is asked for. */
  bytes: Buffer;
}

export interface LineSource {
  /** What it is called in sentences: its path, or "standard input". */
  name: string;
  lines(): AsyncGenerator<Line, void>;
  /** Bytes taken in so far, as they lie in the file, and its size; null for standard input. */
  read(): number;
  size: number | null;
}

/** A file, or standard input for `-`; gzip is told by its first bytes. @throws CannotLookError where it cannot be read */
export async function openLines(path: string, stdin: AsyncIterable<string | Buffer>): Promise<LineSource> {
  const name = path === "-" ? "standard input" : path;
  const size = path === "-" ? null : await sizeOf(path);
  const counted = { bytes: 0 };
  const input = path === "-" ? stdin : createReadStream(path, { highWaterMark: 1024 * 1024 });
  return {
    name,
    size,
    read: () => counted.bytes,
    lines: () => linesOf(chunksOf(input, counted, name), name),
  };
}

async function sizeOf(path: string): Promise<number> {
  try {
    const found = await stat(path);
    if (!found.isDirectory()) return found.size;
  } catch (error) {
    throw new CannotLookError(cannotRead(path, error));
  }
  throw new CannotLookError(`${path} is a folder.`);
}

function cannotRead(name: string, error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
  if (code === "ENOENT") return `there is no file ${name}.`;
  if (code.startsWith("Z_"))
    return `${name} is damaged: its gzip ends too soon or has a wrong byte (${code}).`;
  return `${name} cannot be read (${code}).`;
}

/** The bytes as they were before gzip. */
async function* chunksOf(
  input: AsyncIterable<string | Buffer>,
  counted: { bytes: number },
  name: string,
): AsyncGenerator<Buffer> {
  try {
    const raw = rawOf(input, counted);
    let first: Buffer = Buffer.alloc(0);
    // A pipe may bring a single byte.
    while (first.length < 2) {
      const { done, value } = await raw.next();
      if (done) break;
      first = Buffer.concat([first, value]);
    }
    if (first[0] === 0x1f && first[1] === 0x8b) yield* unzipped(first, raw);
    else {
      yield first;
      yield* raw;
    }
  } catch (error) {
    if (error instanceof CannotLookError) throw error;
    throw new CannotLookError(cannotRead(name, error));
  }
}

async function* rawOf(
  input: AsyncIterable<string | Buffer>,
  counted: { bytes: number },
): AsyncGenerator<Buffer> {
  for await (const chunk of input) {
    const bytes = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
    counted.bytes += bytes.length;
    if (bytes.length > 0) yield bytes;
  }
}

async function* unzipped(first: Buffer, rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  async function* all() {
    yield first;
    yield* rest;
  }
  const gunzip = createGunzip();
  // What goes wrong ends the unzipped side too, where it is told of.
  const feeding = pipeline(Readable.from(all(), { objectMode: false }), gunzip).catch(() => undefined);
  try {
    for await (const chunk of gunzip) yield chunk as Buffer;
  } finally {
    gunzip.destroy();
    await feeding;
  }
}

async function* linesOf(chunks: AsyncGenerator<Buffer>, name: string): AsyncGenerator<Line, void> {
  let number = 0;
  let parts: Buffer[] = [];
  let length = 0;
  const line = (last: Buffer): Line | null => {
    number += 1;
    const whole = parts.length === 0 ? last : Buffer.concat([...parts, last]);
    const bytes = trimmed(number === 1 ? withoutMark(whole) : whole);
    parts = [];
    length = 0;
    return bytes.length === 0 ? null : { number, bytes };
  };
  for await (const chunk of chunks) {
    let from = 0;
    for (let end = chunk.indexOf(0x0a); end >= 0; end = chunk.indexOf(0x0a, from)) {
      const found = line(chunk.subarray(from, end));
      from = end + 1;
      if (found) yield found;
    }
    parts.push(chunk.subarray(from));
    length += chunk.length - from;
    if (length > LONGEST_LINE)
      throw new CannotLookError(
        `line ${number + 1} of ${name} is over ${LONGEST_LINE / 1024 / 1024} MiB long.`,
      );
  }
  const found = line(Buffer.alloc(0));
  if (found) yield found;
}

/** Without the byte order mark that some editors and PowerShell begin a file with. */
function withoutMark(bytes: Buffer): Buffer {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}

function trimmed(bytes: Buffer): Buffer {
  const isSpace = (at: number) => (bytes[at] as number) <= 0x20;
  let [from, to] = [0, bytes.length];
  while (from < to && isSpace(from)) from += 1;
  while (to > from && isSpace(to - 1)) to -= 1;
  return bytes.subarray(from, to);
}
