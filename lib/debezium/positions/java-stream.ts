/**
 * What a stream of Java's Object Serialization (protocol version 2) holds, as data. Nothing is made of a class that
 * the stream names: the walk only follows the grammar, so that a value after one of an unknown class is found.
 */
export type JavaValue =
  | { kind: "null" }
  | { kind: "text"; text: string }
  | { kind: "bytes"; bytes: Uint8Array }
  | { kind: "list"; className: string; items: JavaValue[] }
  | { kind: "enum"; className: string; constant: string }
  | JavaObject;

export interface JavaObject {
  kind: "object";
  className: string;
  fields: Map<string, JavaField>;
  /** The first block of bytes that the class wrote by itself. */
  block: Uint8Array | null;
}

/** Whole numbers of all widths are bigint; `float` and `double` are numbers. */
export type JavaField = bigint | number | boolean | JavaValue;

export type JavaReading = { value: JavaValue; problem?: undefined } | { value?: undefined; problem: string };

interface ClassDescription {
  className: string;
  flags: number;
  fields: { type: string; name: string }[];
  parent: ClassDescription | null;
}

/** Deepest nesting of values and of superclasses. A BigDecimal in an array has four levels. */
const deepest = 16;
/** Longest stream that is read. A key of a few columns has a few hundred bytes. */
export const longestJavaStream = 65_536;

class Unreadable extends Error {}

const writeMethod = 0x01;
const serializable = 0x02;
const externalizable = 0x04;
const blockData = 0x08;

class Walk {
  #at = 0;
  /** What TC_REFERENCE can refer to, in the order in which the stream numbers it. */
  readonly #handles: (JavaValue | ClassDescription)[] = [];
  readonly #bytes: Uint8Array;
  readonly #view: DataView;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** The one value of the stream. */
  whole(): JavaValue {
    if (this.#u4() !== 0xaced_0005) throw new Unreadable("does not begin with ACED0005");
    const value = this.#value(0);
    if (this.#at < this.#bytes.length)
      throw new Unreadable(`has ${this.#bytes.length - this.#at} bytes after its value`);
    return value;
  }

  #take(length: number): number {
    const from = this.#at;
    if (length > this.#bytes.length - from) throw new Unreadable("ends before its value does");
    this.#at += length;
    return from;
  }
  #u1 = () => this.#view.getUint8(this.#take(1));
  #u2 = () => this.#view.getUint16(this.#take(2));
  #u4 = () => this.#view.getUint32(this.#take(4));
  #i4 = () => this.#view.getInt32(this.#take(4));
  #i8 = () => this.#view.getBigInt64(this.#take(8));

  #text(length: number): string {
    const from = this.#take(length);
    return modifiedUtf8(this.#bytes.subarray(from, from + length));
  }

  #longText(): string {
    const length = this.#i8();
    if (length < 0n || length > longestJavaStream) throw new Unreadable("holds a text that is too long");
    return this.#text(Number(length));
  }

  #handle<T extends JavaValue | ClassDescription>(item: T): T {
    this.#handles.push(item);
    return item;
  }

  #reference(): JavaValue | ClassDescription {
    const found = this.#handles[this.#u4() - 0x7e_0000];
    if (!found) throw new Unreadable("refers to a value that it does not hold");
    return found;
  }

  #value(depth: number): JavaValue {
    if (depth > deepest) throw new Unreadable("is nested too deeply");
    const mark = this.#u1();
    if (mark === 0x70) return { kind: "null" };
    if (mark === 0x71) {
      const found = this.#reference();
      if ("kind" in found) return found;
      throw new Unreadable("has a class where a value should be");
    }
    if (mark === 0x73) return this.#object(depth);
    if (mark === 0x74) return this.#handle({ kind: "text", text: this.#text(this.#u2()) });
    if (mark === 0x7c) return this.#handle({ kind: "text", text: this.#longText() });
    if (mark === 0x75) return this.#list(depth);
    if (mark === 0x7e) return this.#enum(depth);
    throw new Unreadable(`has byte 0x${mark.toString(16).padStart(2, "0")} where a value should begin`);
  }

  #class(depth: number): ClassDescription | null {
    if (depth > deepest) throw new Unreadable("is nested too deeply");
    const mark = this.#u1();
    if (mark === 0x70) return null;
    if (mark === 0x71) {
      const found = this.#reference();
      if ("kind" in found) throw new Unreadable("has a value where a class should be");
      return found;
    }
    if (mark !== 0x72) throw new Unreadable("has no description of a class where one should be");
    const className = this.#text(this.#u2());
    this.#take(8); // serialVersionUID
    const described = this.#handle<ClassDescription>({ className, flags: 0, fields: [], parent: null });
    described.flags = this.#u1();
    const count = this.#u2();
    for (let i = 0; i < count; i++) {
      const type = String.fromCharCode(this.#u1());
      const name = this.#text(this.#u2());
      if (type === "L" || type === "[") this.#value(depth + 1); // the name of the field's class
      described.fields.push({ type, name });
    }
    this.#annotations(depth + 1);
    described.parent = this.#class(depth + 1);
    return described;
  }

  #known(depth: number): ClassDescription {
    const found = this.#class(depth + 1);
    if (found === null) throw new Unreadable("has a value without a class");
    return found;
  }

  /** Walks what a class wrote by itself, up to its end mark, and gives its first block of bytes. */
  #annotations(depth: number): Uint8Array | null {
    let first: Uint8Array | null = null;
    for (;;) {
      const mark = this.#u1();
      if (mark === 0x78) return first;
      if (mark === 0x77 || mark === 0x7a) {
        const length = mark === 0x77 ? this.#u1() : this.#u4();
        const from = this.#take(length);
        first ??= this.#bytes.subarray(from, from + length);
      } else {
        this.#at--;
        this.#value(depth);
      }
    }
  }

  #field(type: string, depth: number): JavaField {
    if (type === "J") return this.#i8();
    if (type === "I") return BigInt(this.#i4());
    if (type === "S") return BigInt(this.#view.getInt16(this.#take(2)));
    if (type === "B") return BigInt(this.#view.getInt8(this.#take(1)));
    if (type === "C") return BigInt(this.#u2());
    if (type === "Z") return this.#u1() !== 0;
    if (type === "F") return this.#view.getFloat32(this.#take(4));
    if (type === "D") return this.#view.getFloat64(this.#take(8));
    if (type === "L" || type === "[") return this.#value(depth + 1);
    throw new Unreadable(`has a field of the unknown type ${JSON.stringify(type)}`);
  }

  #object(depth: number): JavaValue {
    const described = this.#known(depth);
    const { className } = described;
    const value = this.#handle<JavaObject>({ kind: "object", className, fields: new Map(), block: null });
    for (const part of lineage(described)) {
      if (part.flags & serializable) {
        for (const { type, name } of part.fields) value.fields.set(name, this.#field(type, depth));
        if (part.flags & writeMethod) this.#keepBlock(value, depth);
      } else if (part.flags & externalizable) {
        // Without block data its length is known to its class only.
        if (!(part.flags & blockData)) throw new Unreadable(`holds a ${part.className} of unknown length`);
        this.#keepBlock(value, depth);
      }
    }
    return value;
  }

  #keepBlock(value: JavaObject, depth: number): void {
    const block = this.#annotations(depth + 1);
    value.block ??= block;
  }

  #list(depth: number): JavaValue {
    const { className } = this.#known(depth);
    const element = className.charAt(1);
    if (element === "B") {
      const value = this.#handle<JavaValue & { kind: "bytes" }>({ kind: "bytes", bytes: new Uint8Array() });
      const length = this.#u4();
      const from = this.#take(length);
      value.bytes = this.#bytes.slice(from, from + length);
      return value;
    }
    const items: JavaValue[] = [];
    const value = this.#handle<JavaValue>({ kind: "list", className, items });
    const length = this.#u4();
    for (let i = 0; i < length; i++) {
      const item = this.#field(element, depth);
      if (typeof item === "object") items.push(item);
    }
    return value;
  }

  #enum(depth: number): JavaValue {
    const { className } = this.#known(depth);
    const value = this.#handle<JavaValue & { kind: "enum" }>({ kind: "enum", className, constant: "" });
    const constant = this.#value(depth + 1);
    if (constant.kind === "text") value.constant = constant.text;
    return value;
  }
}

/** The classes of an object, the topmost first, as their fields are written. */
function lineage(described: ClassDescription): ClassDescription[] {
  const line: ClassDescription[] = [];
  for (let at: ClassDescription | null = described; at !== null; at = at.parent) {
    if (line.length > deepest) throw new Unreadable("has a class that is nested too deeply");
    line.unshift(at);
  }
  return line;
}

/** Java's own form of UTF-8: a NUL takes two bytes, a character beyond U+FFFF two groups of three. */
function modifiedUtf8(bytes: Uint8Array): string {
  let text = "";
  for (let i = 0; i < bytes.length; ) {
    const first = bytes[i++] ?? 0;
    if (first < 0x80) text += String.fromCharCode(first);
    else if (first >> 5 === 0b110) text += String.fromCharCode(((first & 0x1f) << 6) | continued(bytes, i++));
    else if (first >> 4 === 0b1110) {
      const high = continued(bytes, i++) << 6;
      text += String.fromCharCode(((first & 0x0f) << 12) | high | continued(bytes, i++));
    } else throw new Unreadable("holds a text that is not UTF-8");
  }
  return text;
}

function continued(bytes: Uint8Array, at: number): number {
  const byte = bytes[at];
  if (byte === undefined || byte >> 6 !== 0b10) throw new Unreadable("holds a text that is not UTF-8");
  return byte & 0x3f;
}

/** Reads a stream that holds one value, or says why not ("ends before its value does"). Never throws. */
export function readJavaStream(bytes: Uint8Array): JavaReading {
  if (bytes.length > longestJavaStream) return { problem: `has ${bytes.length} bytes, which is too long` };
  try {
    return { value: new Walk(bytes).whole() };
  } catch (error) {
    if (error instanceof Unreadable) return { problem: error.message };
    throw error;
  }
}
