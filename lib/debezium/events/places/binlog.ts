import { binlogFile } from "../../positions/binlog-file";
import type { BinlogPosition } from "../../positions/binlog-order";
import type { GtidDialect } from "../../positions/gtid";
import type { PositionKind } from "../../positions/position";
import type { EventScanner } from "../event-scanner";
import { smallWhole } from "../json-bytes";
import { KnownBytes } from "../known-bytes";
import { bigintOrNull, none, numberOrNone, Place, type PlaceKind } from "./place";

const fields = ["file", "pos", "row", "server_id", "gtid", "ts_ms"];
const [fileField, posField, rowField, serverField, gtidField, timeField] = [0, 1, 2, 3, 4, 5];

const quote = 0x22;

/** A binlog's name taken apart. */
interface File {
  name: string;
  base: string;
  number: number;
}

/** The part of a GTID before its number: numbers of one group compare. */
interface Stream {
  text: string;
  /** The first stream seen of those whose ids compare; null when the text is no GTID. */
  group: Stream | null;
}

/** More streams than a cluster of sources ever has; beyond them the kind compares. */
const mostGroups = 256;

class Texts<S> {
  /** Null for what is not taken apart. */
  readonly files = new KnownBytes<File | null>(64, (bytes) => fileOf(bytes.toString()));
  readonly streams: KnownBytes<Stream | null>;
  readonly #groups: Stream[] = [];

  constructor(dialect: GtidDialect<S>) {
    this.streams = new KnownBytes<Stream | null>(64, (bytes) => {
      const text = bytes.toString();
      if (!isPlain(text) || this.#groups.length >= mostGroups) return null;
      const stream: Stream = { text, group: null };
      // Not so for `uuid:1-`, the beginning of an interval.
      if (dialect.compareIds(`${text}1`, `${text}2`) !== -1n) return stream;
      const group = this.#groups.find((other) => dialect.compareIds(`${text}1`, `${other.text}1`) !== null);
      if (!group) this.#groups.push(stream);
      stream.group = group ?? stream;
      return stream;
    });
  }
}

/** Neither written with escapes nor to be trimmed. */
function isPlain(text: string): boolean {
  return !text.includes("\\") && text.trim() === text;
}

/** Null for a name without a number that is exact as a double. */
function fileOf(name: string): File | null {
  const parts = binlogFile(name);
  const number = Number(parts?.number ?? Number.NaN);
  return parts && Number.isSafeInteger(number) && isPlain(name) ? { name, base: parts.base, number } : null;
}

class BinlogPlace<S> extends Place<BinlogPosition<S>> {
  /** Null before the first read. */
  file: File | null = null;
  pos = none;
  row = 0;
  /** 0 when not recorded. */
  serverId = 0;
  stream: Stream | null = null;
  /** The GTID's number in its stream. */
  sequence = none;
  millis = none;

  constructor(
    protected readonly kind: PositionKind<BinlogPosition<S>>,
    private readonly texts: Texts<S>,
  ) {
    super();
  }

  protected readNumbers(scanner: EventScanner): boolean {
    const { bytes } = scanner;
    const start = scanner.startOf(fileField);
    if (scanner.isNone(fileField) || bytes[start] !== quote) return false;
    this.file = this.texts.files.get(bytes, start + 1, scanner.stopOf(fileField) - 1);
    this.pos = scanner.number(posField);
    this.row = Math.max(0, numberOrNone(scanner, rowField));
    this.serverId = Math.max(0, numberOrNone(scanner, serverField));
    this.millis = numberOrNone(scanner, timeField);
    return (
      this.file !== null &&
      this.pos + this.row + this.serverId + this.millis >= none &&
      this.#readGtid(scanner)
    );
  }

  #readGtid(scanner: EventScanner): boolean {
    this.stream = null;
    this.sequence = none;
    if (scanner.isNone(gtidField)) return true;
    const { bytes } = scanner;
    const start = scanner.startOf(gtidField) + 1;
    const stop = scanner.stopOf(gtidField) - 1;
    let at = stop;
    while (at > start && isDigit(bytes[at - 1])) at--;
    // A leading zero would be lost.
    if (bytes[start - 1] !== quote || bytes[at] === 0x30) return false;
    this.sequence = smallWhole(bytes, at, stop);
    if (!(this.sequence > 0)) return false;
    this.stream = this.texts.streams.get(bytes, start, at);
    return this.stream !== null;
  }

  protected compareNumbers(other: this): number | null {
    if (this.snapshot === "incremental" || other.snapshot === "incremental") return Number.NaN;
    if (this.file === null || other.file === null) return null;
    const group = this.stream?.group ?? null;
    if (group !== null && group === other.stream?.group && this.sequence !== other.sequence)
      return this.sequence - other.sequence;
    if (this.serverId !== other.serverId && this.serverId !== 0 && other.serverId !== 0) return Number.NaN;
    if (this.file.base !== other.file.base) return Number.NaN;
    return this.file.number - other.file.number || this.pos - other.pos || this.row - other.row;
  }

  protected positionOfNumbers(): BinlogPosition<S> {
    return {
      of: "event",
      file: this.file?.name ?? "",
      pos: BigInt(this.pos),
      event: 0n,
      row: BigInt(this.row),
      gtids: null,
      gtid: this.stream === null ? null : `${this.stream.text}${this.sequence}`,
      serverId: this.serverId === 0 ? null : BigInt(this.serverId),
      seconds: bigintOrNull(this.millis === none ? none : Math.floor(this.millis / 1000)),
      snapshot: this.snapshot,
    };
  }

  protected copyNumbers(other: this): void {
    this.file = other.file;
    this.pos = other.pos;
    this.row = other.row;
    this.serverId = other.serverId;
    this.stream = other.stream;
    this.sequence = other.sequence;
    this.millis = other.millis;
  }
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x30 && byte <= 0x39;
}

export function binlogPlaces<S>(
  kind: PositionKind<BinlogPosition<S>>,
  dialect: GtidDialect<S>,
): PlaceKind<BinlogPosition<S>> {
  const texts = new Texts(dialect);
  return { fields, create: () => new BinlogPlace(kind, texts) };
}
