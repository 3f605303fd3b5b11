import { quoted } from "./field-kinds";
import { hexBytes, hexText } from "./hex";
import { type JavaField, type JavaValue, longestJavaStream, readJavaStream } from "./java-stream";

/** One column of a row's key. */
export interface KeyColumn {
  /** The value, or `not read: java.sql.Timestamp` for what Tidemark does not take apart. */
  text: string;
  /** For rough progress; null for what is no number. Large numbers are rounded. */
  number: number | null;
}

/** The columns of a key; null when the stream holds no key yet; or why it cannot be read. */
export type KeyReading =
  | { columns: KeyColumn[] | null; problem?: undefined }
  | { columns?: undefined; problem: string };

const wholeClasses = ["Long", "Integer", "Short", "Byte"].map((name) => `java.lang.${name}`);
const realClasses = ["Double", "Float"].map((name) => `java.lang.${name}`);
const longestText = 200;
/** Bytes of the largest BigInteger whose digits are shown: 154 digits. */
const longestInteger = 64;

const shortened = (text: string) => (text.length > longestText ? `${text.slice(0, longestText)}…` : text);

const named = (field: JavaField | undefined, kind: JavaValue["kind"]): field is JavaValue =>
  typeof field === "object" && field.kind === kind;

/** java.math.BigInteger: sign and magnitude. */
function bigInteger(value: JavaField | undefined): bigint | null {
  if (!named(value, "object") || value.kind !== "object") return null;
  const magnitude = value.fields.get("magnitude");
  const sign = value.fields.get("signum");
  if (typeof sign !== "bigint" || !named(magnitude, "bytes") || magnitude.kind !== "bytes") return null;
  if (magnitude.bytes.length > longestInteger) return null;
  return sign * BigInt(`0x${hexText(magnitude.bytes) || "0"}`);
}

/** `12.50` of 1250 and scale 2, `1300` of 13 and scale -2. Null for a scale that no column has. */
function decimalText(unscaled: bigint, scale: bigint): string | null {
  if (scale > 1_000n || scale < -1_000n) return null;
  if (scale <= 0n) return (unscaled * 10n ** -scale).toString();
  const digits = (unscaled < 0n ? -unscaled : unscaled).toString().padStart(Number(scale) + 1, "0");
  const whole = digits.slice(0, -Number(scale));
  return `${unscaled < 0n ? "-" : ""}${whole}.${digits.slice(-Number(scale))}`;
}

function bigDecimalText(fields: ReadonlyMap<string, JavaField>): string | null {
  const unscaled = bigInteger(fields.get("intVal"));
  const scale = fields.get("scale");
  return unscaled !== null && typeof scale === "bigint" ? decimalText(unscaled, scale) : null;
}

function uuidText(fields: ReadonlyMap<string, JavaField>): string | null {
  const [high, low] = [fields.get("mostSigBits"), fields.get("leastSigBits")];
  if (typeof high !== "bigint" || typeof low !== "bigint") return null;
  const hex = [high, low].map((half) => BigInt.asUintN(64, half).toString(16).padStart(16, "0")).join("");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

function numeric(text: string | null): KeyColumn | null {
  return text === null ? null : { text, number: Number(text) };
}

const plain = (text: string | null): KeyColumn | null => (text === null ? null : { text, number: null });

/** What is taken apart of the classes that columns of a key have; null for all others. */
function objectColumn(className: string, fields: ReadonlyMap<string, JavaField>): KeyColumn | null {
  const value = fields.get("value");
  if (wholeClasses.includes(className)) return typeof value === "bigint" ? numeric(value.toString()) : null;
  if (realClasses.includes(className)) return typeof value === "number" ? numeric(String(value)) : null;
  if (className === "java.lang.Boolean") return typeof value === "boolean" ? plain(String(value)) : null;
  if (className === "java.math.BigDecimal") return numeric(bigDecimalText(fields));
  if (className === "java.util.UUID") return plain(uuidText(fields));
  if (className === "org.bson.types.ObjectId$SerializationProxy") {
    const bytes = fields.get("bytes");
    return named(bytes, "bytes") && bytes.kind === "bytes" ? plain(hexText(bytes.bytes)) : null;
  }
  return null;
}

function column(value: JavaValue): KeyColumn {
  if (value.kind === "null") return { text: "null", number: null };
  if (value.kind === "text") return { text: shortened(value.text), number: null };
  if (value.kind === "bytes") return { text: shortened(hexText(value.bytes)), number: null };
  if (value.kind === "object" && value.className === "java.math.BigInteger") {
    const whole = bigInteger(value);
    if (whole !== null) return { text: whole.toString(), number: Number(whole) };
  }
  const known = value.kind === "object" ? objectColumn(value.className, value.fields) : null;
  return known ?? { text: `not read: ${shortened(classOf(value))}`, number: null };
}

// java.time.Ser stands for all these; its first byte says which.
const times =
  "Ser Duration Instant LocalDate LocalTime LocalDateTime ZonedDateTime ZoneRegion ZoneOffset OffsetTime OffsetDateTime".split(
    " ",
  );

function classOf(value: { kind: string; className: string; block?: Uint8Array | null }): string {
  if (value.className !== "java.time.Ser") return value.className;
  return `java.time.${times[value.block?.[0] ?? 0] ?? "Ser"}`;
}

/**
 * Reads the key of a row as an incremental snapshot stores it: the hex of a Java-serialised `Object[]`
 * (AbstractIncrementalSnapshotContext.arrayToSerializedString). Never throws.
 */
export function readJavaKey(hex: string): KeyReading {
  if (hex.length > 2 * longestJavaStream)
    return { problem: `has ${hex.length} characters, which is too long` };
  const bytes = hexBytes(hex);
  if (bytes === null) return { problem: `is ${quoted(hex)}, not hex` };
  const { value, problem } = readJavaStream(bytes);
  if (problem !== undefined) return { problem: `is no serialised key: it ${problem}` };
  if (value.kind === "null") return { columns: null };
  if (value.kind !== "list" || value.className !== "[Ljava.lang.Object;")
    return { problem: "is no serialised key: it holds no array of columns" };
  return { columns: value.items.map(column) };
}

/** `12400`; of several columns `(12400, north)`. */
export function keyText(columns: readonly KeyColumn[]): string {
  const [only] = columns;
  if (only && columns.length === 1) return only.text;
  return `(${columns.map(({ text }) => text).join(", ")})`;
}
